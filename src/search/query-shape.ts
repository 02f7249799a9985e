// The shape of a query: what kinds of items it has and how many, and nothing of what they say. For logs.

import type { Query, QueryItem } from '../model/query.ts';
import { interpretQuery } from './language/interpret.ts';

/** `2 words, 1 phrase, after, community`; `everything` where nothing is asked for, `not understood` for a fault. */
export function shapeOfText(text: string): string {
  try {
    return shapeOf(interpretQuery(text, { impliedWindow: 'off' }).query);
  } catch {
    return 'not understood';
  }
}

/** Kinds in the order in which the query has them. */
export function shapeOf({ items }: Query): string {
  if (items.length === 0) return 'everything';
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = nameOf(item);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => words(name, count)).join(', ');
}

const COUNTED: Readonly<Record<string, string>> = {
  word: 'words',
  phrase: 'phrases',
  prefix: 'prefixes',
  'any-of': 'any-ofs',
};

function nameOf(item: QueryItem): string {
  const isExcluded = 'negated' in item && item.negated;
  return `${isExcluded ? 'excluded ' : ''}${item.kind === 'words' ? nameOfWords(item.words) : item.kind}`;
}

function nameOfWords([first, ...others]: Extract<QueryItem, { kind: 'words' }>['words']): string {
  if (first === undefined || others.length > 0) return 'any-of';
  return first.kind === 'term' ? 'word' : first.kind;
}

/** Words have their number always, other items from two on. */
function words(name: string, count: number): string {
  const plain = name.replace('excluded ', '');
  const many = COUNTED[plain];
  if (many === undefined) return count === 1 ? name : `${count} × ${name}`;
  return `${count} ${count === 1 ? name : name.replace(plain, many)}`;
}
