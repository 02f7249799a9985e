// Lucene as an opponent of the benchmark. `build FOLDER`: an index of the lines on standard input; `ask FOLDER`:
// answers to the requests on standard input, one a line each. Requests and responses: ../peer-questions.ts.

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class Main {
  /** All queries are asked once, and then `rounds` times each, measured. */
  record Request(Task task, int rounds, List<Conditions> queries) {}

  /** `kind`: count, newest, oldest, top, breakdown or whole. Pages begin behind every record of `after`, if given. */
  record Task(String kind, int limit, int size, Object after) {
    /** A second, of newest and oldest. */
    Long second() {
      return after == null ? null : ((Number) after).longValue();
    }

    /** Score and second, of top. */
    long[] position() {
      if (!(after instanceof java.util.Map<?, ?> map)) return null;
      return new long[] {((Number) map.get("score")).longValue(), ((Number) map.get("second")).longValue()};
    }
  }

  /** All must be met; null is no condition. Any word of each list; `from` <= created < `to`. */
  record Conditions(
      List<List<Word>> words,
      List<Word> excludedWords,
      List<String> communities,
      List<String> excludedCommunities,
      List<String> sites,
      List<String> excludedSites,
      Long minScore,
      Long maxScore,
      Long from,
      Long to) {}

  /** `kind`: term, phrase or prefix. */
  record Word(String kind, String token, List<String> tokens, String prefix) {}

  record Answer(long total, Page page, List<Breakdown> breakdowns, Timeline timeline) {}

  /** `bytes`: of the records, each of which has been read. */
  record Page(List<String> ids, long bytes) {}

  /** Rows are name and count. */
  record Breakdown(List<Object[]> rows, Integer distinct) {}

  /** Buckets are start and count. */
  record Timeline(String step, List<long[]> buckets) {}

  record TimedAnswer(Answer answer, long[] nanoseconds) {}

  record Response(List<TimedAnswer> answers) {}

  record Opened(long records, int segments, double openMs) {}

  private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

  public static void main(String[] arguments) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 20);
    if (arguments.length == 2 && arguments[0].equals("build")) {
      print(Building.build(Path.of(arguments[1]), lines));
    } else if (arguments.length == 2 && arguments[0].equals("ask")) {
      ask(Path.of(arguments[1]), lines);
    } else {
      System.err.println("expected `build FOLDER` or `ask FOLDER`");
      System.exit(2);
    }
  }

  private static void ask(Path folder, BufferedReader requests) throws IOException {
    long before = System.nanoTime();
    try (OpenIndex index = new OpenIndex(folder)) {
      print(new Opened(index.records(), index.segments.length, (System.nanoTime() - before) / 1e6));
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        print(respond(index, JSON.fromJson(line, Request.class)));
      }
    }
  }

  private static Response respond(OpenIndex index, Request request) throws IOException {
    List<TimedAnswer> answers = new ArrayList<>();
    for (Conditions conditions : request.queries) {
      answers.add(new TimedAnswer(answer(index, request.task, conditions), new long[request.rounds]));
    }
    for (int round = 0; round < request.rounds; round++) {
      for (int i = 0; i < answers.size(); i++) {
        long before = System.nanoTime();
        answer(index, request.task, request.queries.get(i));
        answers.get(i).nanoseconds[round] = System.nanoTime() - before;
      }
    }
    return new Response(answers);
  }

  private static Answer answer(OpenIndex index, Task task, Conditions conditions) throws IOException {
    Matching matching = new Matching(conditions);
    return switch (task.kind) {
      case "count" -> new Answer(index.searcher.count(matching.query), null, null, null);
      case "newest" -> paged(index, matching, Pages.newest(index, matching, task.limit, task.second()));
      case "oldest" -> paged(index, matching, Pages.oldest(index, matching, task.limit, task.second()));
      case "top" -> paged(index, matching, Pages.top(index, matching, task.limit, task.position()));
      case "breakdown" -> Whole.breakdown(index, matching, task.size);
      case "whole" -> Whole.whole(index, matching, task.limit, task.size);
      default -> throw new IllegalArgumentException("expected a kind of task, found " + task.kind);
    };
  }

  private static Answer paged(OpenIndex index, Matching matching, Page page) throws IOException {
    return new Answer(index.searcher.count(matching.query), page, null, null);
  }

  private static void print(Object value) {
    byte[] line = (JSON.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8);
    System.out.write(line, 0, line.length);
    System.out.flush();
  }
}
