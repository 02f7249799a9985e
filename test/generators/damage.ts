// Bytes that something has happened to: changed, taken out, doubled, put in, cut off.

import fc from 'fast-check';

export interface Damage {
  /** Where, modulo the length. */
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'double' | 'insert' | 'cut';
  readonly bytes: Uint8Array;
}

/** Damage at one of the first `reach` bytes; `signs` are put in as often as random bytes are. */
export function damageArbitrary(reach: number, signs: readonly Uint8Array[]): fc.Arbitrary<Damage> {
  return fc.record({
    at: fc.nat(reach),
    how: fc.constantFrom('replace', 'remove', 'double', 'insert', 'cut'),
    bytes: fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.constantFrom(...signs)),
  });
}

export function damaged(bytes: Buffer, { at: place, how, bytes: other }: Damage): Buffer {
  const at = place % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (how) {
    case 'replace':
      return Buffer.concat([before, other, after.subarray(other.length)]);
    case 'remove':
      return Buffer.concat([before, after.subarray(other.length)]);
    case 'double':
      return Buffer.concat([before, after, after]);
    case 'cut':
      return before;
    case 'insert':
      return Buffer.concat([before, other, after]);
  }
}
