// A Bloom filter over the ids of a segment: most ids of an import are new, and this says so without a look into the
// dictionary. Ten bits a record and seven probes let 0.8 % through (Bloom 1970; two hashes make all probes, Kirsch and
// Mitzenmacher, "Less Hashing, Same Performance", 2006).

const BITS_PER_ID = 10;
const PROBES = 7;

/** An empty filter for so many ids. */
export function makeBloom(ids: number): Uint32Array {
  return new Uint32Array(Math.max(1, Math.ceil((ids * BITS_PER_ID) / 32)));
}

export function addToBloom(bloom: Uint32Array, id: string): void {
  const bits = bloom.length * 32;
  const first = hash(id, 0x811c9dc5);
  const step = hash(id, 0x9e3779b9) | 1;
  for (let i = 0, at = first; i < PROBES; i++, at = (at + step) >>> 0) {
    const bit = at % bits;
    bloom[bit >>> 5]! |= 1 << (bit & 31);
  }
}

/** False: the id was never added. */
export function mayHold(bloom: Uint32Array, id: string): boolean {
  const bits = bloom.length * 32;
  const first = hash(id, 0x811c9dc5);
  const step = hash(id, 0x9e3779b9) | 1;
  for (let i = 0, at = first; i < PROBES; i++, at = (at + step) >>> 0) {
    const bit = at % bits;
    if (((bloom[bit >>> 5]! >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

/** FNV-1a from a given start, with MurmurHash3's finaliser. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
