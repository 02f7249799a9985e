// Which of many numbers stand at least twice. They are divided by their highest bits first, so that the table of a part
// stays in the processor's cache (radix partitioning: Manegold, Boncz and Kersten, "Optimizing main-memory join on
// modern hardware", IEEE TKDE 14, 2002).

const PART_BITS = 8;
const PARTS = 2 ** PART_BITS;

export interface Alikes {
  /** By place of a number: which of the values that stand at least twice it has; −1: it stands alone. */
  readonly of: Int32Array;
  /** By value: how often it stands. */
  readonly counts: readonly number[];
}

/** `numbers` have 32 bits, and their bits are evenly spread. */
export function alikesAmong(numbers: Uint32Array): Alikes {
  const { starts, places, divided } = partsOf(numbers);
  const of = new Int32Array(numbers.length).fill(-1);
  const counts: number[] = [];
  let slots = new Uint32Array(0);
  for (let part = 0; part < PARTS; part++) {
    const [from, to] = [starts[part]!, starts[part + 1]!];
    const size = 2 ** Math.ceil(Math.log2((to - from) * 2 + 1));
    if (slots.length < size) slots = new Uint32Array(size);
    // A place among the divided numbers + 1; 0: free. At most half are taken.
    const table = slots.subarray(0, size).fill(0);
    const mask = size - 1;
    for (let i = from; i < to; i++) {
      const number = divided[i]!;
      let slot = number & mask;
      while (table[slot] !== 0 && divided[table[slot]! - 1] !== number) slot = (slot + 1) & mask;
      const known = table[slot]!;
      if (known === 0) table[slot] = i + 1;
      else {
        const first = places[known - 1]!;
        if (of[first] === -1) {
          of[first] = counts.length;
          counts.push(1);
        }
        const value = of[first]!;
        of[places[i]!] = value;
        counts[value]!++;
      }
    }
  }
  return { of, counts };
}

/** The numbers by their highest bits, with the place of each, and where each part begins. */
function partsOf(numbers: Uint32Array) {
  const starts = new Uint32Array(PARTS + 1);
  for (let i = 0; i < numbers.length; i++) starts[(numbers[i]! >>> (32 - PART_BITS)) + 1]!++;
  for (let part = 0; part < PARTS; part++) starts[part + 1]! += starts[part]!;
  const ends = starts.slice();
  const places = new Uint32Array(numbers.length);
  const divided = new Uint32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const at = ends[numbers[i]! >>> (32 - PART_BITS)]!++;
    places[at] = i;
    divided[at] = numbers[i]!;
  }
  return { starts, places, divided };
}
