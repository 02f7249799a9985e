// The chains of a record (chains.ts) as codes, found the plain way; `check` compares what is stored with it.

import { BETWEEN, codeOf, FIRST_LEAD, LEVELS, numberAt, ownCode, tokenHash, UNKNOWN } from './chain-codes.ts';
import { MIN_CHAIN } from './chains.ts';
import { isPair, tokenClass } from './pairs.ts';

/** `texts`: the tokens of each searched text, in order. */
export function recordChains(texts: readonly (readonly string[])[]): Uint8Array {
  const rows = texts.flatMap(rowsOf).filter((row) => row.length > 1);
  const codes = codesOf(new Set(rows.flat()));
  const held = rows.flat().map((token) => codes.get(token)!);
  if (new Set(held).size === held.length && !held.includes(UNKNOWN)) return new Uint8Array(0);
  const chains = rows.filter((row) => row.length >= MIN_CHAIN);
  if (chains.length === 0) return Uint8Array.of(BETWEEN);
  const bytes = chains.flatMap((row, i) => [
    ...(i === 0 ? [] : [BETWEEN]),
    ...row.flatMap((token) => bytesOf(codes.get(token)!)),
  ]);
  return Uint8Array.from(bytes);
}

/** Cut wherever two neighbours are no pair. */
function rowsOf(text: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const [i, token] of text.entries()) {
    const isNext = i > 0 && isPair(tokenClass(text[i - 1]!), tokenClass(token));
    if (isNext) rows.at(-1)!.push(token);
    else rows.push([token]);
  }
  return rows;
}

function codesOf(tokens: ReadonlySet<string>): Map<string, number> {
  const hashed = [...tokens].filter((token) => ownCode(token) === 0);
  const numbers = Array.from({ length: LEVELS }, (_, level) =>
    hashed.map((token) => numberAt(level, tokenHash(token))),
  );
  const codes = new Map([...tokens].map((token) => [token, ownCode(token)]));
  for (const [i, token] of hashed.entries()) {
    const level = numbers.findIndex((some) => some.indexOf(some[i]!) === some.lastIndexOf(some[i]!));
    codes.set(token, level < 0 ? UNKNOWN : codeOf(level, numbers[level]![i]!));
  }
  return codes;
}

function bytesOf(code: number): number[] {
  return (code & 0xff) >= FIRST_LEAD ? [code & 0xff, code >>> 8] : [code];
}
