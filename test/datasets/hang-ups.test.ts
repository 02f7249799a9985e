// Callers of files that close the connection before they have them: no file stays open.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { type DatasetShelf, shelfOf } from '../../src/features/export/datasets/shelf.ts';
import type { ServedFile } from '../../src/operation/operation.ts';
import { keyWish } from '../account-fixtures.ts';
import { listen } from '../api/export-client.ts';
import { serverOver } from '../archive.ts';
import { comment } from '../helpers.ts';
import { define, House, make } from './house.ts';

/** More than Node's bound for the listeners of one event: it warns of a leak there. */
const QUEUED = 12;

describe('a download whose caller has gone left its file open, and the process died of that', () => {
  let server: FastifyInstance;
  let port: number;
  let key: string;
  let files: WatchedFiles;

  new House(async (app) => {
    // Too many bytes for the buffers of a connection, also when they are compressed.
    const long = Array.from({ length: 8 }, (_, i) =>
      comment({ id: `l${i}`, body: `long ${randomBytes(675_000).toString('base64')}` }),
    );
    await app.engine.index('comment', packRecords(long));
    define(app, { name: 'long', query: 'long', kinds: ['comment'], formats: ['ndjson.zst'] });
    await make(app, 'long');
    key = app.accounts.createKey(keyWish()).key;
    files = new WatchedFiles(shelfOf(app));
    server = await serverOver(app);
    port = await listen(server);
  });
  after(() => server.close());

  /** Sends so many requests at once, and reads nothing. */
  async function send(requests: number): Promise<{ readonly caller: Socket; readonly atServer: Socket }> {
    const caller = connect(port, '127.0.0.1');
    caller.pause();
    const [atServer] = (await once(server.server, 'connection')) as [Socket];
    const path = '/api/v1/datasets/long/long-comments.ndjson.zst';
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    caller.write(request.repeat(requests));
    return { caller, atServer };
  }

  async function reset({ caller, atServer }: Awaited<ReturnType<typeof send>>): Promise<void> {
    // Not by `once`, which rejects with the error of the reset.
    const closed = new Promise<void>((resolve) => atServer.once('close', () => resolve()));
    caller.resetAndDestroy();
    await closed;
  }

  it('behind other downloads of its connection', { timeout: 60_000 }, async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const connection = await send(QUEUED);
    await files.untilOpen(QUEUED);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    await reset(connection);
    await files.untilOpen(0);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });

  it('while it was being opened', { timeout: 60_000 }, async () => {
    const gate = Promise.withResolvers<void>();
    files.gate = gate.promise;
    const connection = await send(2);
    await files.untilOpen(2);
    await reset(connection);
    gate.resolve();
    await files.untilOpen(0);
  });
});

/** Counts the files that a shelf has open. */
class WatchedFiles {
  readonly #files: { isOpen: boolean }[] = [];
  /** Files are given out once it is resolved. */
  gate: Promise<void> = Promise.resolve();

  constructor(shelf: DatasetShelf) {
    const open = shelf.open.bind(shelf);
    shelf.open = async (name, fileName) => await this.#watched(await open(name, fileName));
  }

  async #watched(file: ServedFile): Promise<ServedFile> {
    const watched = { isOpen: true };
    this.#files.push(watched);
    await this.gate;
    return {
      ...file,
      [Symbol.asyncDispose]: async () => {
        await file[Symbol.asyncDispose]();
        watched.isOpen = false;
      },
    };
  }

  async untilOpen(count: number): Promise<void> {
    while (this.#open() !== count) await sleep(5);
  }

  #open(): number {
    return this.#files.filter(({ isOpen }) => isOpen).length;
  }
}
