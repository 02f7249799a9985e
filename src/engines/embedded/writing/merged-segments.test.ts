import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { embeddedEngine, openKind, segmentBytes } from '../../../../test/embedded-index.ts';
import { recordArbitrary } from '../../../../test/generators/records.ts';
import { comment } from '../../../../test/helpers.ts';
import { withSection } from '../../../../test/segment-sections.ts';
import type { StoredComment, StoredRecord } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { factProblems, listProblems } from '../check.ts';
import { OPEN_CODE } from '../format/neighbours.ts';
import { ARRIVAL_UNKNOWN } from '../format/segment-columns.ts';
import { MemorySink } from '../format/segment-writer.ts';
import { loadMemorySegment, Segment } from '../index/segment.ts';
import { emptyView, openView, type ViewSegment } from '../index/view.ts';
import { Deadline } from '../matching/deadline.ts';
import { QueryBinding } from '../matching/matching.ts';
import { WordPool } from '../sets/chunk.ts';
import { mergeSegments } from './merge.ts';
import { LEFT_BEHIND } from './merged-lists.ts';

/** A segment of these records, some of which are dead. */
async function segmentOf(records: readonly StoredRecord[], dead: readonly string[]): Promise<ViewSegment> {
  await using engine = await embeddedEngine(records);
  await engine.hide(1, 'comment', { ids: dead });
  using opened = openKind(engine.path);
  const [one, ...others] = opened.view.segments;
  assert.equal(others.length, 0);
  const bytes = withSection(one!.segment, SECTION, (bytes) => bytes);
  return { ...one!, segment: new Segment(loadMemorySegment('one', bytes)) };
}

function merged(sources: readonly ViewSegment[]): Segment {
  const sink = new MemorySink();
  const merging = sources.map((source) => {
    const { docs } = source.segment;
    return { source, from: 0, to: docs, map: new Uint32Array(docs).fill(LEFT_BEHIND) };
  });
  mergeSegments(sink, merging);
  return new Segment(loadMemorySegment('merged', sink.bytes()));
}

const SECTION = 'postings';

/** Where the payloads of lists are, by key. */
function payloadsOf(segment: Segment): Map<string, number> {
  const found = new Map<string, number>();
  for (const { key, entry } of segment.dictionary.entries()) {
    if (entry.payloads > 0) found.set(key, entry.payloads);
  }
  return found;
}

