// A 53-bit hash for texts and records, to tell copies apart, not to withstand an attacker.

/**
 * 53 bits of a text as a whole number, 0 to 2^53 − 1; the same on every machine.
 * Two multiplicative hashes side by side, mixed at the end with MurmurHash3's finaliser
 * (Appleby, https://github.com/aappleby/smhasher, public domain).
 */
export function hash53(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 13;
    high = Math.imul(high ^ unit, 0xc2b2ae35);
    high ^= high >>> 15;
  }
  low = finalise(low ^ (high >>> 7));
  high = finalise(high ^ low);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

function finalise(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
