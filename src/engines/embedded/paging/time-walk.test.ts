import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareIds } from '../../../model/pages.ts';
import { type Chunk, EMPTY } from '../sets/chunk.ts';
import { type Direction, TimeWalk, type WalkedMatches } from './time-walk.ts';

interface Doc {
  readonly created: number;
  readonly id: string;
  readonly isMatch: boolean;
}

/** A segment of one chunk. */
function segmentOf(docs: readonly Doc[]): WalkedMatches {
  const values = Uint16Array.from(docs.flatMap(({ isMatch }, doc) => (isMatch ? [doc] : [])));
  const chunk: Chunk = values.length === 0 ? EMPTY : { kind: 'array', values };
  const created = (doc: number) => docs[doc]!.created;
  const firstAt = (second: number) => docs.filter((doc) => doc.created < second).length;
  const segment = {
    docs: docs.length,
    created: { at: created },
    firstAt,
    id: (doc: number) => docs[doc]!.id,
  };
  return { segment, firstChunk: 0, lastChunk: 0, chunk: () => chunk } as unknown as WalkedMatches;
}

function walked(segments: readonly (readonly Doc[])[], direction: Direction, from: number | null): Doc[] {
  const sources = new Map(segments.map((docs) => [segmentOf(docs), docs] as const));
  const walk = new TimeWalk([...sources.keys()], direction, from);
  const found: Doc[] = [];
  while (walk.next()) {
    const doc = sources.get(walk.matches)![walk.doc]!;
    assert.equal(walk.created, doc.created);
    found.push(doc);
  }
  return found;
}

describe('a walk in the order of time', () => {
  it('gives the matches of all segments by second and id, whichever of them share a second', () => {
    const doc = fc.record({ created: fc.nat(12), isMatch: fc.boolean() });
    const segments = fc.array(fc.array(doc, { maxLength: 12 }), { maxLength: 5 });
    fc.assert(
      fc.property(segments, fc.option(fc.nat(13)), (drawn, from) => {
        let number = 0;
        const order = (a: Doc, b: Doc) => a.created - b.created || compareIds(a.id, b.id);
        const all = drawn.map((docs) =>
          docs.map((one) => ({ ...one, id: `k${(number++ * 7) % 64}` })).sort(order),
        );
        const matches = all.flat().filter(({ isMatch }) => isMatch);
        assert.deepEqual(
          walked(all, 'oldest', from),
          matches.filter(({ created }) => from === null || created >= from).sort(order),
        );
        assert.deepEqual(
          walked(all, 'newest', from),
          matches.filter(({ created }) => from === null || created <= from).sort((a, b) => order(b, a)),
        );
      }),
    );
  });
});
