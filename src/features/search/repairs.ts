// Repairs: what a query probably meant, or how it would find something. Offered as links, never applied.

import type { Position, ProblemCode } from '../../errors.ts';
import { MAX_QUERY_TIME, type QueryItem } from '../../model/query.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { allTime, withoutItem, writeQuery, writtenItems } from '../../search/edit-query.ts';
import { oppositeOf } from '../../search/language/bounds.ts';
import type { Interpretation } from '../../search/language/interpret.ts';
import { parse } from '../../search/language/parser.ts';
import { printItem, printTime } from '../../search/language/print-query.ts';
import { readOperator } from '../../search/language/query-syntax.ts';
import { insteadOfReserved } from '../../search/language/reserved.ts';
import type { PageService } from './service.ts';

/** Another query that finds something. */
export interface Repair {
  /** What it does: `without -ad`. */
  readonly words: string;
  readonly query: string;
  readonly kind: Kind;
  /** How many records it finds, above 0. */
  readonly count: number;
}

/** Milliseconds for all tries together. */
const BUDGET_MS = 200;
const MAX_TRIES = 12;
const MAX_REPAIRS = 3;

/** What is worth dropping first: what people add to narrow a search before what they search for. */
const RANK: Record<QueryItem['kind'], number> = {
  before: 0,
  after: 0,
  score: 1,
  post: 2,
  id: 3,
  site: 4,
  community: 5,
  words: 6,
};

/** For a query that found nothing: at most three others that do. `otherCount`: matches of the other kind. */
export async function repairsOf(
  service: PageService,
  kind: Kind,
  interpretation: Interpretation,
  otherCount: number | null,
  signal?: AbortSignal,
): Promise<Repair[]> {
  const items = writtenItems(interpretation);
  const repairs: Repair[] = [];
  if (otherCount !== null && otherCount > 0) {
    const name = kind === 'post' ? 'comments' : 'posts';
    repairs.push({
      words: `in ${name}`,
      query: writeQuery(items),
      kind: otherKind(kind),
      count: otherCount,
    });
  }
  const deadline = performance.now() + BUDGET_MS;
  for (const attempt of attempts(items, interpretation.implied).slice(0, MAX_TRIES)) {
    const left = deadline - performance.now();
    if (left <= 1 || repairs.length === MAX_REPAIRS) break;
    const { query } = service.interpret(writeQuery(attempt.items));
    const count = await service.count(kind, query, left, signal);
    if (count !== null && count > 0)
      repairs.push({ words: attempt.words, query: writeQuery(attempt.items), kind, count });
  }
  return repairs;
}

interface Attempt {
  readonly words: string;
  readonly items: readonly QueryItem[];
}

/** One item less at first, then more and more of them. */
function attempts(items: readonly QueryItem[], implied: string | null): Attempt[] {
  const lifted = implied === null ? [] : [{ words: `without ${implied}`, items: allTime(items) }];
  if (items.length < 2) return lifted;
  const drops = items
    .map((item, at) => ({ item, at }))
    .sort((a, b) => RANK[a.item.kind] - RANK[b.item.kind] || b.at - a.at);
  const one = drops.map(({ item, at }) => ({
    words: `without ${printItem(item)}`,
    items: withoutItem(items, at),
  }));
  const several = drops.slice(1, -1).map((_, last) => {
    const dropped = drops.slice(0, last + 2).map(({ at }) => at);
    const rest = items.filter((_item, at) => !dropped.includes(at));
    return { words: `only ${rest.map(printItem).join(' ')}`, items: rest };
  });
  return [...lifted, ...one, ...several];
}

/** A query that was written otherwise than it is understood. */
export interface Hint {
  /** What is understood now, for a sentence: `\`OR\` is searched for as a word`. */
  readonly words: string;
  readonly query: string;
}

/** Capital OR, AND and NOT are words here: what another search engine would have made of them. null: none is there. */
export function operatorHint(text: string): Hint | null {
  const pieces = parse(text).items.map(({ position, kind }) => ({ text: cut(text, position), kind }));
  const used = OPERATORS.filter((name) => pieces.some((piece) => piece.text === name));
  if (used.length === 0) return null;
  const made: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at]!.text;
    const next = pieces[at + 1]?.text;
    if (piece === 'NOT' && next !== undefined && !next.startsWith('-')) {
      made.push(`-${next}`);
      at++;
    } else if (
      piece === 'OR' &&
      next !== undefined &&
      canStandInAnyOf(made.at(-1)) &&
      canStandInAnyOf(next)
    ) {
      made.push(`${made.pop()}|${next}`);
      at++;
    } else if (!OPERATORS.includes(piece)) made.push(piece);
  }
  const { items, faults } = parse(made.join(' '));
  if (items.length === 0 || faults.length > 0) return null;
  const names = used.map((name) => `“${name}”`).join(' and ');
  return {
    words: `${names} ${used.length === 1 ? 'is an ordinary word' : 'are ordinary words'} here`,
    query: made.join(' '),
  };
}

const OPERATORS: readonly string[] = ['OR', 'AND', 'NOT'];

function canStandInAnyOf(piece: string | undefined): piece is string {
  if (piece === undefined || piece.startsWith('-') || OPERATORS.includes(piece)) return false;
  const [item] = parse(piece).items;
  return item?.kind === 'understood' && item.meaning[0]?.kind === 'words';
}

/** Names that other services have for what we write otherwise. */
const ALIASES: readonly (readonly [name: RegExp, ours: string])[] = [
  [/^(-?)sub:(?:\/?r\/)?(?=.)/i, '/r/'],
  [/^()(?:since|from):(?=\d)/i, 'after:'],
  [/^()(?:until|to):(?=\d)/i, 'before:'],
];

/** `sub:x`, `since:2020` and the like are text here: what they would be in our words. null: none is there. */
export function aliasHint(text: string): Hint | null {
  for (const { position } of parse(text).items) {
    const item = cut(text, position);
    for (const [name, ours] of ALIASES) {
      if (!name.test(item)) continue;
      const meant = item.replace(name, (_, sign: string) => sign + ours);
      if (parse(meant).faults.length > 0) continue;
      return { words: `“${item}” is searched for as text`, query: replaced(text, position, meant) };
    }
  }
  return null;
}

/** For a query with a fault: the query with the faulty item mended, or left out; null where nothing can be offered. */
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
      return /^-?score:[<>=]*-?\d+/i.exec(item.replaceAll(/[_.](?=\d{3}\b)/g, ''))?.[0] ?? null;
    default:
      return null;
  }
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

/** `after:2024-01-31T18:30+02:00` in UTC; also a time with parts of a second. */
function sameInstant(item: string): string | null {
  const parts = /^(before|after):(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))$/i.exec(
    item,
  );
  const time = parts === null ? NaN : Math.floor(Date.parse(parts[2]!) / 1000);
  return time >= 0 && time <= MAX_QUERY_TIME ? `${parts![1]!.toLowerCase()}:${printTime(time)}` : null;
}

/** What there is instead; where there is nothing, the item in quotes stands for what was written. */
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

function cut(text: string, { offset, length }: Position): string {
  return text.slice(offset, offset + length);
}

function replaced(text: string, { offset, length }: Position, item: string): string {
  return `${text.slice(0, offset)}${item}${text.slice(offset + length)}`.trim();
}
