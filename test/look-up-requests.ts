// Random requests for what tells of a query, of named records, of a thread and of what is there, each with its answer
// by brute force over the records.

import assert from 'node:assert/strict';
import { CoverageService } from '../src/analysis/coverage.ts';
import { type Explanation, explain } from '../src/analysis/explain.ts';
import { COVERAGE_STEPS } from '../src/model/coverage.ts';
import { conditionsOf, matches } from '../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import type { RecordsAnswer } from '../src/search/search-service.ts';
import { type Corpus, type Generators, searchBy } from './analysis-requests.ts';
import { expectCoverage } from './coverage-oracle.ts';
import { type Below, pick } from './generators/real-queries.ts';
import { VOCABULARY } from './generators/records.ts';
import { threadRequest } from './thread-requests.ts';

const NOT_HERE: readonly string[] = ['nowhere', 'zzzzzz', 'lost'];

export const LOOK_UPS: Generators = {
  explain({ kind, below, query, corpus }) {
    const wish = { kind, query: query() };
    const impliedWindow = pick(below, ['1d', 'off'] as const);
    return {
      wish: { ...wish, impliedWindow },
      ask: async (context) => (await explain(context, wish, { impliedWindow })).answer,
      check: (answer) => expectExplained(answer as Explanation, wish.query, corpus.live[kind]),
    };
  },
  records({ kind, below, corpus }) {
    const length = 1 + below(pick(below, [3, 20, 80]));
    const names = Array.from({ length }, () => randomName(kind, below, corpus));
    if (below(25) === 0) names.push({ typed: 'no/id', of: kind, id: '' });
    const separator = pick(below, [',', ' , ', ',,']);
    const fields = pick(below, [null, 'id,created,retrieved_utc', 'arrived_utc,type,permalink,id']);
    const wish = { kind, ids: names.map(({ typed }) => typed).join(separator), fields };
    return {
      wish,
      ask: (context) => searchBy(context).records(wish),
      refusal: names.some(({ id }) => id === '') ? 'bad_ids' : null,
      check: (answer) => expectNamed(answer as RecordsAnswer, kind, names, corpus),
    };
  },
  thread: threadRequest,
  coverage({ below, corpus }) {
    const names = [...VOCABULARY.communities, 'nowhere'];
    const step = pick(below, COVERAGE_STEPS);
    const wish = { step, subreddits: below(3) === 0 ? [] : names.filter(() => below(2) === 0) };
    const log = { listImports: () => [], removals: { all: () => [] } };
    return {
      wish,
      ask: (context) => new CoverageService(context, log).answer(wish),
      refusal: null,
      check: (answer) => expectCoverage(answer, wish, corpus.live),
    };
  },
};

/** Each item is read again, from the text that the answer has of it and from where it was written. */
function expectExplained(
  { items, implied, total_count, query: echo }: Explanation,
  text: string,
  records: readonly StoredRecord[],
): void {
  const found = (queries: readonly string[]) => {
    const { query } = interpretQuery(queries.join(','), { impliedWindow: 'off' });
    const conditions = conditionsOf(query);
    return records.filter((record) => matches(record, conditions)).length;
  };
  const texts = items.map(({ item }) => item);
  assert.equal(echo, texts.join(','), 'the items are the query');
  assert.equal(total_count, found(texts), 'total_count');
  for (const [i, { item, offset, length, alone, without, so_far }] of items.entries()) {
    const written = interpretQuery(text.slice(offset, offset + length), { impliedWindow: 'off' });
    assert.equal(written.echo, item, 'an item stands where the answer says');
    const expected = [found([item]), found(texts.toSpliced(i, 1)), found(texts.slice(0, i + 1))];
    assert.deepEqual([alone, without, so_far], expected, `alone, without and so_far of ${item}`);
  }
  if (implied !== undefined)
    assert.equal(implied.so_far, found([...texts, implied.item]), 'the implied item');
}

interface Name {
  readonly typed: string;
  readonly of: Kind;
  /** Empty: it is none. */
  readonly id: string;
}

/** Of one that came in, of either kind, removed or not, or of one that never did; often the same ones. */
function randomName(kind: Kind, below: Below, { given, live }: Corpus): Name {
  const of = below(5) === 0 ? KINDS.find((other) => other !== kind)! : kind;
  const from = pick(below, [live[of], given[of], given[of].slice(0, 30), []]);
  const id = from.length === 0 ? pick(below, [...NOT_HERE, ...VOCABULARY.ids]) : pick(below, from).id;
  const prefixed = `${of === 'post' ? 't3' : 't1'}_${id}`;
  const path = of === 'post' ? `/r/cats/comments/${id}/a_title/` : `/r/cats/comments/p1/_/${id}/`;
  const marked = pick(below, [prefixed, prefixed.toUpperCase().replace(/_.*/, `_${id}`), path]);
  const typed = pick(below, [marked, `https://www.reddit.com${path}`, ...(of === kind ? [id, id] : [])]);
  return { typed, of, id };
}

function expectNamed(
  { data, missing }: RecordsAnswer,
  kind: Kind,
  names: readonly Name[],
  { live }: Corpus,
): void {
  const isFirst = ({ of, id }: Name, i: number) =>
    names.findIndex((other) => other.of === of && other.id === id) === i;
  const here = (name: Name) => (name.of === kind ? live[kind].find(({ id }) => id === name.id) : undefined);
  const asked = names.filter(isFirst);
  const absent = asked.filter((name) => here(name) === undefined).map(({ typed }) => typed);
  assert.deepEqual(missing, absent, 'what is missing');
  const expected = asked.flatMap((name) => here(name) ?? []).map(toldOf);
  assert.equal(data.length, expected.length, 'how many are here');
  for (const [i, record] of data.entries()) {
    // The community and the arrival are not the record's own: there the two engines are compared.
    const { subreddit: _, arrived_utc: __, ...own } = record as Record<string, unknown>;
    const told = Object.fromEntries(Object.keys(own).map((name) => [name, expected[i]![name]]));
    assert.deepEqual(own, told, 'a record by its id');
  }
}

/** Under the names of the API. */
function toldOf(record: StoredRecord): Readonly<Record<string, unknown>> {
  const { kind: type, created: created_utc, retrieved, ...same } = record;
  const created = `${new Date(created_utc * 1000).toISOString().slice(0, -5)}Z`;
  return { ...same, type, created_utc, created, retrieved_utc: retrieved || null };
}
