// The page that compares searches: its numbers are those of single questions, its address is its state, and a query at
// fault is told of where it stands. Contract 24.

import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  COMPARED_SAMPLE,
  COMPARED_WORDS,
  compareOf,
  compareTable,
} from '../../src/features/analysis/compare/compare.ts';
import { comparePage, readCompareState } from '../../src/features/analysis/compare/page.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineLimit } from '../../src/model/engine-errors.ts';
import { readQueries } from '../../src/search/asking.ts';
import { openService } from '../api/service.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import {
  cellsOf,
  decode,
  eachIn,
  hrefs,
  readable,
  rowsOf as rowsOfPage,
  SIGNED_IN,
  siteOfTests,
  sum,
} from './site.ts';

/** Cells of the rows of the table with this heading. */
const rowsOfTable = (page: string, id: string) =>
  rowsOfPage(page, new RegExp(`<table[^>]*aria-labelledby="${id}"`));

const { api, followed, build } = siteOfTests();

const QUERIES = ['panel', 'solar', 'roof /r/energy', 'zzz'] as const;
const asked = (name: string, queries: readonly string[]) =>
  queries.map((query) => `${name}=${encodeURIComponent(query)}`).join('&');
const FOUR = `kind=comments&${asked('query', QUERIES)}`;

async function get(url: string, status = 200): Promise<string> {
  const { statusCode, body } = await followed(url);
  assert.equal(statusCode, status, url);
  return body;
}

const json = (path: string, parameters: string) => api(`${path}/comments?${parameters}`);

type CsvRow = Readonly<Record<string, string>>;
type Bucket = Readonly<Record<'start' | 'count' | 'of' | 'share' | 'n' | 'mean', number>>;

/** No cell of these has a comma or a quote but the canonical queries, which are not read. */
async function table(parameters: string): Promise<CsvRow[]> {
  return rowsOf(await get(linkOf(await get(`/compare?${parameters}`))));
}

/** Where the file is that the page links to. */
const linkOf = (body: string) => hrefs(body).find((href) => href.startsWith('/api/v1/compare/'))!;

