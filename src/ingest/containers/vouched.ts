// Returns unpacked bytes only after a checksum has confirmed them, or after everything was read without an error.

import { BrokenSource } from './byte-source.ts';

/** Unconfirmed bytes that are held. A longer stretch is unpacked twice: to check it, then to read it. */
const HELD_BYTES = 64 * 1024 * 1024;
/**
 * Content that reaches this size and is many times larger than its source is not checked to its end: deflate manages
 * 1,032 times.
 */
const TRAP_BYTES = 1024 * 1024 * 1024;
const TRAP_RATIO = 2000;

interface Reading {
  readonly bytes: AsyncIterable<Buffer>;
  /** The number of bytes read so far that checksums have confirmed. */
  vouched(): number;
  packed(): number;
}

export interface Checking {
  readonly isStopped: () => boolean;
  /** Called for every chunk that will be read once more: what is large is checked before its first bytes come. */
  readonly onChecked: () => void;
}

/**
 * The bytes of the first reading; `again` opens them a second time. If the source is damaged, throws a BrokenSource
 * after the confirmed bytes. Checking takes long, and ends with a BrokenSource too when `isStopped` returns true.
 */
export async function* vouchedBytes(
  { bytes, vouched, packed }: Reading,
  again: () => Promise<AsyncIterable<Buffer>>,
  { isStopped, onChecked }: Checking,
): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let read = 0;
  let given = 0;
  let isHeld = true;
  let failure: BrokenSource | null = null;
  try {
    for await (const chunk of bytes) {
      if (isStopped()) throw new BrokenSource('stopped');
      read += chunk.length;
      if (read > Math.max(TRAP_BYTES, TRAP_RATIO * packed())) {
        throw new BrokenSource('it unpacks to more than 1 GiB, over 2,000 times its own size');
      }
      if (isHeld) held.push(chunk);
      else onChecked();
      for (; held.length > 0 && given + held[0]!.length <= vouched(); given += held.shift()!.length) {
        yield held[0]!;
      }
      if (isHeld && read - given > HELD_BYTES) {
        isHeld = false;
        held.length = 0;
      }
    }
  } catch (error) {
    if (!(error instanceof BrokenSource)) throw error;
    failure = error;
  }
  const good = failure === null ? read : vouched();
  if (given < good) yield* between(isHeld ? held : await again(), isHeld ? 0 : given, good - given);
  if (failure !== null) throw told(failure, good);
}

/** `length` bytes after the first `from`. */
async function* between(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  from: number,
  length: number,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, from + length - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at >= from + length) return;
  }
}

function told({ message, cause }: BrokenSource, good: number): BrokenSource {
  const taken =
    good === 0
      ? 'its texts may be wrong, so none is taken'
      : 'texts behind what its checksums vouch for may be wrong, so none of them is taken';
  return new BrokenSource(`${message}; ${taken}: get an intact copy and run the command again`, { cause });
}
