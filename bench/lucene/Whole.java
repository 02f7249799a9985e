// The whole answer: a page of the newest, and in one pass over all matches how many there are, by community, by domain
// and by time.

import java.io.IOException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.DocIdStream;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;

final class Whole {
  private static final int BLOCK = 512;
  private static final int MAX_BUCKETS = 60;
  private static final String[] STEPS = {"day", "week", "month", "quarter", "year"};

  /** The commonest communities alone. */
  static Main.Answer breakdown(OpenIndex index, Matching matching, int size) throws IOException {
    if (matching.isEverything()) {
      OpenIndex.Names names = index.communities;
      return new Main.Answer(index.records(), null, List.of(most(names, names.totals, size, false)), null);
    }
    Counts counts = counted(index, matching, false);
    return new Main.Answer(
        counts.total, null, List.of(most(index.communities, counts.communities, size, false)), null);
  }

  static Main.Answer whole(OpenIndex index, Matching matching, int limit, int size) throws IOException {
    Main.Page page = Pages.newest(index, matching, limit, null);
    Counts counts = matching.isEverything() ? everything(index) : counted(index, matching, true);
    return new Main.Answer(
        counts.total,
        page,
        List.of(
            most(index.communities, counts.communities, size, true),
            most(index.domains, counts.domains, size, true)),
        timeline(index, matching, counts));
  }

  /** What is known without a look at each record. */
  private static Counts everything(OpenIndex index) {
    Counts counts = new Counts(index, true);
    counts.total = index.records();
    counts.communities = index.communities.totals;
    counts.domains = index.domains.totals;
    counts.first = index.first;
    counts.last = index.last;
    for (OpenIndex.Segment segment : index.segments) {
      int day = (int) (segment.last / OpenIndex.DAY) - index.firstDay();
      int from = 0;
      for (int end : segment.dayEnds) {
        counts.days[day--] += end - from;
        from = end;
      }
    }
    return counts;
  }

  private static Counts counted(OpenIndex index, Matching matching, boolean isWhole) throws IOException {
    return index.searcher.search(matching.query, new CollectorManager<Counts, Counts>() {
      @Override
      public Counts newCollector() {
        return new Counts(index, isWhole);
      }

      /** One thread asks, so there is one. */
      @Override
      public Counts reduce(Collection<Counts> all) {
        return all.iterator().next();
      }
    });
  }

  /** Of all matches; whatever is not of the whole answer stays null. */
  private static final class Counts implements Collector {
    final OpenIndex index;
    long total;
    int[] communities;
    int[] domains;
    int[] days;
    /** Seconds of the first and last match. */
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    private final int[] docs = new int[BLOCK];
    private final long[] numbers = new long[BLOCK];

    Counts(OpenIndex index, boolean isWhole) {
      this.index = index;
      communities = new int[index.communities.all.length];
      if (!isWhole) return;
      domains = new int[index.domains.all.length];
      days = new int[index.days()];
    }

    @Override
    public ScoreMode scoreMode() {
      return ScoreMode.COMPLETE_NO_SCORES;
    }

