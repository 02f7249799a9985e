// Which coding of column-codec.ts takes least for the numbers of a chunk.

/** Bytes of a number. */
export type Width = 0 | 1 | 2 | 4;

export interface Coding {
  /** Differences are to the number before, not to the base. */
  readonly isAscending: boolean;
  readonly width: Width;
  /** Modulo 2^32. */
  readonly base: number;
  /** How many numbers do not fit into the width. */
  readonly exceptions: number;
}

const NARROW: readonly Width[] = [0, 1, 2];
/** A value and its place. */
const EXCEPTION_BYTES = 6;
/** So many numbers, spread evenly, tell where most of them lie (Zukowski et al. sample as well). */
const SAMPLE = 4_096;

/** `numbers`: those of one chunk, at least one. */
export function codingOf(numbers: Uint32Array | Int32Array): Coding {
  const codings: Coding[] = [...plainCodings(numbers), ...ascendingCodings(numbers)];
  let best: Coding = { isAscending: false, width: 4, base: 0, exceptions: 0 };
  for (const coding of codings) if (bytesOf(numbers, coding) < bytesOf(numbers, best)) best = coding;
  return best;
}

function bytesOf({ length }: ArrayLike<number>, { width, exceptions }: Coding): number {
  return length * width + exceptions * EXCEPTION_BYTES;
}

function plainCodings(numbers: Uint32Array | Int32Array): Coding[] {
  let [least, greatest] = [numbers[0]!, numbers[0]!];
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i]! < least) least = numbers[i]!;
    else if (numbers[i]! > greatest) greatest = numbers[i]!;
  }
  const sample = sampleOf(numbers).sort();
  return NARROW.map((width) => {
    const most = 2 ** (8 * width) - 1;
    if (greatest - least <= most) return { isAscending: false, width, base: least >>> 0, exceptions: 0 };
    const base = commonestFrom(sample, most);
    let exceptions = 0;
    for (let i = 0; i < numbers.length; i++) if ((numbers[i]! - base) >>> 0 > most) exceptions++;
    return { isAscending: false, width, base: base >>> 0, exceptions };
  }).filter(hasPlaces);
}

/** Itself, if it is small. */
function sampleOf(numbers: Uint32Array | Int32Array): Uint32Array | Int32Array {
  const step = Math.ceil(numbers.length / SAMPLE);
  const sample = numbers.slice(0, Math.ceil(numbers.length / step));
  for (let i = 0; i < sample.length; i++) sample[i] = numbers[i * step]!;
  return sample;
}

/** Of the sorted numbers: from which on a range up to `most` above contains the most of them. */
function commonestFrom(sorted: Uint32Array | Int32Array, most: number): number {
  let best = 0;
  let base = sorted[0]!;
  for (let from = 0, to = 0; to < sorted.length; from++) {
    while (to < sorted.length && sorted[to]! - sorted[from]! <= most) to++;
    if (to - from > best) {
      best = to - from;
      base = sorted[from]!;
    }
  }
  return base;
}

/** None if the numbers go down somewhere. */
function ascendingCodings(numbers: Uint32Array | Int32Array): Coding[] {
  const exceptions = [0, 0, 0];
  for (let i = 1; i < numbers.length; i++) {
    const difference = numbers[i]! - numbers[i - 1]!;
    if (difference < 0) return [];
    if (difference === 0) continue;
    exceptions[0]!++;
    if (difference <= 0xff) continue;
    exceptions[1]!++;
    if (difference > 0xffff) exceptions[2]!++;
  }
  const base = numbers[0]! >>> 0;
  return NARROW.map((width) => ({ isAscending: true, width, base, exceptions: exceptions[width]! })).filter(
    hasPlaces,
  );
}

/** Their number is written in 16 bits. */
function hasPlaces({ exceptions }: Coding): boolean {
  return exceptions <= 0xffff;
}
