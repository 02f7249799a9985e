// The index as it is asked: each segment with what is known of it before any question. Nothing of an answer is cached.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

final class OpenIndex implements AutoCloseable {
  static final long DAY = 86_400;

  final IndexSearcher searcher;
  /** By the ordinal of their leaf. */
  final Segment[] segments;
  final Names communities;
  final Names domains;
  /** Seconds of the oldest and newest record. */
  final long first;
  final long last;
  private final DirectoryReader reader;

  OpenIndex(Path folder) throws IOException {
    reader = DirectoryReader.open(new MMapDirectory(folder));
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    List<LeafReaderContext> leaves = reader.leaves();
    segments = new Segment[leaves.size()];
    long oldest = Long.MAX_VALUE;
    long newest = 0;
    for (LeafReaderContext leaf : leaves) {
      Segment segment = new Segment(leaf.reader());
      segments[leaf.ord] = segment;
      oldest = Math.min(oldest, segment.first);
      newest = Math.max(newest, segment.last);
    }
    first = oldest;
    last = newest;
    communities = new Names(reader, folder.resolve("communities.txt"), "community");
    domains = new Names(reader, folder.resolve("domains.txt"), "domain");
  }

  long records() {
    return reader.numDocs();
  }

  int firstDay() {
    return (int) (first / DAY);
  }

  int days() {
    return (int) (last / DAY) - firstDay() + 1;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  static final class Segment {
    final long first;
    final long last;
    /** By days down from the last: the first document that is not of the day, nor of a later one. */
    final int[] dayEnds;

    Segment(LeafReader reader) throws IOException {
      NumericDocValues created = reader.getNumericDocValues("created");
      int docs = reader.maxDoc();
      created.advanceExact(0);
      last = created.longValue();
      long firstDay = last / DAY;
      int[] ends = new int[16];
      int down = 0;
      long second = last;
      for (int doc = 1; doc < docs; doc++) {
        created.advanceExact(doc);
        second = created.longValue();
        for (; firstDay - down > second / DAY; down++) {
          if (down == ends.length) ends = java.util.Arrays.copyOf(ends, down * 2);
          ends[down] = doc;
        }
      }
      first = second;
      dayEnds = java.util.Arrays.copyOf(ends, down + 1);
      dayEnds[down] = docs;
    }
  }

  /** Names of one column by their number, and how many records have each. */
  static final class Names {
    final String[] all;
    final int[] totals;

    Names(DirectoryReader reader, Path file, String field) throws IOException {
      all = Files.readAllLines(file).toArray(new String[0]);
      totals = new int[all.length];
      Map<String, Integer> numbers = new HashMap<>();
      for (int i = 0; i < all.length; i++) numbers.put(all[i], i);
      for (LeafReaderContext leaf : reader.leaves()) {
        Terms terms = leaf.reader().terms(field);
        if (terms == null) continue;
        TermsEnum each = terms.iterator();
        for (BytesRef term = each.next(); term != null; term = each.next()) {
          totals[numbers.get(term.utf8ToString())] += each.docFreq();
        }
      }
    }
  }
}
