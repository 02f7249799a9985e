// A move from engine to engine: everything comes along, whatever happens on the way, and both are compared in the end.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { UsageError } from '../../src/errors.ts';
import { type MoveOptions, type MoveReport, moveRecords } from '../../src/features/move/move.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { KINDS, type Kind, NO_RECORDS, type StoredRecord } from '../../src/model/record.ts';
import type { RemovalList } from '../../src/model/removals.ts';
import { Remover } from '../../src/removals/remover.ts';
import { queryVocabulary } from '../engine-agreement.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING, everything, firstPage, idsOf } from '../engine-suite.ts';
import { queryArbitrary } from '../generators/queries.ts';
import { recordArbitrary } from '../generators/records.ts';
import { comment, inBatchesOf, instead, post, temporaryFolder } from '../helpers.ts';
import { lineShaper } from '../line-shaper.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

const rules = { keepOriginals: false };
const FOLDER = 'folder one';

interface Place extends AsyncDisposable {
  readonly catalogue: Catalogue;
  readonly remover: Remover;
  readonly source: SearchEngine;
  readonly target: SearchEngine;
  /** An engine in a place of its own. */
  fresh(kind?: 'embedded' | 'reference'): Promise<SearchEngine>;
  /** `other`: in the place of its engines. */
  move(options?: MoveOptions, other?: Partial<Pick<Place, 'source' | 'target'>>): Promise<MoveReport>;
}

/**
 * A data folder with its list of removals, an embedded engine with these records, and one of the other sort. Without
 * threads: the process of killed.test.ts has them.
 */
