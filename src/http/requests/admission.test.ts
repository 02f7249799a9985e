import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it, mock } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import { Admission } from './admission.ts';

const clock = stopClock();

/** A door with a clock that is set by hand. Callers are named by the first letters of their requests: `a1`, `b1`. */
class Door {
  /** In the order in which they began. */
  readonly begun: string[] = [];
  readonly admission: Admission;
  readonly #places = new Map<string, Disposable>();

  constructor({ atOnce = 1, queueMs = Infinity }: { readonly atOnce?: number; readonly queueMs?: number }) {
    this.admission = new Admission({ atOnce, queueMs });
  }

  /** Resolves when it has begun. */
  async ask(name: string, { sort = 'x', signal = new AbortController().signal } = {}): Promise<void> {
    const place = await this.admission.enter({ caller: name[0]!, sort, signal });
    this.begun.push(name);
    this.#places.set(name, place);
  }

  /** Some milliseconds later it has its answer. */
  async end(name: string, tookMs = 0): Promise<void> {
    clock.ms += tookMs;
    this.#places.get(name)![Symbol.dispose]();
    await settled();
  }

  /** These ask one after the other, and none of them is waited for. */
  async come(...names: readonly string[]): Promise<void> {
    for (const name of names) void this.ask(name);
    await settled();
  }

  /** Of each caller the milliseconds. */
  async teachAll(took: Readonly<Record<string, number>>): Promise<void> {
    for (const [caller, tookMs] of Object.entries(took)) await this.teach(caller, tookMs);
  }

  /** So that it is known how long they take: `name` asks for `sort` alone, and ends after so many milliseconds. */
  async teach(caller: string, tookMs: number, sort = 'x'): Promise<void> {
    const name = `${caller}0`;
    await this.ask(name, { sort });
    await this.end(name, tookMs);
    this.begun.length = 0;
  }

  /** Ends whatever is at work, in the order in which it began, until nothing waits. */
  async run(took: (name: string) => number): Promise<readonly string[]> {
    for (let at = 0; at < this.begun.length; at++) await this.end(this.begun[at]!, took(this.begun[at]!));
    return this.begun;
  }
}

