// `score:`: a least score, a most, or both.

import { MAX_SCORE_DIGITS } from '../../model/query-syntax.ts';
import { quoted } from '../../text/quoted.ts';
import type { Reading } from './reading.ts';

const NUMBER = String.raw`(-?\d{1,${MAX_SCORE_DIGITS}})`;
const COMPARED = new RegExp(`^([<>]=?)?${NUMBER}$`);
const RANGE = new RegExp(`^${NUMBER}?\\.\\.${NUMBER}?$`);

export function readScore(value: string, item: string): Reading {
  const range = readRange(value);
  if (range !== null) return { meaning: [{ kind: 'score', ...range }] };
  return {
    code: 'bad_score',
    message: `expected a whole number of at most ${MAX_SCORE_DIGITS} digits behind \`score:\`, as in \`score:5\`, \`score:<5\` or \`score:1..5\`, found ${quoted(item)}`,
  };
}

/** What `-score:` would ask for, for advice; null where no one item can say it. */
export function otherScores(value: string): string | null {
  const range = readRange(value);
  if (range?.min != null && range.max === null) return `score:<${range.min}`;
  if (range?.max != null && range.min === null) return `score:>${range.max}`;
  return null;
}

/** Both ends belong to the range. */
function readRange(value: string): { min: number | null; max: number | null } | null {
  const compared = COMPARED.exec(value);
  if (compared !== null) {
    const bound = wholeNumber(compared[2]!);
    switch (compared[1]) {
      case '>':
        return { min: bound + 1, max: null };
      case '<':
        return { min: null, max: bound - 1 };
      case '<=':
        return { min: null, max: bound };
      default:
        return { min: bound, max: null };
    }
  }
  const range = RANGE.exec(value);
  if (range === null || value === '..') return null;
  return {
    min: range[1] === undefined ? null : wholeNumber(range[1]),
    max: range[2] === undefined ? null : wholeNumber(range[2]),
  };
}

/** `-0` is 0. */
function wholeNumber(digits: string): number {
  return Number(digits) + 0;
}
