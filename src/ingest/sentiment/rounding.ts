// Rounding to 4 decimals as Python's `round(x, 4)` does: to the nearest by the exact binary value, ties to even.

/** For −1 to 1. Never −0. */
export function roundTo4(value: number): number {
  const scaled = value * 10_000;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  // The product is off by less than 1e-12: only close to one half must the exact value be asked.
  const up = Math.abs(rest - 0.5) > 1e-9 ? rest > 0.5 : roundsUp(value, below);
  return (up ? below + 1 : below) / 10_000 + 0;
}

/** Whether `value`, about (below + ½) / 10,000, lies nearer to the number above, or as near and that one is even. */
function roundsUp(value: number, below: number): boolean {
  // toFixed prints the exact value: a double between −1 and 1 that is close to such a half has at most 70 decimals.
  const exact = BigInt(value.toFixed(70).replace('.', ''));
  const half = (2n * BigInt(below) + 1n) * 5n * 10n ** 65n;
  return exact === half ? below % 2 !== 0 : exact > half;
}
