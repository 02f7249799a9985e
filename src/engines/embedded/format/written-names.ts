// Names as a segment has them (segment-columns.ts): strings in JSON. Each has one way to be written, so that names are
// equal where their bytes are, and most of them are compared and numbered without being made.

import { Buffer } from 'node:buffer';

export const QUOTE = 0x22;
const ESCAPE = 0x5c;

let starts = new Uint32Array(1 << 10);

/** Where each string in these bytes of JSON begins, behind its quote, in their order; valid until the next call. */
export function stringStarts(bytes: Uint8Array): Uint32Array {
  let found = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (found === starts.length) starts = grown(starts);
    starts[found++] = at + 1;
    at = stringEnd(bytes, at + 1);
  }
  return starts.subarray(0, found);
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

/** Where the string that begins here ends: at its quote. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) at += byte === ESCAPE ? 2 : 1;
  return at;
}

/** The name that begins there. */
export function nameAt(bytes: Uint8Array, start: number): string {
  const { buffer, byteOffset } = bytes;
  const length = stringEnd(bytes, start) + 1 - start;
  return JSON.parse(Buffer.from(buffer, byteOffset + start - 1, length + 1).toString()) as string;
}

/** As it is written, with the quote behind it. */
export function writtenName(name: string): Uint8Array {
  return Buffer.from(JSON.stringify(name)).subarray(1);
}