/** When all that can go on has done so. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

describe('requests that ask the engine', () => {
  it('of one caller who is alone take all places, and begin in the order in which they came', async () => {
    const door = new Door({ atOnce: 3 });
    await door.teach('a', 100);
    await door.come('a1', 'a2', 'a3', 'a4', 'a5');
    assert.deepEqual(door.begun, ['a1', 'a2', 'a3']);
    assert.deepEqual(await door.run(() => 100), ['a1', 'a2', 'a3', 'a4', 'a5']);
    assert.equal(door.admission.figures().atWork, 0);
  });

  it('of several callers take turns, whoever came with more', async () => {
    const door = new Door({});
    await door.teachAll({ a: 100, b: 100, c: 100 });
    await door.come('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
    assert.deepEqual(await door.run(() => 100), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('have equal shares of the work: of short ones more begin', async () => {
    const door = new Door({});
    const took = (name: string) => (name.startsWith('a') ? 300 : 100);
    await door.teachAll({ a: 300, b: 100 });
    await door.come('a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7');
    const order = (await door.run(took)).map((name) => name[0]).join('');
    // Once the first three of b have made up for a1, there are three for each of a.
    assert.equal(order, 'abbbbbabba');
  });

  it('that are short come before long ones of callers who came at the same time', async () => {
    const door = new Door({});
    await door.teachAll({ a: 100, b: 500, c: 90 });
    await door.come('a1', 'b1', 'c1');
    assert.deepEqual(await door.run(() => 100), ['a1', 'c1', 'b1']);
  });

  it('nobody saves up turns: who comes late does not go before all that wait', async () => {
    const door = new Door({});
    await door.teachAll({ a: 100, b: 100 });
    await door.come('a1', 'a2', 'a3', 'a4');
    for (const name of ['a1', 'a2']) await door.end(name, 100);
    await door.come('b1', 'b2', 'b3');
    for (const name of ['a3', 'b1', 'a4', 'b2', 'b3']) await door.end(name, 100);
    assert.deepEqual(door.begun, ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'b3']);
  });

  it('a short one does not wait for long ones of another caller: one place more is kept for it', async () => {
    const door = new Door({ atOnce: 2 });
    await door.teachAll({ a: 200, b: 10 });
    await door.come('a1', 'a2', 'a3', 'b1', 'b2');
    assert.deepEqual(door.begun, ['a1', 'a2', 'b1'], 'one of its callers at once, and none of long ones');
    await door.end('b1', 10);
    assert.deepEqual(door.begun, ['a1', 'a2', 'b1', 'b2']);
  });

  it('are refused at once where the wait would be too long, and told when to come again', async () => {
    const door = new Door({ atOnce: 2, queueMs: 1000 });
    await door.teach('a', 400);
    // Two at work are half done after 200 ms, and each two behind them take 400.
    const asked = Array.from({ length: 5 }, (_, i) => door.ask(`a${i + 1}`));
    await assert.rejects(door.ask('a6'), { code: 'busy', status: 503, retryAfter: 1 });
    const { letIn, waiting, refusedAtOnce, refusedLate } = door.admission.figures();
    assert.deepEqual([letIn, waiting, refusedAtOnce, refusedLate], [1 + 2, 3, 1, 0]);
    await door.run(() => 400);
    await Promise.all(asked);
  });

  it('of others are let in while one caller has filled its queue', async () => {
    const door = new Door({ queueMs: 1000 });
    await door.teachAll({ a: 200, b: 200 });
    const asked = Array.from({ length: 9 }, (_, i) => door.ask(`a${i + 1}`).catch(({ code }) => code));
    await settled();
    const full = door.admission.figures();
    assert.ok(full.refusedAtOnce > 0);
    void door.ask('b1');
    assert.deepEqual(door.admission.figures(), { ...full, waiting: full.waiting + 1, callersWaiting: 2 });
    await door.end('a1', 200);
    assert.deepEqual(door.begun, ['a1', 'b1']);
    await door.run(() => 200);
    await Promise.all(asked);
  });

  it('that wait twice as long as told are refused, and do not begin later', async () => {
    const door = new Door({ queueMs: 10 });
    await door.teach('a', 1);
    await door.ask('a1');
    await assert.rejects(door.ask('a2'), { code: 'busy' });
    await door.end('a1', 1000);
    const { refusedLate, atWork, waiting } = door.admission.figures();
    assert.deepEqual([door.begun, refusedLate, atWork, waiting], [['a1'], 1, 0, 0]);
  });

  for (const [length, tookMs, behind] of [
    ['long', 70, ['a2', 'a3']],
    ['short', 40, ['a2', 'a3', 'a4']],
  ] as const) {
    it(`${length} ones are refused at once from a shorter wait on where such waited in vain, until expectations are kept`, async () => {
      const door = new Door({ queueMs: 200 });
      await door.teach('a', tookMs);
      /** Of those behind one at work, of which the last is expected to wait 100 ms or 105: how many wait, in vain. */
      const waitInVain = async () => {
        const { refusedLate } = door.admission.figures();
        await door.ask('a1');
        await Promise.all(behind.map((name) => assert.rejects(door.ask(name), { code: 'busy' })));
        await door.end('a1', tookMs);
        return door.admission.figures().refusedLate - refusedLate;
      };
      assert.equal(await waitInVain(), behind.length);
      assert.equal(await waitInVain(), behind.length - 1);
      door.begun.length = 0;
      await door.ask('a1');
      const waiting = behind.slice(0, -1).map((name) => door.ask(name));
      for (let i = 0; i < 3_000; i++) door.admission.refusal({ caller: 'a', sort: 'x' });
      await door.run(() => tookMs);
      await Promise.all(waiting);
      assert.equal(await waitInVain(), behind.length);
    });
  }

  it('that have waited longer than expected go before shorter ones of others', async () => {
    for (const [waitMs, order] of [
      [500, ['b1', 'c1', 'a1']],
      [700, ['b1', 'a1', 'c1']],
    ] as const) {
      const door = new Door({ queueMs: 1_000 });
      await door.teachAll({ a: 300, b: 60, c: 60 });
      await door.ask('b1');
      const asked = [door.ask('a1')];
      clock.ms += waitMs;
      asked.push(door.ask('c1'));
      await settled();
      await door.end('b1');
      assert.deepEqual(await door.run(() => 60), order);
      await Promise.all(asked);
    }
  });

  it('that begin later than told are answered, and fewer are let in to wait after them', async () => {
    const door = new Door({ queueMs: 1_000 });
    // The second of two is expected to wait for half of it, which is all but the most that is let in.
    await door.teach('a', 1_150);
    await door.ask('a1');
    const waiting = door.ask('a2');
    await settled();
    await door.end('a1', 1_150);
    await waiting;
    await door.end('a2', 1_150);
    await door.ask('a3');
    await assert.rejects(door.ask('a4'), { code: 'busy' });
    await door.end('a3');
    assert.equal(door.admission.figures().refusedLate, 0);
  });

  it('whose callers have gone leave the queue, and nothing listens to them any more', async () => {
    const door = new Door({});
    const gone = new AbortController();
    const { signal } = gone;
    await door.teach('a', 100);
    await door.ask('a1', { signal });
    const asked = ['a2', 'a3'].map((name) => door.ask(name, { signal }));
    const other = door.ask('a4');
    const reason = new Error('gone');
    gone.abort(reason);
    for (const one of asked) await assert.rejects(one, (error) => error === reason);
    await assert.rejects(door.ask('a5', { signal }), (error) => error === reason);
    const { waiting, givenUp } = door.admission.figures();
    assert.deepEqual([waiting, givenUp, getEventListeners(signal, 'abort').length], [1, 2, 0]);
    await door.end('a1');
    await other;
    assert.deepEqual(door.begun, ['a1', 'a4']);
  });

  it('that were broken off tell nothing of how long such requests take', async () => {
    const door = new Door({ queueMs: 1000 });
    await door.teach('a', 900);
    const gone = new AbortController();
    for (let i = 0; i < 20; i++) {
      const one = new AbortController();
      await door.ask('a1', { signal: one.signal });
      one.abort(new Error('gone'));
      await door.end('a1', 1);
    }
    await door.ask('a2', { signal: gone.signal });
    void door.ask('a3');
    await assert.rejects(door.ask('a4'), { code: 'busy' });
    await door.run(() => 900);
  });

  it('one that is both aborted and let in has its place until it gives it back, once', async () => {
    const door = new Door({});
    const gone = new AbortController();
    await door.ask('a1');
    const second = door.ask('a2', { signal: gone.signal });
    const ended = door.end('a1');
    gone.abort(new Error('gone'));
    await Promise.all([second, ended]);
    assert.equal(door.admission.figures().atWork, 1);
    for (let i = 0; i < 2; i++) await door.end('a2');
    assert.equal(door.admission.figures().atWork, 0);
  });
});

