// Repairs of a query: what it probably meant, or what would find something. Offered as links, never applied.

import type { QueryItem } from '../../model/query.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { allTime, withoutItem, writeQuery, writtenItems } from '../../search/edit-query.ts';
import { parse } from '../../search/language/parser.ts';
import { cut, printItem, replaced } from '../../search/language/syntax.ts';
import type { SearchService } from '../../search/search-service.ts';
import type { PageResult, PageService } from './service.ts';

export interface Repair {
  readonly words: string;
  readonly query: string;
  readonly kind: Kind;
  readonly count: number;
}

/** Milliseconds for all attempts together. */
const BUDGET_MS = 200;

const MAX_TRIES = 12;

const MAX_REPAIRS = 3;

/** The order in which items are dropped: filters before search words. */
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

/** For a query without matches, and not `under` another: at most three others that have some; else none. */
export async function repairsOf(
  service: PageService,
  search: SearchService,
  kind: Kind,
  { interpretation, totals, under }: Pick<PageResult, 'interpretation' | 'totals' | 'under'>,
  signal?: AbortSignal,
): Promise<Repair[]> {
  if (totals[kind] !== 0 || under !== null) return [];
  const items = writtenItems(interpretation);
  const repairs: Repair[] = [];
  const other = otherKind(kind);
  const found = totals[other] ?? 0;
  if (found > 0) repairs.push({ words: `in ${other}s`, query: writeQuery(items), kind: other, count: found });
  const deadline = performance.now() + BUDGET_MS;
  for (const attempt of attempts(items, interpretation.implied).slice(0, MAX_TRIES)) {
    const left = deadline - performance.now();
    if (left <= 1 || repairs.length === MAX_REPAIRS) break;
    const { query } = search.interpret(writeQuery(attempt.items));
    const count = await service.count(kind, query, left, signal);
    if (count !== null && count > 0)
      repairs.push({ words: attempt.words, query: writeQuery(attempt.items), kind, count });
  }
  return repairs;
}

function attempts(items: readonly QueryItem[], implied: string | null) {
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

/**
 * `words`: how it is understood now, for a sentence: `\`OR\` is searched for as a word`. `query`: null: there is no
 * likely intended query.
 */
export interface Hint {
  readonly words: string;
  readonly query: string | null;
}

/** Capital OR, AND and NOT are words here: gives their meaning in other search engines. null: none is there. */
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

const ALIASES: readonly (readonly [name: RegExp, ours: string])[] = [
  [/^(-?)sub:(?:\/?r\/)?(?=.)/i, '/r/'],
  [/^()(?:since|from):(?=\d)/i, 'after:'],
  [/^()(?:until|to):(?=\d)/i, 'before:'],
];

/** `sub:x`, `since:2020` and the like are text here: gives our form of them. null: none is there. */
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

/** The name of an author is that of a profile, which is a community. null: none is there. */
export function authorHint(text: string): Hint | null {
  const names = parse(text).items.map(({ position }) => cut(text, position));
  const name = names.find((item) => /^-?\/?u\/./i.test(item));
  if (name === undefined) return null;
  return {
    words: `Authors are not stored here: “${name}” finds what was posted to that profile`,
    query: null,
  };
}
