// Queries derived from a query: the page's links that narrow, exclude, remove an item or set the dates. And the repair
// of a faulty query: offered as a link, never applied.

import type { Position, ProblemCode } from '../errors.ts';
import type { NameField } from '../model/engine.ts';
import { conditionsOf, MAX_QUERY_TIME, type Query, type QueryItem } from '../model/query.ts';
import { MAX_TIME } from '../model/record.ts';
import { normaliseDomain } from '../text/domains.ts';
import { MAX_QUERY_CHARACTERS } from './language/interpret.ts';
import { insteadOfReserved, oppositeOf } from './language/operators.ts';
import { parse } from './language/parser.ts';
import { cut, isAskableName, printItem, printTime, readOperator, replaced } from './language/syntax.ts';

/** As a person would write it: spaces between the items; commas where only the canonical form is short enough. */
export function writeQuery(items: readonly QueryItem[]): string {
  return written(items.map(printItem));
}

/** The same of items that are printed: pages with hundreds of links print what these have in common once. */
function written(printed: readonly string[]): string {
  const text = printed.join(' ');
  return text.length <= MAX_QUERY_CHARACTERS ? text : printed.join(',');
}

/** The items that the caller wrote: without the one that the implied window added. */
export function writtenItems({ query, implied }: { readonly query: Query; readonly implied: string | null }) {
  return implied === null ? query.items : query.items.slice(0, -1);
}

export function withoutItem(items: readonly QueryItem[], at: number): readonly QueryItem[] {
  return items.filter((_, i) => i !== at);
}

/** Queries that ask for a row of a breakdown of this kind, or leave it out, as texts. */
export function rowQueries(items: readonly QueryItem[], kind: CommunityOrSite['kind']) {
  const printed = items.map(printItem);
  const asked = printed.filter((_, i) => isAskedFor(items[i]!, kind));
  const others = printed.filter((_, i) => !isAskedFor(items[i]!, kind));
  return {
    /** Communities and sites are any-of: a new one replaces the others of its kind. */
    including: (added: CommunityOrSite) => written([...others, printItem(added)]),
    /** Removes one of several, or excludes any other. null for the only one included: nothing would be left. */
    excluding: (name: CommunityOrSite): string | null => {
      const text = printItem(name);
      if (!asked.includes(text)) return written([...printed, `-${text}`]);
      return asked.every((one) => one === text) ? null : written(printed.filter((one) => one !== text));
    },
  };
}

function isAskedFor(item: QueryItem, kind: CommunityOrSite['kind']): boolean {
  return item.kind === kind && !item.negated;
}

type CommunityOrSite = Extract<QueryItem, { readonly kind: 'community' | 'site' }>;

/** The item for a row of a breakdown; null for a name that no query can contain. */
export function rowItem(field: NameField, name: string): CommunityOrSite | null {
  if (field === 'community') {
    return isAskableName(name) ? { kind: 'community', name, negated: false } : null;
  }
  const domain = normaliseDomain(name);
  return domain === null ? null : { kind: 'site', domain, negated: false };
}

/** The query for a row of a breakdown alone; null for a name that no query can contain. */
export function rowQuery(field: NameField, name: string): string | null {
  const item = rowItem(field, name);
  return item && writeQuery([item]);
}

/** The same query between two instants (Unix seconds, end exclusive), within its own dates, as text. */
export function between(items: readonly QueryItem[]): (from: number, to: number) => string {
  const bounds = conditionsOf({ items });
  const last = bounds.to > MAX_TIME ? Infinity : bounds.to;
  const undated = withoutDates(items).map(printItem);
  return (from, to) => {
    const dates = within([], Math.max(0, from, bounds.from), Math.min(to, last));
    return written([...undated, ...dates.map(printItem)]);
  };
}

function within(items: readonly QueryItem[], after: number, before: number): readonly QueryItem[] {
  return [...withoutDates(items), { kind: 'after', time: after }, { kind: 'before', time: before }];
}

/** The same query from an instant on (Unix seconds), up to the end. */
export function since(items: readonly QueryItem[], from: number): readonly QueryItem[] {
  return [...withoutDates(items), { kind: 'after', time: from }];
}

/** The same query over all time. */
export function withoutDates(items: readonly QueryItem[]): readonly QueryItem[] {
  return items.filter((item) => item.kind !== 'before' && item.kind !== 'after');
}

/**
 * The same query over the shortest of month, year and ten years that is longer than its dates and contains them; null:
 * none does, or the dates are open on a side.
 */
export function wider(items: readonly QueryItem[]): readonly QueryItem[] | null {
  const { from, to } = conditionsOf({ items });
  if (from === 0 || to > MAX_TIME || from >= to) return null;
  const year = new Date(from * 1000).getUTCFullYear();
  const month = new Date(from * 1000).getUTCMonth();
  const decade = year - (year % 10);
  const ranges = [
    [Date.UTC(year, month), Date.UTC(year, month + 1)],
    [Date.UTC(year, 0), Date.UTC(year + 1, 0)],
    [Date.UTC(decade, 0), Date.UTC(decade + 10, 0)],
  ] as const;
  for (const [begin, end] of ranges) {
    const [first, last] = [begin / 1000, end / 1000];
    const holdsMore = first <= from && to <= last && last - first > to - from;
    if (holdsMore) return within(items, first, last);
  }
  return null;
}

/** Without the implied window: with an `after:` that excludes nothing. */
export function allTime(items: readonly QueryItem[]): readonly QueryItem[] {
  return [...items, { kind: 'after', time: 0 }];
}

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
  const kind = (['score', 'before', 'after'] as const).find((bound) => bound === operator?.kind);
  return kind === undefined ? null : oppositeOf(kind, operator!.value);
}
