// A key of up to twelve small letters and digits as two numbers in base 40, six bytes in each; of another key, the
// beginning.

/** 40^6 is below 2^32. */
export const CODE_BASE = 40;
/** Bytes that each of the two numbers stands for. */
export const CODE_UNITS = 6;

/** Some byte before the digits. */
const BEFORE_DIGITS = 1;
/** Some byte between the digits and the small letters. */
const BEFORE_LETTERS = 12;
/** Some byte behind the small letters. */
const BEHIND_LETTERS = 39;

/** By byte: its code, 1 to 39, never descending; each digit and small letter has a code of its own. */
export const CODES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x30) return BEFORE_DIGITS;
  if (byte <= 0x39) return 2 + byte - 0x30;
  if (byte < 0x61) return BEFORE_LETTERS;
  return byte <= 0x7a ? 13 + byte - 0x61 : BEHIND_LETTERS;
});

/** By how many bytes there are, 1 to 6: the factor that pads a number with zeros. */
export const FILL: Int32Array = Int32Array.from(
  { length: CODE_UNITS + 1 },
  (_, bytes) => CODE_BASE ** (CODE_UNITS - bytes),
);

/** Writes the bytes of a key that fits into its codes, unsigned, to the beginning of `into`; returns how many. */
export function writeCodes(first: number, second: number, into: Uint8Array): number {
  const length = writeSix(first, into, 0);
  return second === 0 ? length : writeSix(second, into, length);
}

function writeSix(number: number, into: Uint8Array, at: number): number {
  let scale = CODE_BASE ** (CODE_UNITS - 1);
  let length = at;
  for (let rest = number; rest > 0; scale /= CODE_BASE) {
    const code = Math.floor(rest / scale);
    into[length++] = BYTES[code]!;
    rest -= code * scale;
  }
  return length;
}

/** By code: its byte, if only one byte has this code. */
const BYTES = Uint8Array.from({ length: CODE_BASE }, (_, code) => CODES.indexOf(code));

function isShared(code: number): boolean {
  return code === BEFORE_DIGITS || code === BEFORE_LETTERS || code === BEHIND_LETTERS;
}

/** Mixes both codes, after MurmurHash3's finaliser: the highest bits are mixed best. */
export function mixedCodes(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
}

export class KeyCodes {
  /** The codes of the first six bytes and of the next six, as signed 32 bits; unsigned, they ascend with the keys. */
  first = 0;
  second = 0;
  /** True if the two numbers determine the whole key. */
  isWhole = false;

  /** Reads the bytes from `start` to `end`. After a byte with a shared code, all count as zero. */
  read(bytes: Uint8Array, start: number, end: number): void {
    const codes = Math.min(end - start, 2 * CODE_UNITS);
    let first = 0;
    let second = 0;
    let i = 0;
    this.isWhole = end - start === codes;
    while (i < codes) {
      const code = CODES[bytes[start + i]!]!;
      if (i < CODE_UNITS) first = (Math.imul(first, CODE_BASE) + code) | 0;
      else second = (Math.imul(second, CODE_BASE) + code) | 0;
      i++;
      if (!isShared(code)) continue;
      this.isWhole = false;
      break;
    }
    this.first = Math.imul(first, FILL[Math.min(i, CODE_UNITS)]!);
    this.second = i > CODE_UNITS ? Math.imul(second, FILL[i - CODE_UNITS]!) : 0;
  }
}
