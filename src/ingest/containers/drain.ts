// Everything that a stream produces, up to the error that ends it.

import type { Readable } from 'node:stream';

/** Number of waiting chunks at which the stream is paused. */
const WAITING = 4;

/**
 * The chunks of `stream`; throws its error after the last of them. (A stream's own async iteration drops chunks that
 * came before an error but had not been fetched yet: in a damaged dump, the last complete records.)
 */
export async function* drain(stream: Readable): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let failure: unknown = null;
  let isEnded = false;
  let wake = () => {};
  const end = (error?: unknown) => {
    failure ??= error ?? null;
    isEnded = true;
    wake();
  };
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    if (waiting.length >= WAITING) stream.pause();
    wake();
  });
  stream
    .on('end', () => end())
    .on('error', end)
    .on('close', () => end());
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        yield chunk;
        if (waiting.length === 0) stream.resume();
      } else if (isEnded) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (failure !== null) throw failure;
  } finally {
    stream.destroy();
  }
}
