// Pages of whole records, newest, oldest and top first. Each ends early where the index sort or the points of a column
// allow it; the exact number of matches is counted beside it.

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopFieldCollectorManager;

final class Pages {
  private static final Sort OLDEST =
      new Sort(new SortField("created", SortField.Type.LONG), new SortField("id", SortField.Type.LONG));
  private static final Sort TOP = new Sort(
      new SortField("score", SortField.Type.LONG, true),
      new SortField("created", SortField.Type.LONG, true),
      new SortField("id", SortField.Type.LONG, true));

  /** So many records are in the first window of time on average. */
  private static final long FIRST_WINDOW = 512;
  /** Each window is so many times as long as the one before. */
  private static final long WINDOW_GROWTH = 16;

  static Main.Page newest(OpenIndex index, Matching matching, int limit, Long after) throws IOException {
    Query query = after == null ? matching.query : matching.within(0, after - 1);
    return read(index, found(index, query, Building.NEWEST, limit, null));
  }

  /** The index is sorted the other way: looks into windows of time from the old end. */
  static Main.Page oldest(OpenIndex index, Matching matching, int limit, Long after) throws IOException {
    long first = Math.max(index.first, after == null ? 0 : after + 1);
    if (matching.from != null) first = Math.max(first, matching.from);
    long last = matching.to == null ? index.last : Math.min(index.last, matching.to - 1);
    long window = Math.max(1, (index.last - index.first) * FIRST_WINDOW / Math.max(1, index.records()));
    while (true) {
      long end = Math.min(last, first + window);
      ScoreDoc[] docs = found(index, matching.within(first, end), OLDEST, limit, null);
      if (docs.length == limit || end >= last) return read(index, docs);
      window *= WINDOW_GROWTH;
    }
  }

  /** `after`: score and second; null: from the start. */
  static Main.Page top(OpenIndex index, Matching matching, int limit, long[] after) throws IOException {
    FieldDoc behind = after == null
        ? null
        : new FieldDoc(Integer.MAX_VALUE, 0, new Object[] {after[0], after[1], Long.MIN_VALUE});
    return read(index, found(index, matching.query, TOP, limit, behind));
  }

  private static ScoreDoc[] found(OpenIndex index, Query query, Sort sort, int limit, FieldDoc after)
      throws IOException {
    return index.searcher.search(query, new TopFieldCollectorManager(sort, limit, after, 1)).scoreDocs;
  }

  private static Main.Page read(OpenIndex index, ScoreDoc[] docs) throws IOException {
    StoredFields records = index.searcher.storedFields();
    List<String> ids = new ArrayList<>();
    long bytes = 0;
    for (ScoreDoc doc : docs) {
      Object[] fields = ((FieldDoc) doc).fields;
      ids.add(Long.toString((Long) fields[fields.length - 1], 36));
      bytes += records.document(doc.doc).getBinaryValue("record").length;
    }
    return new Main.Page(ids, bytes);
  }
}