/** Callers that ask alike: each `everyMs`, or, where that is null, again once it is answered or refused. */
interface Crowd {
  readonly callers: readonly string[];
  readonly everyMs: number | null;
  readonly tookMs: number;
  /** Absent: 0. */
  readonly fromMs?: number;
}

interface Fared {
  asked: number;
  refused: number;
  /** Milliseconds of work. */
  workMs: number;
  readonly waitsMs: number[];
}

/** How they fare within so many seconds by the clock of the test. */
async function crowded(crowds: readonly Crowd[], seconds: number): Promise<Fared[]> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    clock.ms = 0;
    const admission = new Admission({ atOnce: 2, queueMs: 500 });
    const { signal } = new AbortController();
    const due = new Map<number, (() => void)[]>();
    const after = (ms: number, work: () => void) => {
      const at = clock.ms + Math.max(1, Math.round(ms));
      due.set(at, [...(due.get(at) ?? []), work]);
    };
    const fared = crowds.map((): Fared => ({ asked: 0, refused: 0, workMs: 0, waitsMs: [] }));
    const ask = async ({ everyMs, tookMs }: Crowd, one: Fared, caller: string): Promise<void> => {
      if (everyMs !== null) after(everyMs, () => void ask({ everyMs, tookMs, callers: [] }, one, caller));
      const cameMs = clock.ms;
      one.asked++;
      const place = await admission.enter({ caller, sort: 'x', signal }).catch(() => null);
      const again = () => {
        if (everyMs === null) void ask({ everyMs, tookMs, callers: [] }, one, caller);
      };
      if (place === null) {
        one.refused++;
        after(15, again);
        return;
      }
      one.waitsMs.push(clock.ms - cameMs);
      after(tookMs, () => {
        place[Symbol.dispose]();
        one.workMs += tookMs;
        again();
      });
    };
    for (const [i, crowd] of crowds.entries()) {
      const { callers, everyMs, fromMs = 0 } = crowd;
      const betweenMs = (everyMs ?? 100) / callers.length;
      for (const [at, caller] of callers.entries())
        after(fromMs + at * betweenMs, () => void ask(crowd, fared[i]!, caller));
    }
    for (; clock.ms < seconds * 1000; clock.ms++) {
      mock.timers.tick(1);
      const works = due.get(clock.ms);
      if (works === undefined) continue;
      due.delete(clock.ms);
      for (const work of works) work();
      await settled();
    }
    return fared;
  } finally {
    mock.timers.reset();
  }
}

const names = (kind: 'account' | 'network', count: number) =>
  Array.from({ length: count }, (_, i) => `${kind}:${i}`);

describe('somebody who asks little', () => {
  for (const [count, longMs] of [
    [8, 300],
    [16, 300],
    [32, 300],
    [32, 40],
  ] as const) {
    it(`is let in beside ${count} accounts with a request of ${longMs} ms each`, async () => {
      const light = { callers: ['account:light'], everyMs: 50, tookMs: 8 };
      const long = { callers: names('account', count), everyMs: null, tookMs: longMs, fromMs: 500 };
      const [one] = await crowded([light, long], 15);
      assert.ok(one!.refused <= one!.asked / 50, `${one!.refused} of ${one!.asked} refused`);
      const waited = one!.waitsMs.filter((ms) => ms > 2 * light.tookMs).length;
      assert.ok(waited <= one!.asked / 20, `${waited} of ${one!.asked} waited long`);
    });
  }
});

describe('accounts and visitors', () => {
  const visitors = { callers: names('network', 356), everyMs: 1_000, tookMs: 12 };
  for (const [everyMs, least] of [
    [30, 0.48],
    [200, 0.99],
  ] as const) {
    it(`accounts have half of the work beside many networks, each ${everyMs} ms`, async () => {
      const accounts = { callers: names('account', 10), everyMs, tookMs: 12 };
      const [api, pages] = await crowded([accounts, visitors], 12);
      const wanted = Math.min(api!.workMs + pages!.workMs, api!.asked * accounts.tookMs);
      assert.ok(api!.workMs >= least * wanted, `${api!.workMs} of ${wanted} ms`);
      assert.ok(api!.workMs + pages!.workMs > 2 * 12_000 * 0.95, 'and what they leave is the visitors’');
    });
  }
});
