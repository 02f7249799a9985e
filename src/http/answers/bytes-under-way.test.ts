import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { callerName } from '../requests/caller.ts';
import { BytesUnderWay, COPIES_WHILE_MADE, nowTakes } from './bytes-under-way.ts';

const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
/** Each of a caller of its own. */
const of = (mostBytes: number, account = callers++) => ({
  caller: callerName({ accountId: account }),
  mostBytes,
});
let callers = 0;
const open = (waitMs = 60_000) => new BytesUnderWay({ maxBytes: 12 * COPIES_WHILE_MADE, waitMs });

describe('bytes under way', () => {
  it('an answer holds what it may take until it is made, then what it takes, then nothing', async () => {
    const bytes = open();
    const one = answer();
    await bytes.hold(one, of(8));
    assert.equal(bytes.figures().bytes, 8 * COPIES_WHILE_MADE);
    nowTakes(one, 5);
    assert.equal(bytes.figures().bytes, 5);
    nowTakes(one, 70);
    assert.equal(bytes.figures().bytes, 70);
    one.emit('close');
    nowTakes(one, 5);
    assert.equal(bytes.figures().bytes, 0);
  });

  it('what finds no room waits, first come, first served', async () => {
    const bytes = open();
    const [first, second, third] = [answer(), answer(), answer()];
    await bytes.hold(first, of(8));
    const entered: string[] = [];
    const waiting = [
      bytes.hold(second, of(8)).then(() => entered.push('second')),
      // It would fit, but others came before it.
      bytes.hold(third, of(4)).then(() => entered.push('third')),
    ];
    assert.equal(bytes.figures().waiting, 2);
    first.emit('close');
    await Promise.all(waiting);
    assert.deepEqual(entered, ['second', 'third']);
    assert.deepEqual(bytes.figures(), { bytes: 36, maxBytes: 36, waiting: 0, refused: 0 });
  });

  it('what waits too long is busy, and those behind it are looked at', async () => {
    const bytes = open(1);
    const first = answer();
    await bytes.hold(first, of(8));
    const behind = Promise.withResolvers<void>();
    const refused = bytes.hold(answer(), of(8));
    const small = bytes.hold(answer(), of(4)).then(behind.resolve, behind.resolve);
    await assert.rejects(refused, { code: 'busy', status: 503, retryAfter: 1 });
    await small;
    assert.equal(bytes.figures().waiting, 0);
    assert.ok(bytes.figures().refused >= 1);
  });

  it('a caller who goes leaves the queue', async () => {
    const bytes = open();
    await bytes.hold(answer(), of(8));
    const gone = new AbortController();
    const waiting = bytes.hold(answer(), of(8), gone.signal);
    const reason = new Error('gone');
    gone.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
    assert.deepEqual(bytes.figures(), { bytes: 24, maxBytes: 36, waiting: 0, refused: 0 });
  });

  it('one that is larger than all the room gets all of it, alone', async () => {
    const bytes = open();
    const large = answer();
    await bytes.hold(large, of(1_000));
    assert.equal(bytes.figures().bytes, 36);
    const next = bytes.hold(answer(), of(1));
    assert.equal(bytes.figures().waiting, 1);
    large.emit('close');
    await next;
    assert.equal(bytes.figures().bytes, COPIES_WHILE_MADE);
  });

  it('a caller has half of the room at the most, and others pass those of it that wait', async () => {
    const bytes = open();
    const first = answer();
    await bytes.hold(first, of(5, -1));
    const entered: string[] = [];
    const waiting = bytes.hold(answer(), of(2, -1)).then(() => entered.push('slow'));
    await bytes.hold(answer(), of(7, -2)).then(() => entered.push('other'));
    first.emit('close');
    await waiting;
    assert.deepEqual(entered, ['other', 'slow']);
  });

  it('one whose connection closed while it waited holds nothing', async () => {
    const bytes = open();
    const first = answer();
    await bytes.hold(first, of(12));
    const second = answer();
    const waiting = bytes.hold(second, of(12));
    second.destroy();
    await new Promise(setImmediate);
    first.emit('close');
    await waiting;
    assert.equal(bytes.figures().bytes, 0);
  });
});
