// Servers with exports on a port, callers that read to the end or see that there is none, and engines whose exports
// stop where a test wants them to.

import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { ExportBlock, ExportRun } from '../../src/model/export.ts';

export interface Exported {
  readonly status: number;
  /** Lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Lower case; empty where the answer has no end. */
  readonly trailers: Readonly<Record<string, string | undefined>>;
  /** Whether the answer has an end. */
  readonly isWhole: boolean;
}

export interface ExportCall {
  readonly key: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the head; the caller may then destroy the connection. */
  readonly onHead?: (destroy: () => void) => void;
}

export async function listen(server: FastifyInstance, host = '127.0.0.1'): Promise<number> {
  await server.listen({ port: 0, host });
  return (server.server.address() as AddressInfo).port;
}

/** `what`: `posts?query=…`. Rejects where no answer begins. */
export function exported(port: number, what: string, call: ExportCall): Promise<Exported> {
  return new Promise((resolve, reject) => {
    const { key, method = 'GET', headers = {}, onHead } = call;
    const sent = request(
      {
        ...{ port, host: '127.0.0.1', agent: false, method, path: `/api/v1/export/${what}` },
        headers: { ...headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      },
      (response) => {
        const pieces: Buffer[] = [];
        const end = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
            trailers: response.trailers,
            isWhole: response.complete,
          });
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', end);
        response.on('error', end);
        onHead?.(() => sent.destroy());
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** An export under way, as a test sees it. */
export interface WatchedExport {
  readonly run: ExportRun;
  readonly signal: AbortSignal | undefined;
  /** Whether its last block was asked for. */
  readonly isThrough: () => boolean;
  /** Resolves when it has been disposed of. */
  readonly disposed: Promise<void>;
}

export interface ExportWatch {
  /** Every export of the engine so far, in order. */
  readonly exports: readonly WatchedExport[];
  /** Resolves with the export that begins next. */
  next(): Promise<WatchedExport>;
}

/**
 * Watches the exports of an engine. `between` is awaited behind each block, with its number from 0: it may wait, or
 * throw.
 */
export function watchExports(
  engine: SearchEngine,
  between: (block: number, signal: AbortSignal | undefined) => Promise<void> = async () => undefined,
): ExportWatch {
  const original = engine.export.bind(engine);
  const exports: WatchedExport[] = [];
  const waiting: ((found: WatchedExport) => void)[] = [];
  engine.export = async (given, signal) => {
    const run = await original(given, signal);
    const { promise: disposed, resolve } = Promise.withResolvers<void>();
    let isThrough = false;
    const found: WatchedExport = { run, signal, isThrough: () => isThrough, disposed };
    exports.push(found);
    waiting.shift()?.(found);
    return {
      head: run.head,
      fingerprints: () => run.fingerprints(),
      blocks: stepwise(run.blocks, (number, block) => {
        isThrough = block.report !== undefined;
        return between(number, signal);
      }),
      async [Symbol.asyncDispose]() {
        await run[Symbol.asyncDispose]();
        resolve();
      },
    };
  };
  return { exports, next: () => new Promise((resolve) => waiting.push(resolve)) };
}

async function* stepwise(
  blocks: AsyncIterable<ExportBlock>,
  between: (number: number, block: ExportBlock) => Promise<void>,
): AsyncGenerator<ExportBlock> {
  let number = 0;
  for await (const block of blocks) {
    yield block;
    await between(number++, block);
  }
}

/** Rejects with the reason of the signal; never resolves. */
export function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () => reject(signal?.reason as Error);
    if (signal?.aborted) refuse();
    else signal?.addEventListener('abort', refuse, { once: true });
  });
}