async function openPlace(records: readonly StoredRecord[]): Promise<Place> {
  const opened = new AsyncDisposableStack();
  const home = opened.use(temporaryFolder());
  const catalogue = opened.use(Catalogue.open(home.path));
  const removals: RemovalList = catalogue.removals;
  let places = 0;
  const fresh = async (sort: 'embedded' | 'reference' = 'embedded') => {
    const folder = join(home.path, `place-${places++}`);
    const engine =
      sort === 'embedded'
        ? openEmbeddedEngine(folder, { rules, removals, workers: 0 })
        : openReferenceEngine(folder, { rules, removals });
    return opened.use(await engine);
  };
  const source = await fresh();
  await fill(source, records);
  const target = await fresh('reference');
  const remover = new Remover({ copies: [], log: catalogue.removals, engine: source, eraseBeside: () => {} });
  return {
    ...{ catalogue, remover, source, target, fresh },
    move: (options, other) => {
      const { source: from, target: to } = { source, target, ...other };
      return moveRecords({ source: from, target: inBatchesOf(1_000, to), folder: FOLDER, removals }, options);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function fill(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  for (const kind of KINDS) {
    const own = records.filter((record) => record.kind === kind);
    for (let at = 0; at < own.length; at += 2_000) {
      await engine.index(kind, packRecords(own.slice(at, at + 2_000)));
    }
  }
}

/** Everything that is to come along, as one value. */
async function contentOf(engine: SearchEngine) {
  await engine.refresh();
  const ofKind = async (kind: Kind) => {
    const shaper = lineShaper({ arrived: true });
    const checkpoints = [...(await engine.checkpoints(kind))].filter(([name]) => name !== 'colloquy move');
    return {
      records: await everything(engine, kind),
      arrived: (await exported(engine, { kind, shaper, arrived: true })).text,
      checkpoints: checkpoints.sort(),
      fingerprint: (await engine.fingerprints())[kind],
    };
  };
  return { post: await ofKind('post'), comment: await ofKind('comment') };
}

async function answersOf(engine: SearchEngine) {
  const queries = fc.sample(queryArbitrary(queryVocabulary), { numRuns: 40, seed: 7 });
  const answers: unknown[] = [];
  for (const query of [EVERYTHING, ...queries]) {
    for (const kind of KINDS) {
      const question = { kind, query, page: firstPage('top', 50), evidence: true, arrived: true } as const;
      const breakdowns = [{ field: 'community', size: 5, distinct: true }] as const;
      // Arrivals have numbers of their own in each index.
      const { arrival: _, ...answer } = await engine.ask({ ...question, breakdowns, timeline: {} });
      answers.push(answer);
    }
  }
  return answers;
}

const MANY = Array.from({ length: 4_500 }, (_, i) => {
  const id = (1_000 + i).toString(36);
  return comment({ id, created: 1_200_000_000 + Math.floor(i / 7), body: `word${i % 50}` });
});

/** Moves, and is stopped once 3,000 records are there. */
async function stopMidway({ move }: Place): Promise<void> {
  const stop = new AbortController();
  const onProgress = ({ done }: { readonly done: number }) =>
    done >= 3_000 && stop.abort(new Error('stopped'));
  await assert.rejects(move({ signal: stop.signal, onProgress }), /^Error: stopped$/);
}

/** Moves, after which the target has all that the source has. */
async function expectWhole({ source, target, move }: Place): Promise<MoveReport> {
  const report = await move();
  assert.equal(report.isWhole, true);
  assert.deepEqual(await contentOf(target), await contentOf(source));
  return report;
}

/** A test in a place with these records. */
function test(rule: string, body: (place: Place) => Promise<void>): void {
  it(rule, async () => {
    await using place = await openPlace(MANY);
    await body(place);
  });
}

const RANDOM = KINDS.flatMap((kind) => {
  const records = fc.sample(recordArbitrary(kind, true), { numRuns: 400, seed: 11 });
  return records.map((record, i) => ({ ...record, id: `${i.toString(36)}x` }));
});

describe('a move', () => {
  it('there and back: records, arrivals, checkpoints, removals and answers are those of before', async () => {
    await using place = await openPlace(RANDOM);
    const { source, target, remover, fresh, move } = place;
    const posts = (await everything(source, 'post')).slice(0, 3).map(({ id }) => id);
    await remover.remove({ kind: 'records', of: 'post', ids: posts, withComments: true });
    await remover.remove({ kind: 'communities', names: ['cats'] });
    await remover.purge();
    await source.index('comment', NO_RECORDS, { source: 'dump', state: '{"line":7}' });
    const all = RANDOM.filter(({ kind }) => kind === 'post');
    const longAgo = all.map((record) => ({ ...record, id: `o${record.id}` }));
    const arrivals = longAgo.map((_, i) => (i % 5 === 0 ? null : 1_500_000_000 + i * 1_000));
    await source.index('post', packRecords(longAgo), undefined, arrivals);
    const before = { content: await contentOf(source), answers: await answersOf(source) };
    assert.ok(before.content.post.records.length > 100 && before.content.comment.records.length > 100);

    const there = await move();
    assert.equal(there.isWhole, true);
    assert.equal(there.checkpoints, 1);
    assert.equal(there.kinds.post.copied.added, before.content.post.records.length);
    assert.deepEqual({ content: await contentOf(target), answers: await answersOf(target) }, before);

    const again = await fresh();
    const back = await move({}, { source: target, target: again });
    assert.equal(back.isWhole, true);
    assert.deepEqual({ content: await contentOf(again), answers: await answersOf(again) }, before);
    // The list refuses there what it refused here.
    const removed = post({ id: posts[0]!, title: 'again' });
    assert.equal((await again.index('post', packRecords([removed]))).removed, 1);
  });

  test('run again changes nothing, and takes along what has come in since', async (place) => {
    const { source, move } = place;
    await move();
    const again = await move();
    assert.deepEqual(again.kinds.comment.copied, { added: 0, replaced: 0, unchanged: 0, removed: 0 });
    assert.equal(again.isWhole, true);
    const older = comment({ id: 'older', created: 5 });
    await source.index('comment', packRecords([older, { ...MANY[9]!, score: 99, retrieved: 9 }]));
    const last = await expectWhole(place);
    assert.deepEqual(last.kinds.comment.copied, { added: 1, replaced: 1, unchanged: 4_499, removed: 0 });
  });

  it('of nothing writes nothing', async () => {
    await using place = await openPlace([]);
    assert.equal((await place.move()).isWhole, true);
    assert.deepEqual([...(await place.target.checkpoints('post'))], []);
  });

  it('tells how far it is', async () => {
    await using place = await openPlace([...MANY, post({ id: 'p' })]);
    const seen: string[] = [];
    await place.move({ onProgress: ({ done, total }) => seen.push(`${done}/${total}`) });
    assert.equal(seen[0], '1/4501');
    assert.equal(seen.at(-1), '4501/4501');
  });

  test('that is stopped goes on from the last second that was copied', async (place) => {
    const { source, target, move } = place;
    await stopMidway(place);
    const { records } = (await target.fingerprints()).comment as { readonly records: number };
    assert.ok(records >= 1_000 && records < 4_500, `${records}`);
    const first = { done: 0 };
    const report = await move({ onProgress: ({ done }) => (first.done ||= done) });
    assert.ok(first.done > 1_000, 'it does not begin anew');
    const { added, unchanged } = report.kinds.comment.copied;
    assert.equal(added, 4_500 - records);
    assert.ok(unchanged < 7, 'of one second at the most');
    assert.deepEqual(await contentOf(target), await contentOf(source));
  });

  test('that lost the view of the source goes on when it is run again', async (place) => {
    const { source, move } = place;
    const losing = instead(source, 'export', async (...given: Parameters<SearchEngine['export']>) => {
      const run = await source.export(...given);
      const blocks = async function* () {
        let count = 0;
        for await (const block of run.blocks) {
          if (++count > 3) throw new EngineUnavailable('the view is lost');
          yield block;
        }
      };
      return {
        ...run,
        head: run.head,
        blocks: blocks(),
        [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
      };
    });
    await assert.rejects(move({}, { source: losing }), EngineUnavailable);
    await expectWhole(place);
  });

  test('does not call whole what came in behind it, and then takes it along', async (place) => {
    const { source, target, move } = place;
    let isWritten = false;
    const write = async (checkpoint: string) => {
      const older = comment({ id: `old${checkpoint}`, created: 5 });
      await source.index('comment', packRecords([older]), { source: 'dump', state: checkpoint });
    };
    const writing = instead(target, 'index', async (...given: Parameters<SearchEngine['index']>) => {
      if (!isWritten) await write('half');
      isWritten = true;
      return target.index(...given);
    });
    const first = await move({}, { target: writing });
    assert.equal(first.isWhole, false);
    const { source: from, target: to } = first.kinds.comment;
    assert.deepEqual([from.records, to.records], [4_501, 4_500]);
    assert.equal((await target.checkpoints('comment')).get('dump'), undefined, 'never ahead of the records');
    assert.equal((await move()).isWhole, true);
    assert.equal((await target.checkpoints('comment')).get('dump'), 'half');
    // An import that has come to its end meanwhile has none any more.
    await source.index('comment', NO_RECORDS, { source: 'dump', state: null });
    await move();
    assert.equal((await target.checkpoints('comment')).get('dump'), undefined);
    assert.deepEqual(await contentOf(target), await contentOf(source));
  });

  test('that goes on copies what has come in before its place', async (place) => {
    await stopMidway(place);
    await place.source.index('comment', packRecords([comment({ id: 'old', created: 5 })]));
    await expectWhole(place);
  });
});

describe('a move and removals', () => {
  it('does not begin while an undo could bring records back that would not come along', async () => {
    await using place = await openPlace([...MANY.slice(0, 20), post({ id: 'p' })]);
    const { remover, target, move } = place;
    const { id } = await remover.remove({ kind: 'records', of: 'post', ids: ['p'], withComments: false });
    const isRefused = (error: Error) =>
      error instanceof UsageError && /found 1: .*`colloquy remove --purge`/.test(error.message);
    await assert.rejects(move(), isRefused);
    assert.ok(await target.isEmpty());
    await remover.undo(id!);
    assert.equal((await move()).isWhole, true);
    assert.equal((await target.records({ kind: 'post', ids: ['p'] })).records.length, 1);
  });

  test('what is removed behind it is taken out there, and its text is gone', async (place) => {
    const { target, remover, move } = place;
    const ids = [MANY[0]!.id, MANY[4_000]!.id];
    let removing: Promise<unknown> | null = null;
    const removeOnce = async () => {
      removing ??= remover.remove({ kind: 'records', of: 'comment', ids, withComments: false });
      await removing;
    };
    const slow = instead(target, 'index', async (...given: Parameters<SearchEngine['index']>) => {
      const report = await target.index(...given);
      await removeOnce();
      return report;
    });
    const first = await move({}, { target: slow });
    assert.equal(first.isWhole, false, 'an undo would bring them back');
    assert.equal(first.hidden, 2);
    assert.deepEqual((await target.records({ kind: 'comment', ids })).records, []);
    assert.equal(await target.hiddenCount(), 0);
    await remover.purge();
    await expectWhole(place);
  });
});

describe('the target of a move', () => {
  test('is refused where it has records of something else, and left as it is', async (place) => {
    const { target, move } = place;
    await target.index('comment', packRecords([comment({ id: 'stranger' })]));
    await assert.rejects(move(), /expected an engine without comments, .* found 1 others there/);
    const answer = await target.ask({ kind: 'comment', query: EVERYTHING, page: firstPage('newest', 5) });
    assert.deepEqual(idsOf(answer), ['stranger']);
  });

  test('is refused where the move of another data folder has filled it', async (place) => {
    const { target, move, catalogue, fresh } = place;
    const other = await fresh();
    await fill(other, MANY.slice(0, 10));
    await moveRecords({ source: other, target, folder: 'folder two', removals: catalogue.removals });
    await assert.rejects(move(), /found 10 others there/);
  });

  test('may have the same records already', async (place) => {
    await fill(place.target, MANY);
    const report = await place.move();
    assert.equal(report.isWhole, true);
    assert.equal(report.kinds.comment.copied.unchanged, 0);
  });
});
