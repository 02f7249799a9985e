// Conditions as Lucene looks for them. Ranges of time are found by the index sort; a range of scores by points where it
// is narrow, and by the column where it is broad.

import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.IndexSortSortedNumericDocValuesRangeQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;

final class Matching {
  final Query query;
  /** null: open. */
  final Long from;
  final Long to;

  Matching(Main.Conditions conditions) {
    from = conditions.from();
    to = conditions.to();
    List<Query> wanted = new ArrayList<>();
    List<Query> excluded = new ArrayList<>();
    for (List<Main.Word> words : conditions.words()) wanted.add(anyWord(words));
    for (Main.Word word : conditions.excludedWords()) excluded.add(word(word));
    if (conditions.communities() != null) wanted.add(anyName("community", conditions.communities()));
    if (conditions.sites() != null) wanted.add(anyName("site", conditions.sites()));
    for (String name : conditions.excludedCommunities()) excluded.add(new TermQuery(new Term("community", name)));
    for (String name : conditions.excludedSites()) excluded.add(new TermQuery(new Term("site", name)));
    if (conditions.minScore() != null || conditions.maxScore() != null) {
      long least = conditions.minScore() == null ? Long.MIN_VALUE : conditions.minScore();
      long most = conditions.maxScore() == null ? Long.MAX_VALUE : conditions.maxScore();
      wanted.add(range("score", least, most));
    }
    if (from != null || to != null) {
      wanted.add(created(from == null ? 0 : from, to == null ? Long.MAX_VALUE : to - 1));
    }
    query = all(wanted, excluded);
  }

  boolean isEverything() {
    return query instanceof MatchAllDocsQuery;
  }

  /** Matches of which `first` <= created <= `last` too. */
  Query within(long first, long last) {
    return isEverything() ? created(first, last) : all(List.of(query, created(first, last)), List.of());
  }

  private static Query all(List<Query> wanted, List<Query> excluded) {
    if (wanted.isEmpty() && excluded.isEmpty()) return MatchAllDocsQuery.INSTANCE;
    if (wanted.size() == 1 && excluded.isEmpty()) return new ConstantScoreQuery(wanted.get(0));
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (Query one : wanted) builder.add(one, Occur.FILTER);
    if (wanted.isEmpty()) builder.add(MatchAllDocsQuery.INSTANCE, Occur.FILTER);
    for (Query one : excluded) builder.add(one, Occur.MUST_NOT);
    return new ConstantScoreQuery(builder.build());
  }

  private static Query created(long first, long last) {
    return new IndexSortSortedNumericDocValuesRangeQuery("created", first, last, range("created", first, last));
  }

  private static Query range(String field, long least, long most) {
    return new IndexOrDocValuesQuery(
        LongPoint.newRangeQuery(field, least, most),
        NumericDocValuesField.newSlowRangeQuery(field, least, most));
  }

  private static Query anyWord(List<Main.Word> words) {
    if (words.size() == 1) return word(words.get(0));
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (Main.Word word : words) builder.add(word(word), Occur.SHOULD);
    return builder.build();
  }

  private static Query word(Main.Word word) {
    return switch (word.kind()) {
      case "term" -> new TermQuery(new Term("tokens", word.token()));
      case "phrase" -> new PhraseQuery("tokens", word.tokens().toArray(new String[0]));
      case "prefix" -> new PrefixQuery(new Term("tokens", word.prefix()));
      default -> throw new IllegalArgumentException("expected a kind of word, found " + word.kind());
    };
  }

  private static Query anyName(String field, List<String> names) {
    if (names.size() == 1) return new TermQuery(new Term(field, names.get(0)));
    return new TermInSetQuery(field, names.stream().map(BytesRef::new).toList());
  }
}