function rowsOf(csv: string): CsvRow[] {
  const [columns = [], ...lines] = cellsOf(csv.replace(/"[^"]*"/g, 'quoted'));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [columns[i]!, cell])));
}

const LETTERS = ['A', 'B', 'C', 'D'];
const of = (rows: readonly CsvRow[], part: string, query?: string) =>
  rows.filter((row) => row.part === part && (query === undefined || row.query === query));

describe('the numbers of a comparison', () => {
  it('are those of the timeline: counts, shares, mean sentiment, rated and unrated', async () => {
    const rows = await table(FOUR);
    const { series } = await json('timeline', `${asked('query', QUERIES)}&measure=sentiment`);
    for (const [i, { total_count, buckets }] of series.entries()) {
      const [total] = of(rows, 'total', LETTERS[i]!);
      assert.equal(Number(total!.count), total_count);
      const rated = sum(buckets.map(({ n }: Bucket) => n));
      assert.deepEqual([Number(total!.rated), Number(total!.unrated)], [rated, total_count - rated]);
      const all = sum(buckets.map(({ n, mean }: Bucket) => n * mean));
      if (rated === 0) assert.equal(total!.mean_sentiment, '');
      else assert.ok(Math.abs(Number(total!.mean_sentiment) - all / rated) < 0.0002);
      assert.deepEqual(
        of(rows, 'timeline', LETTERS[i]!).map((row) => [row.start, row.count, row.of, row.share].map(Number)),
        buckets.map((b: Bucket) => [b.start, b.count, b.of, b.share]),
      );
    }
  });

  it('in common are those of a query of both', async () => {
    const rows = of(await table(FOUR), 'overlap');
    const { rows: counts } = await json('counts', asked('query', ['panel solar', 'panel roof /r/energy']));
    const [ab, ba, ac] = rows;
    assert.deepEqual([ab!.query, ab!.other, ba!.query, ba!.other], ['A', 'B', 'B', 'A']);
    const [both, others] = [counts[0].total_count, counts[1].total_count];
    assert.deepEqual([ab!.count, ba!.count, ac!.count].map(Number), [both, both, others]);
    const [total] = of(await table(FOUR), 'total', 'A');
    assert.equal(ab!.of, total!.count);
  });

  it('by subreddit are those of each breakdown, those that only another search has as 0', async () => {
    const rows = await table(FOUR);
    for (const [i, query] of QUERIES.entries()) {
      const { rows: single } = await json('breakdown', `query=${encodeURIComponent(query)}&field=subreddit`);
      const known = new Map(single.map(({ name, count }: CsvRow) => [name, count]));
      const own = of(rows, 'community', LETTERS[i]!);
      assert.ok(own.length >= known.size);
      for (const { name, count } of own)
        assert.equal(Number(count), known.get(name!) ?? 0, `${query} ${name}`);
    }
  });

  it('of words are those of the same sample', async () => {
    const rows = await table('kind=comments&query=panel&query=solar');
    const sizes = `sample=${COMPARED_SAMPLE}&limit=${COMPARED_WORDS}`;
    const words = await json('words', `query=panel&against=solar&${sizes}`);
    const expected = (list: readonly CsvRow[], sign: number) =>
      list
        .filter(({ word }) => !['panel', 'solar'].includes(word!))
        .map(({ word, z }) => [word, Number(z) * sign]);
    const found = (query: string) => of(rows, 'word', query).map(({ name, z }) => [name, Number(z)]);
    assert.ok(words.rows.length > 0);
    assert.deepEqual([found('A'), found('B')], [expected(words.rows, 1), expected(words.rows_against, -1)]);
  });

  it('are on the page as they are in the table', async () => {
    const text = readable(await get(`/compare?${FOUR}`));
    for (const [i, { count, of: scope }] of of(await table(FOUR), 'total').entries())
      assert.match(text, new RegExp(`${QUERIES[i]}[\\d.]+%${count}${scope}`));
  });
});

it('what the engine cannot tell is left out with a word: mean sentiment, and words of too many matches', async () => {
  await using service = await openService(POSTS, COMMENTS);
  const queries = readQueries(['panel', 'solar']);
  const context = { engine: withoutRatings(service.engine), config: { queryTimeoutMs: 10_000 } };
  const compared = await compareOf(context, { kind: 'comment', queries, words: [0, 1] });
  for (const { total_count, sentiment } of compared.answer.series)
    assert.deepEqual([total_count, sentiment], [25, null]);
  assert.equal(compared.answer.series.length, 2);
  assert.equal(compared.answer.words, null);
  const state = readCompareState('/compare?kind=comments&query=panel&query=solar');
  const text = readable(comparePage({ state, queries, ...compared }).toString());
  assert.match(text, /cannot compute mean sentiment/);
  assert.match(text, /cannot compare the words of so many matches/);
  const { rows } = compareTable(compared.answer);
  assert.ok(rows.every((row) => row[0] !== 'word' && row[8] === null));
});

/** As an engine answers whose documents have neither ratings nor ranks. */
function withoutRatings(engine: SearchEngine): SearchEngine {
  const askAll: SearchEngine['askAll'] = async (questions, ...rest) => {
    if (questions.some(({ words }) => words !== undefined)) {
      throw new EngineLimit({ limit: 'not_here', what: 'samples of more than 50,000 matches' });
    }
    const { answers, ...found } = await engine.askAll(questions, ...rest);
    const told = answers.map(({ compared, ...answer }) => {
      if (compared === undefined) return answer;
      const { ratings: _, ...others } = compared;
      return { ...answer, compared: others };
    });
    return { ...found, answers: told };
  };
  return { askAll, refresh: () => engine.refresh() } as SearchEngine;
}

describe('the page of a comparison', () => {
  it('is a sentence, and its lines have the names of the searches at their ends, each in a class of its own', async () => {
    const body = await get(`/compare?${FOUR}`);
    assert.match(body, /<h1 id="totals"[^>]*>panel, solar, roof \/r\/energy and zzz in comments<\/h1>/);
    assert.match(body, /<title>panel, solar, roof \/r\/energy and zzz in comments – /);
    const ends = /<svg class="ends"[\s\S]*?<\/svg>/.exec(body)![0];
    const named = [...ends.matchAll(/<text class="line-(\d)"[^>]*>([^<]+)</g)];
    const lines = named.map(([, i, name]) => `${i} ${name}`);
    assert.deepEqual(lines.join(), QUERIES.map((name, i) => `${i} ${name}`).join());
    for (const i of [0, 1, 2, 3]) assert.match(body, new RegExp(`<path class="line line-${i}" d="M`));
    assert.match(body, /<svg class="axis"/);
    assert.match(readable(/<thead>[\s\S]*?<\/thead>/.exec(body)![0]), /^SearchShareFound/);
    assert.doesNotMatch(readable(body), /\bA and B\b|\bMore in A\b/);
  });

  it('has a box a search, one more where it is asked for, and none that is empty beside two', async () => {
    const boxes = (body: string) => eachIn(body, /<input id="q-\d" name="query"[^>]* value="([^"]*)"/g);
    assert.deepEqual(boxes(await get('/compare?query=panel&query=solar')), ['panel', 'solar']);
    assert.deepEqual(boxes(await get('/compare?query=panel&query=solar&add=1')), ['panel', 'solar', '']);
    assert.deepEqual(boxes(await get('/compare')), ['', '']);
    assert.doesNotMatch(await get(`/compare?${FOUR}&add=1`), /name="add"/);
  });

  it('has one field that every search gets: "for all"', async () => {
    const body = await get('/compare?kind=comments&query=panel&query=solar&all=%2Fr%2Fenergy');
    assert.match(body, /<input name="all"[^>]* value="\/r\/energy"/);
    const { series } = await json('compare', 'query=panel+/r/energy&query=solar+/r/energy');
    const totals = series.map((one: { total_count: number }) => one.total_count);
    const found = rowsOfTable(body, 'totals').map((row) => Number(row[2]!.replaceAll(',', '')));
    assert.deepEqual(found, totals);
    assert.match(linkOf(body), /query=panel%20%2Fr%2Fenergy&query=solar%20%2Fr%2Fenergy/);
  });

  it('hatches what is of fewer than 30 records, and says so', async () => {
    const body = await get('/compare?kind=comments&query=panel&query=zzz');
    const [, zzz] = rowsOfTable(body, 'totals');
    assert.equal(zzz![2], '0');
    assert.match(body, /Hatched: fewer than 30 comments\./);
    assert.match(body, /<title>[^<]*, fewer than 30[^<]*<\/title><rect class="hit"[^>]*><path class="hatch"/);
  });

  it('leaves the words of its two searches out of the lists, which told nothing', async () => {
    const { words } = await json('compare', 'query=panel&query=solar');
    const listed = words.lists.flat().map(({ word }: { word: string }) => word);
    assert.ok(listed.length > 0);
    for (const own of ['panel', 'solar', 'a', 'the']) assert.ok(!listed.includes(own), own);
  });

  it('has one address a state, which its links keep', async () => {
    const body = await get(`/compare?timeline=share&${FOUR}&words=A-C`);
    const canonical = /<link rel="canonical" href="[^"]*?(\/compare[^"]*)"/.exec(body)![1]!;
    const queries = 'query=panel&query=solar&query=roof+%2Fr%2Fenergy&query=zzz';
    assert.equal(decode(canonical), `/compare?kind=comments&${queries}&words=A-C`);
    const own = hrefs(body).filter((href) => href.startsWith('/compare?'));
    assert.equal(own.length, 6, 'five other pairs, and counts in place of shares');
    for (const href of own) await get(href);
    const words = of(rowsOf(await get(linkOf(body))), 'word');
    assert.deepEqual([...new Set(words.map(({ query, other }) => `${query}${other}`))], ['AC', 'CA']);
  });

  it('with fewer than two searches is the form, with what it has; nothing is asked', async () => {
    for (const path of ['/compare', '/compare?query=', '/compare?kind=comments&query=panel&query=+']) {
      const body = await get(path);
      assert.match(body, /<h1>Compare searches<\/h1>/);
      assert.doesNotMatch(body, /id="totals"/);
    }
    const body = await get('/compare?kind=comments&query=panel+roof');
    assert.match(body, /id="q-0"[^>]* value="panel roof"/);
    assert.match(body, /value="comments" selected/);
  });

  it('is where a search leads, with the window that the search was given', async () => {
    const link = async (url: string) => hrefs(await get(url)).filter((href) => href.startsWith('/compare'));
    assert.deepEqual(await link('/search?query=panel+before:2023-03-14&kind=comments'), [
      '/compare?kind=comments&query=panel%2Cbefore%3A2023-03-14%2Cafter%3A2023-03-13',
    ]);
    assert.deepEqual(await link('/search?query='), []);
  });

  it('says of each query at fault what is wrong, with a caret under its item', async () => {
    const body = await get('/compare?query=after:2023-02-30&query=solar&query=panel+before:2023-01-01', 400);
    assert.deepEqual(eachIn(body, /<input id="q-(.)"[^>]* aria-invalid="true"/g), ['0', '2']);
    const marked = eachIn(body, /<p class="caret"[^>]*>.*?<mark>(.*?)<\/mark>/g);
    assert.deepEqual(marked, ['after:2023-02-30', 'before:2023-01-01']);
  });

  it('refuses five searches, and pairs that are not there', async () => {
    assert.match(await get(`/compare?${asked('query', ['a', 'b', 'c', 'd', 'e'])}`, 400), /at most 4/);
    for (const words of ['A-C', 'B-A', 'x']) await get(`/compare?query=a&query=b&words=${words}`, 400);
  });

  it('of what nothing matches, of posts, and with dates far apart is there too', async () => {
    assert.match(readable(await get('/compare?query=zzz&query=yyy')), /No matches/);
    const posts = readable(await get('/compare?query=rooftop&query=balcony'));
    assert.doesNotMatch(posts, /Mean sentiment/);
    assert.match(posts, new RegExp(`rooftop85.7%${POSTS.length - 10}${POSTS.length}`));
    await get('/compare?query=after:1970-01-01+before:9999-01-01&query=solar&timeline=share');
  });

  it('is at most 25 kB, compressed', async () => {
    const long = QUERIES.map((query) => `${query} after:2020-01-01 before:2024-12-31`);
    const body = await get(`/compare?kind=comments&timeline=share&${asked('query', long)}`);
    assert.ok(gzipSync(body).length < 25_000, `${gzipSync(body).length} bytes`);
  });

  it('counts as one search of a visitor, as its table does', async (t) => {
    mock.restoreAll();
    t.mock.method(performance, 'now', () => 0);
    const one = await build();
    for (let i = 0; i < 28; i++) assert.equal((await one.inject('/search?query=a')).statusCode, 200);
    const statuses = [];
    for (const path of [
      '/compare?query=a&query=b',
      '/api/v1/compare/posts?query=a&query=b&format=csv-excel',
      '/compare?query=a',
      '/compare?query=a&query=b',
    ]) {
      statuses.push((await one.inject(path)).statusCode);
    }
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    assert.equal((await one.inject({ url: '/compare?query=a&query=b', headers: SIGNED_IN })).statusCode, 200);
  });
});