    @Override
    public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
      LeafReader reader = context.reader();
      NumericDocValues community = reader.getNumericDocValues("communityNumber");
      NumericDocValues domain = domains == null ? null : reader.getNumericDocValues("domainNumber");
      SortedNumericDocValues further = domains == null ? null : reader.getSortedNumericDocValues("furtherDomains");
      OpenIndex.Segment segment = index.segments[context.ord];
      return new LeafCollector() {
        private int day = (int) (segment.last / OpenIndex.DAY) - index.firstDay();
        private int down;
        private int newest = -1;
        private int oldest;

        @Override
        public void setScorer(Scorable scorer) {}

        @Override
        public void collect(int doc) throws IOException {
          docs[0] = doc;
          count(1);
        }

        @Override
        public void collect(DocIdStream stream) throws IOException {
          for (int found = stream.intoArray(docs); found > 0; found = stream.intoArray(docs)) count(found);
        }

        @Override
        public void collectRange(int from, int end) throws IOException {
          for (int at = from; at < end; ) {
            int found = Math.min(BLOCK, end - at);
            for (int i = 0; i < found; i++) docs[i] = at + i;
            count(found);
            at += found;
          }
        }

        @Override
        public void finish() throws IOException {
          if (newest < 0 || days == null) return;
          NumericDocValues created = reader.getNumericDocValues("created");
          created.advanceExact(newest);
          last = Math.max(last, created.longValue());
          created.advanceExact(oldest);
          first = Math.min(first, created.longValue());
        }

        private void count(int found) throws IOException {
          total += found;
          if (newest < 0) newest = docs[0];
          oldest = docs[found - 1];
          community.longValues(found, docs, numbers, -1);
          for (int i = 0; i < found; i++) communities[(int) numbers[i]]++;
          if (domain != null) {
            domain.longValues(found, docs, numbers, -1);
            for (int i = 0; i < found; i++) if (numbers[i] >= 0) domains[(int) numbers[i]]++;
          }
          if (further != null) countFurther(found);
          if (days != null) countDays(found);
        }

        private void countFurther(int found) throws IOException {
          for (int i = 0; i < found; ) {
            int doc = further.docID() < docs[i] ? further.advance(docs[i]) : further.docID();
            if (doc > docs[found - 1]) return;
            while (docs[i] < doc) i++;
            if (docs[i] > doc) continue;
            for (int left = further.docValueCount(); left > 0; left--) domains[(int) further.nextValue()]++;
            i++;
          }
        }

        private void countDays(int found) {
          int[] ends = segment.dayEnds;
          for (int i = 0; i < found; ) {
            for (; ends[down] <= docs[i]; down++) day--;
            int start = i;
            if (docs[found - 1] < ends[down]) i = found;
            else while (docs[i] < ends[down]) i++;
            days[day] += i - start;
          }
        }
      };
    }
  }

  /** The commonest; among equals by name. */
  private static Main.Breakdown most(OpenIndex.Names names, int[] counts, int size, boolean hasDistinct) {
    int[] most = new int[size];
    int held = 0;
    int distinct = 0;
    for (int number = 0; number < counts.length; number++) {
      if (counts[number] == 0) continue;
      distinct++;
      if (held == size && !isBefore(names, counts, number, most[held - 1])) continue;
      int at = held < size ? held++ : size - 1;
      for (; at > 0 && isBefore(names, counts, number, most[at - 1]); at--) most[at] = most[at - 1];
      most[at] = number;
    }
    List<Object[]> rows = new ArrayList<>();
    for (int i = 0; i < held; i++) rows.add(new Object[] {names.all[most[i]], counts[most[i]]});
    return new Main.Breakdown(rows, hasDistinct ? distinct : null);
  }

  private static boolean isBefore(OpenIndex.Names names, int[] counts, int one, int other) {
    if (counts[one] != counts[other]) return counts[one] > counts[other];
    return names.all[one].compareTo(names.all[other]) < 0;
  }

  /** In UTC, as src/model/timeline.ts makes it: the finest step with few enough buckets. */
  private static Main.Timeline timeline(OpenIndex index, Matching matching, Counts counts) {
    if (counts.total == 0) return new Main.Timeline("day", List.of());
    long first = matching.from == null ? counts.first : matching.from;
    long last = matching.to == null ? counts.last : matching.to - 1;
    long[][] spans = {{first, last}, {counts.first, counts.last}};
    for (long[] span : spans) {
      for (String step : STEPS) {
        List<long[]> buckets = buckets(step, span[0], span[1]);
        if (buckets.size() <= MAX_BUCKETS) return filled(index, step, buckets, counts.days);
      }
    }
    return filled(index, "year", buckets("year", counts.first, counts.last), counts.days);
  }

  private static Main.Timeline filled(OpenIndex index, String step, List<long[]> buckets, int[] days) {
    int at = 0;
    for (int i = 0; i < days.length; i++) {
      if (days[i] == 0) continue;
      long start = (index.firstDay() + i) * OpenIndex.DAY;
      while (at + 1 < buckets.size() && buckets.get(at + 1)[0] <= start) at++;
      buckets.get(at)[1] += days[i];
    }
    return new Main.Timeline(step, buckets);
  }

  /** Starts, each with a count of 0, from the bucket of the first second to that of the last; at most one too many. */
  private static List<long[]> buckets(String step, long first, long last) {
    List<long[]> buckets = new ArrayList<>();
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(first, OpenIndex.DAY));
    LocalDate start = switch (step) {
      case "day" -> day;
      case "week" -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case "month" -> day.withDayOfMonth(1);
      case "quarter" -> day.withDayOfMonth(1).withMonth((day.getMonthValue() - 1) / 3 * 3 + 1);
      default -> day.withDayOfYear(1);
    };
    while (start.toEpochDay() * OpenIndex.DAY <= last && buckets.size() <= MAX_BUCKETS) {
      buckets.add(new long[] {start.toEpochDay() * OpenIndex.DAY, 0});
      start = switch (step) {
        case "day" -> start.plusDays(1);
        case "week" -> start.plusWeeks(1);
        case "month" -> start.plusMonths(1);
        case "quarter" -> start.plusMonths(3);
        default -> start.plusYears(1);
      };
    }
    return buckets;
  }
}
