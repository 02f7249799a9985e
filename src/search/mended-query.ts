// Repairs a faulty query: offered as a link, never applied.

import type { Position, ProblemCode } from '../errors.ts';
import { MAX_QUERY_TIME } from '../model/query.ts';
import { insteadOfReserved, oppositeOf } from './language/operators.ts';
import { parse } from './language/parser.ts';
import { cut, printTime, readOperator, replaced } from './language/syntax.ts';

/** The query with its faulty item repaired or left out; null if nothing can be offered. */
export function mendedQuery(text: string, code: ProblemCode, position: Position): string | null {
  const item = cut(text, position);
  const mended = mendItem(item, code);
  const candidates = [mended, ''].filter((candidate) => candidate !== null);
  for (const candidate of candidates) {
    const query = replaced(text, position, candidate);
    if (query !== '' && query !== text && parse(query).faults.length === 0) return query;
  }
  return null;
}

function mendItem(item: string, code: ProblemCode): string | null {
  switch (code) {
    case 'open_quote':
      return `${item.trimEnd()}"`;
    case 'double_negation':
      return item.replace(/^-+/, '-');
    case 'reserved_operator':
      return withoutReserved(item);
    case 'bad_date':
      return nearestDay(item) ?? sameInstant(item);
    case 'cannot_negate':
      return positiveForm(item);
    case 'bad_prefix':
      return item.replace(/\*+$/, '');
    case 'bad_score':
      return /^-?score:[<>=]*-?\d+/i.exec(inFull(item).replaceAll(/[_.](?=\d{3}\b)/g, ''))?.[0] ?? null;
    default:
      return null;
  }
}

/** `score:1.5k` is 1500. */
function inFull(item: string): string {
  return item.replace(/(\d+(?:\.\d+)?)k$/i, (_, number: string) => `${Math.round(Number(number) * 1000)}`);
}

/** `before:2023-02-30` is the 28th; `after:2023-2-1`, `after:2023/02/01`, `after:2023-02`, `after:2023` are days. */
function nearestDay(item: string): string | null {
  const parts = /^(before|after):(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/i.exec(item);
  if (parts === null) return null;
  const year = Math.max(1970, Number(parts[2]));
  const month = Math.min(12, Math.max(1, Number(parts[3] ?? 1)));
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const day = Math.min(lastDay, Math.max(1, Number(parts[4] ?? 1)));
  const padded = [month, day].map((number) => String(number).padStart(2, '0'));
  return `${parts[1]!.toLowerCase()}:${year}-${padded.join('-')}`;
}

/** `after:2024-01-31T18:30+02:00` in UTC; also a time with fractions of a second. */
function sameInstant(item: string): string | null {
  const parts = /^(before|after):(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))$/i.exec(
    item,
  );
  const time = parts === null ? NaN : Math.floor(Date.parse(parts[2]!) / 1000);
  return time >= 0 && time <= MAX_QUERY_TIME ? `${parts![1]!.toLowerCase()}:${printTime(time)}` : null;
}

/** The replacement of a reserved operator; null if there is none. */
function withoutReserved(item: string): string | null {
  const sign = item.startsWith('-') ? '-' : '';
  const operator = readOperator(item.slice(sign.length));
  if (operator?.kind !== 'reserved') return null;
  const instead = insteadOfReserved(operator.reserved, operator.value);
  return instead === null ? null : sign + instead;
}

/** The item without `-` that means the same; null if there is none. */
function positiveForm(item: string): string | null {
  const operator = item.startsWith('-') ? readOperator(item.slice(1)) : null;
  switch (operator?.kind) {
    case 'score':
    case 'before':
    case 'after':
      return oppositeOf(operator.kind, operator.value);
    case 'community':
    case 'site':
    case 'post':
    case 'id':
    case 'reserved':
    case undefined:
      return null;
  }
}
