// What an item of a query means, in words: the end of a sentence that begins with `a record that`.

import type { QueryItem, Word } from '../../model/query.ts';
import type { Kind } from '../../model/record.ts';
import { printTime } from './print-query.ts';

/**
 * Of what was written as one item: one item of the query, or several communities (`/r/a+b`). Words are told as they are
 * searched for: folded, without signs.
 */
export function meaningOf(items: readonly QueryItem[], kind: Kind): string {
  const [item] = items;
  if (item === undefined) throw new TypeError('expected an item, found none');
  const not = 'negated' in item && item.negated ? 'not ' : '';
  switch (item.kind) {
    case 'words':
      return `${not === '' ? 'contains' : 'does not contain'} ${listed(item.words.map(wordOf))}`;
    case 'community':
      return `is ${not}in ${listed(items.flatMap((one) => (one.kind === 'community' ? `/r/${one.name}` : [])))}`;
    case 'site':
      return siteOf(item.domain, not, kind);
    case 'post':
      if (kind === 'post') return `is ${not}the post \`${item.id}\``;
      return `${not === '' ? 'belongs' : 'does not belong'} to the post \`${item.id}\``;
    case 'id':
      return `is ${not}the ${item.record.of ?? kind} \`${item.record.id}\``;
    case 'score':
      return `has a score of ${rangeOf(item.min, item.max)}`;
    case 'before':
      return `is from before ${printTime(item.time)} (UTC)`;
    case 'after':
      return `is from ${printTime(item.time)} (UTC) or later`;
  }
}

function wordOf(word: Word): string {
  if (word.kind === 'term') return `the word \`${word.token}\``;
  if (word.kind === 'prefix') return `a word that starts with \`${word.prefix}\``;
  return `the words \`${word.tokens.join(' ')}\` next to each other, in this order`;
}

/** Text posts have `self.<community>` in the place of a domain. */
function siteOf(domain: string, not: string, kind: Kind): string {
  if (kind === 'post' && domain === 'self') return `is ${not}a text post`;
  if (kind === 'post' && domain.startsWith('self.')) {
    return `is ${not}a text post of /r/${domain.slice('self.'.length)}`;
  }
  return `${not === '' ? 'links' : 'does not link'} to \`${domain}\` or a subdomain of it`;
}

function rangeOf(min: number | null, max: number | null): string {
  if (max === null) return `at least ${min}`;
  if (min === null) return `at most ${max}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
}

/** `a`, `a or b`, `a, b or c`. */
function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}
