// Sums modulo 2^64, as two halves: whole numbers of JavaScript end at 2^53.

import type { Hash64 } from './murmur-hash.ts';

/** A sum under way; 0 at first. Neither the order nor the grouping of what is added changes it. */
export class Sum64 {
  #high = 0;
  #low = 0;

  add({ high, low }: Hash64): void {
    const sum = this.#low + low;
    this.#low = sum >>> 0;
    this.#high = (this.#high + high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
  }

  subtract({ high, low }: Hash64): void {
    const difference = this.#low - low;
    this.#low = difference >>> 0;
    this.#high = (this.#high - high - (difference < 0 ? 1 : 0)) >>> 0;
  }

  value(): Hash64 {
    return { high: this.#high, low: this.#low };
  }
}

/** Whether two are the same. */
export function equal64(a: Hash64, b: Hash64): boolean {
  return a.high === b.high && a.low === b.low;
}

/** 16 lower-case hex digits. */
export function hex64({ high, low }: Hash64): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** What `hex64` wrote; null if it is no such text. */
export function parseHex64(text: string): Hash64 | null {
  if (!/^[0-9a-f]{16}$/.test(text)) return null;
  return { high: Number.parseInt(text.slice(0, 8), 16), low: Number.parseInt(text.slice(8), 16) };
}