describe('payloads of merged segments', () => {
  it('are those of their records, with dead records', async () => {
    const sources: ViewSegment[] = [];
    for (let i = 0; i < 3; i++) {
      const records = fc
        .sample(recordArbitrary('comment'), { numRuns: 300, seed: i })
        .map((record, n) => ({ ...record, id: `s${i}n${n}` }));
      sources.push(await segmentOf(records, [`s${i}n5`, `s${i}n6`, `s${i}n299`]));
    }
    const segment = merged(sources);
    assert.equal(segment.docs, 891);
    assert.deepEqual(listProblems(segment), []);
    assert.ok(payloadsOf(segment).size > 100);
  });

  it('are not known where a source was large enough to do without, and the texts tell', async () => {
    const bodies = (some: number, body: (i: number) => string) =>
      Array.from({ length: some }, (_, i) => body(i));
    const parts = [
      bodies(9_000, (i) => (i === 7 ? 'a photovoltaics roof' : `photovoltaic no ${i % 7}`)),
      bodies(4, (i) => (i % 2 === 0 ? 'one photovoltaics roof' : 'roof of photovoltaics')),
    ];
    const sources = await Promise.all(
      parts.map((texts, s) =>
        segmentOf(
          texts.map((body, i) => comment({ id: `s${s}n${i}`, body })),
          [],
        ),
      ),
    );
    const segment = merged(sources);
    assert.deepEqual(payloadsOf(sources[0]!.segment).has('tphotovoltaics'), false);
    const at = payloadsOf(segment).get('tphotovoltaics')!;
    const payloads = Buffer.alloc(5 * 3);
    segment.source.readInto(payloads, at, payloads.length);
    assert.equal(payloads.filter((byte) => byte === OPEN_CODE).length, 3);
    assert.deepEqual(listProblems(segment), []);
    const view = { ...sources[0]!, segment, dead: [], deadCount: 0 };
    const words = [{ kind: 'phrase', tokens: ['photovoltaics', 'roof'], typed: '' }] as const;
    const query = { items: [{ kind: 'words', words, negated: false } as const] };
    const binding = new QueryBinding(query, new WordPool(), Deadline.never());
    assert.equal(binding.matchesIn(view)!.count(), 3);
  });

  it('of format 1 had no places: the texts tell instead, also after a merge', async () => {
    const bodies = ['a photovoltaics roof of mine', 'a roof, photovoltaics', 'one photovoltaics roof'];
    const { segment: one, ...rest } = await segmentOf(
      bodies.map((body, i) => comment({ id: `n${i}`, body })),
      [],
    );
    const { data } = one;
    const source = { ...rest, segment: new Segment({ ...data, footer: { ...data.footer, version: 1 } }) };
    const words = [{ kind: 'phrase', tokens: ['photovoltaics', 'roof'], typed: '' }] as const;
    const query = { items: [{ kind: 'words', words, negated: false } as const] };
    for (const segment of [source.segment, merged([source])]) {
      assert.deepEqual(listProblems(segment), []);
      const view = { ...source, segment };
      assert.equal(new QueryBinding(query, new WordPool(), Deadline.never()).matchesIn(view)!.count(), 2);
    }
    const at = payloadsOf(merged([source])).get('tphotovoltaics');
    assert.equal(at, undefined);
  });

  it('a check compares them with the records', async () => {
    const records = fc.sample(recordArbitrary('comment'), { numRuns: 300, seed: 9 });
    const { segment } = await segmentOf(
      records.map((record, n) => ({ ...record, id: `n${n}` })),
      [],
    );
    assert.deepEqual(listProblems(segment), []);
    const payloads = [...payloadsOf(segment)];
    const { offset } = segment.data.footer.sections[SECTION]!;
    for (const letter of ['p', 't']) {
      const changed = withSection(segment, SECTION, (bytes) => {
        const [, at] = payloads.find(([key, from]) => key.startsWith(letter) && bytes[from - offset]! < 200)!;
        bytes[at - offset]! ^= 1;
        return bytes;
      });
      const problems = listProblems(new Segment(loadMemorySegment('changed', changed)));
      assert.deepEqual(problems, [
        'expected the neighbours of the words of its records, found others in the lists',
      ]);
    }
  });
});

/** Comments with these ids, each with its arrival; `arrival`: that of the segment. */
function sourceOf(name: string, arrival: number, arrivals: Readonly<Record<string, number>>): ViewSegment {
  const records = Object.keys(arrivals).map((id): StoredComment => {
    const body = `the body of number ${id}, which is long enough for a hash`;
    return comment({ id, created: Number(id), body, retrieved: 7, sentiment: Number(id) / 10_000 });
  });
  const bytes = segmentBytes(records, (i) => arrivals[records[i]!.id]!);
  const alive = { dead: [], deadVersion: 0, tombstones: 0, hidden: 0, hiddenSince: null };
  const data = { ...alive, arrival, sum: null, data: loadMemorySegment(name, bytes) };
  return openView({ ...emptyView('comment'), segments: [data] }, undefined).segments[0]!;
}

it('a merge takes the facts of each record along, with the number of its commit in place of 0', () => {
  const segment = merged([
    sourceOf('one', UNCOUNTED, { 1: 0, 3: 5, 5: 0 }),
    sourceOf('two', 12, { 2: 9, 4: UNCOUNTED, 6: 0 }),
  ]);
  const facts = Array.from({ length: segment.docs }, (_, doc) => {
    const isUnknown = (segment.facts.at('marks', doc) & ARRIVAL_UNKNOWN) !== 0;
    assert.equal(isUnknown, segment.facts.at('arrival', doc) === UNCOUNTED);
    return [segment.id(doc), segment.facts.at('arrival', doc)];
  });
  const expected = { 1: UNCOUNTED, 2: 9, 3: 5, 4: UNCOUNTED, 5: UNCOUNTED, 6: 12 };
  assert.deepEqual(Object.fromEntries(facts), expected);
  assert.deepEqual(factProblems(segment), []);
});
