// VADER's rule for "but": what stands before the first one counts half, what follows it half as much again.
// The reference finds the word to change by its value, not by its place; this does the same, and in n log n.

/**
 * `valences` and `places` are those of the words with a valence other than 0, in the order of the text; `but` is the
 * place of the first "but". Changes `valences`. In turn for each word, the first word that has the same valence at that
 * moment is changed: it may be an earlier one that was changed to it before (its place then decides the factor).
 */
export function weighAroundBut(valences: number[], places: readonly number[], but: number): void {
  const earlier = new Map<number, MinHeap>();
  for (let turn = 0; turn < valences.length; turn++) {
    const valence = valences[turn]!;
    put(earlier, valence, turn);
    const found = earlier.get(valence)!.pop();
    const weighed = valence * (places[found]! < but ? 0.5 : 1.5);
    valences[found] = weighed;
    put(earlier, weighed, found);
  }
}

function put(heaps: Map<number, MinHeap>, valence: number, turn: number): void {
  let heap = heaps.get(valence);
  if (heap === undefined) {
    heap = new MinHeap();
    heaps.set(valence, heap);
  }
  heap.push(turn);
}

/** A binary heap of numbers, the least first (Williams 1964, CACM 7(6), algorithm 232). */
class MinHeap {
  readonly #items: number[] = [];

  push(item: number): void {
    const items = this.#items;
    let child = items.length;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (items[parent]! <= item) break;
      items[child] = items[parent]!;
      child = parent;
    }
    items[child] = item;
  }

  /** The heap must not be empty. */
  pop(): number {
    const items = this.#items;
    const least = items[0]!;
    const last = items.pop()!;
    if (items.length === 0) return least;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (child >= items.length || items[child]! >= last) break;
      items[parent] = items[child]!;
      parent = child;
    }
    items[parent] = last;
    return least;
  }
}
