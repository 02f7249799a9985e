// Builds the index of comments that come as lines of tab-separated fields: id, created, score, community, domains,
// sites, tokens, record. Names and tokens have one space between them; the record is one line of JSON.

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

final class Building {
  /** Newest first; among those of one second, the higher id. */
  static final Sort NEWEST =
      new Sort(new SortField("created", SortField.Type.LONG, true), new SortField("id", SortField.Type.LONG, true));

  private static final double HEAP_MB = 400;
  private static final FieldType TOKENS = new FieldType();

  static {
    TOKENS.setTokenized(true);
    TOKENS.setOmitNorms(true);
    TOKENS.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
    TOKENS.freeze();
  }

  /** Processor time of the process. */
  record Built(long records, double cpuSeconds) {}

  static Built build(Path folder, BufferedReader lines) throws IOException {
    Files.createDirectories(folder);
    IndexWriterConfig config = new IndexWriterConfig(null)
        .setOpenMode(IndexWriterConfig.OpenMode.CREATE)
        .setRAMBufferSizeMB(HEAP_MB)
        .setUseCompoundFile(false)
        .setIndexSort(NEWEST);
    // Numbers of names, in the order in which they come.
    Map<String, Integer> communities = new LinkedHashMap<>();
    Map<String, Integer> domains = new LinkedHashMap<>();
    MadeTokens tokens = new MadeTokens();
    long records = 0;
    try (IndexWriter writer = new IndexWriter(new MMapDirectory(folder), config)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        writer.addDocument(document(line, tokens, communities, domains));
        records++;
      }
    }
    Files.write(folder.resolve("communities.txt"), communities.keySet());
    Files.write(folder.resolve("domains.txt"), domains.keySet());
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Built(records, system.getProcessCpuTime() / 1e9);
  }

  private static Document document(
      String line, MadeTokens tokens, Map<String, Integer> communities, Map<String, Integer> domains) {
    String[] parts = line.split("\t", 8);
    if (parts.length != 8) throw new IllegalArgumentException("expected 8 fields, found " + parts.length);
    Document document = new Document();
    document.add(new NumericDocValuesField("id", Long.parseLong(parts[0], 36)));
    for (int i = 1; i <= 2; i++) {
      String name = i == 1 ? "created" : "score";
      long number = Long.parseLong(parts[i]);
      document.add(new NumericDocValuesField(name, number));
      document.add(new LongPoint(name, number));
    }
    document.add(new StringField("community", parts[3], Field.Store.NO));
    document.add(new NumericDocValuesField("communityNumber", number(communities, parts[3])));
    // Nearly all comments have one domain at most: others are in a sparse column of their own.
    boolean isFirst = true;
    for (String domain : parts[4].split(" ")) {
      if (domain.isEmpty()) continue;
      document.add(new StringField("domain", domain, Field.Store.NO));
      long number = number(domains, domain);
      document.add(isFirst
          ? new NumericDocValuesField("domainNumber", number)
          : new SortedNumericDocValuesField("furtherDomains", number));
      isFirst = false;
    }
    for (String site : parts[5].split(" ")) {
      if (!site.isEmpty()) document.add(new StringField("site", site, Field.Store.NO));
    }
    document.add(new Field("tokens", tokens.of(parts[6]), TOKENS));
    document.add(new StoredField("record", new BytesRef(parts[7].getBytes(StandardCharsets.UTF_8))));
    return document;
  }

  private static int number(Map<String, Integer> numbers, String name) {
    return numbers.computeIfAbsent(name, absent -> numbers.size());
  }

  /** Tokens come made, with one space between them. */
  private static final class MadeTokens extends TokenStream {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private String text = "";
    private int at;

    MadeTokens of(String tokens) {
      text = tokens;
      return this;
    }

    @Override
    public void reset() {
      at = 0;
    }

    @Override
    public boolean incrementToken() {
      if (at >= text.length()) return false;
      int space = text.indexOf(' ', at);
      int end = space < 0 ? text.length() : space;
      clearAttributes();
      term.append(text, at, end);
      at = end + 1;
      return true;
    }
  }
}
