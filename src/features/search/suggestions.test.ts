import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as macrotask } from 'node:timers/promises';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { comment, instead, linkPost } from '../../../test/helpers.ts';
import { packRecords } from '../../engines/packing/packed-records.ts';
import type { Question } from '../../model/engine.ts';
import { untilAborted } from '../../model/engine-errors.ts';
import { dateSuggestions, Suggestions } from './suggestions.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

describe('dates to complete with', () => {
  const archive = { first: at('2022-05-06'), last: at('2024-11-30') };
  const rows = [
    ['after:', ['after:2024-01-01', 'after:2023-01-01', 'after:2022-01-01', 'after:1970-01-01']],
    ['before:', ['before:2025-01-01', 'before:2024-01-01', 'before:2023-01-01']],
    ['AFTER:2023', ['after:2023-01-01', 'after:2023-02-01', 'after:2023-03-01']],
    ['before:2024-1', ['before:2024-10-01', 'before:2024-11-01', 'before:2024-12-01']],
    ['after:19', ['after:1970-01-01']],
    ['after:2023-01-01', []],
    ['after:2031', []],
    ['after:last', []],
    ['score:', []],
  ] as const;
  for (const [item, expected] of rows) {
    it(`are those of the archive, not of today: ${item}`, () => {
      const found = dateSuggestions(item, archive, expected.length || 8);
      const texts = found.map(({ text }) => text);
      assert.deepEqual(texts, expected);
    });
  }

  it('say what they mean', () => {
    const hints = (item: string) => dateSuggestions(item, archive, 2).map(({ hint }) => hint);
    assert.deepEqual(hints('after:'), ['from 2024 on', 'from 2023 on']);
    assert.deepEqual(hints('before:'), ['until the end of 2024', 'until the end of 2023']);
    assert.deepEqual(hints('before:2024-02'), ['until the end of January']);
  });
});

const NAMES = 6_000;

/** Two posts in each of 6,000 communities, one in `rarest`, three comments in `rarest` and one in `rare`. */
const posts = [
  ...Array.from({ length: NAMES * 2 }, (_, i) =>
    linkPost({ id: `p${i}`, community: `c${i % NAMES}`, domain: 'self.Common' }),
  ),
  linkPost({ id: 'last', community: 'rarest', domain: 'self.Rarest' }),
];
const comments = ['rarest', 'rarest', 'rarest', 'rare'].map((community, i) =>
  comment({ id: `k${i}`, community, body: '' }),
);

describe('suggestions', () => {
  it('know every community and domain, not the 5,000 commonest alone', async () => {
    await using engine = await embeddedEngine(posts, comments);
    const suggestions = new Suggestions(engine, 10_000);
    const expected = [
      { text: '-/r/rarest', hint: '4 records' },
      { text: '-/r/rare', hint: '1 record' },
    ];
    assert.deepEqual(await suggestions.of('-r/RAR', 8), expected);
    assert.deepEqual(await suggestions.of('site:self.ra', 8), [
      { text: 'site:self.rarest', hint: '1 record' },
    ]);
    assert.equal((await suggestions.of('/r/', 8)).length, 8);
    assert.deepEqual(await suggestions.of('rar', 8), []);
  });

  it('a removed community and a removed domain were suggested for ten minutes', async () => {
    await using engine = await embeddedEngine(posts, comments);
    const suggestions = new Suggestions(engine, 10_000);
    const asked = async () => [
      ...(await suggestions.of('/r/rar', 8)),
      ...(await suggestions.of('site:self.r', 8)),
    ];
    const before = await asked();
    await engine.hide(1, 'post', { community: 'rarest' });
    await engine.hide(1, 'comment', { community: 'rarest' });
    assert.deepEqual(await asked(), [{ text: '/r/rare', hint: '1 record' }]);
    await engine.restore(1);
    assert.deepEqual(await asked(), before);
  });

  it('dates were asked of the figures of the whole index, and a cluster that hung held whoever typed one', async () => {
    await using engine = await embeddedEngine(posts, comments);
    engine.stats = () => new Promise(() => undefined);
    const [first] = await new Suggestions(engine, 10_000).of('after:', 8);
    assert.match(first!.text, /^after:\d{4}/);
  });

  it('names that are equally common come by name; dates of an empty index are not known', async () => {
    await using engine = await embeddedEngine(posts, comments);
    const suggestions = new Suggestions(engine, 10_000);
    const texts = (await suggestions.of('/r/c123', 3)).map(({ text }) => text);
    assert.deepEqual(texts, ['/r/c123', '/r/c1230', '/r/c1231']);
    await using empty = await embeddedEngine();
    assert.deepEqual(await new Suggestions(empty, 10_000).of('after:2', 8), []);
    assert.deepEqual(await new Suggestions(empty, 10_000).of('/r/b', 8), []);
    await empty.index('post', packRecords([linkPost({ id: 'a', community: 'beta', domain: 'a.org' })]));
    await empty.index('comment', packRecords([comment({ id: 'b', community: 'balm', body: '' })]));
    const both = (await new Suggestions(empty, 10_000).of('/r/b', 8)).map(({ text }) => text);
    assert.deepEqual(both, ['/r/balm', '/r/beta']);
  });

  it('the look-ups of the last 1,000 beginnings are kept, not more', async (t) => {
    await using engine = await embeddedEngine();
    const { mock: asking } = t.mock.method(engine, 'ask');
    const suggestions = new Suggestions(engine, 10_000);
    for (let i = 0; i <= 1_000; i++) await suggestions.of(`/r/x${i}`, 8);
    const before = asking.callCount();
    await suggestions.of('/r/x1', 8);
    assert.equal(asking.callCount(), before);
    await suggestions.of('/r/x0', 8);
    assert.equal(asking.callCount(), before + 2);
  });

  it('a look-up that takes too long is not tried again at each keystroke', async (t) => {
    await using engine = await embeddedEngine(posts, comments);
    const { mock: asking } = t.mock.method(engine, 'ask');
    const suggestions = new Suggestions(engine, 0);
    for (const typed of ['/r/', '/r/r', '/r/ra', '/r/rar']) {
      assert.deepEqual(await suggestions.of(typed, 8), []);
    }
    // Both kinds of the first, or none where already the state of the index took too long.
    assert.ok(asking.callCount() <= 2, `${asking.callCount()}`);
  });

  it('a look-up that several wait for is given up when the last of them has gone, and made anew for the next', async () => {
    await using engine = await embeddedEngine(posts, comments);
    const signals: AbortSignal[] = [];
    let isHeld = true;
    const holding = instead(engine, 'ask', (question: Question, signal: AbortSignal) => {
      if (!isHeld) return engine.ask(question, signal);
      signals.push(signal);
      return untilAborted(signal, () => new Promise<never>(() => {}));
    });
    const suggestions = new Suggestions(holding, 10_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [first, second].map(({ signal }) => suggestions.of('/r/rar', 8, signal));
    while (signals.length < 2) await macrotask();
    first.abort(new Error('the first has gone'));
    await assert.rejects(both[0]!, /the first has gone/);
    assert.ok(signals.every(({ aborted }) => !aborted));
    second.abort(new Error('the second has gone'));
    await assert.rejects(both[1]!, /the second has gone/);
    assert.equal(signals.length, 2);
    assert.ok(signals.every(({ aborted }) => aborted));
    isHeld = false;
    assert.equal((await suggestions.of('/r/rar', 8)).length, 2);
  });
});
