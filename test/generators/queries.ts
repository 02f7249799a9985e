// Random queries over the whole grammar for property tests: interpreted queries, spellings of them, and text that may
// be no query at all.

import fc from 'fast-check';
import { MAX_QUERY_TIME, type Query, type QueryItem, type Word } from '../../src/model/query.ts';
import { ID_PREFIX, KINDS, type Kind, PREFIX_OF, type RecordName } from '../../src/model/record.ts';
import { isBare } from '../../src/search/language/syntax.ts';
import { tokens } from '../../src/text/tokenizer.ts';

/** What random queries are made of; VOCABULARY of records.ts fits. No list is empty. */
export interface QueryVocabulary {
  /** As typed in quotes: any text without double quotes that holds a token. */
  readonly words: readonly string[];
  /** Lower case. */
  readonly communities: readonly string[];
  /** In normal form. */
  readonly domains: readonly string[];
  readonly ids: readonly string[];
  /** Unix seconds; they, the minutes and days they lie in, and those beside, are taken. */
  readonly times: readonly number[];
  /** At most 9 digits. */
  readonly scores: readonly number[];
}

/** A text and the query it means (without the implied window). */
export interface SpelledQuery {
  readonly text: string;
  readonly query: Query;
}

/** Interpreted queries of 0 to `maxItems` items, as the parser can give them. */
export function queryArbitrary(vocabulary: QueryVocabulary, maxItems = 5): fc.Arbitrary<Query> {
  return fc.array(itemArbitrary(vocabulary), { maxLength: maxItems }).map((items) => ({ items }));
}

/** Texts that are queries, spelt in all the ways the grammar allows, with what they mean. */
export function spelledQueryArbitrary(vocabulary: QueryVocabulary, maxItems = 5): fc.Arbitrary<SpelledQuery> {
  const spelled = itemArbitrary(vocabulary).chain(spellings);
  const dropped = fc
    .constantFrom('&', '-', '*', '|', '!!!', '""', '-“”', '->')
    .map((text) => ({ text, items: [] }));
  const part = fc.oneof({ weight: 8, arbitrary: spelled }, { weight: 1, arbitrary: dropped });
  const separator = fc.constantFrom(' ', ',', ', ', ' , ,', '\n', '\t', '\u00a0', '\u3000', '\u0085');
  return fc
    .tuple(fc.constantFrom('', ' ', ','), fc.array(fc.tuple(part, separator), { maxLength: maxItems }))
    .filter(([, parts]) => parts.length === 0 || parts.some(([{ items }]) => items.length > 0))
    .map(([start, parts]) => ({
      text: start + parts.map(([{ text }, between], i) => text + apart(text, between, parts[i + 1])).join(''),
      query: { items: parts.flatMap(([{ items }]) => items) },
    }));
}

/** Spaces beside a bar would belong to it, and what stands behind them too. */
function apart(text: string, between: string, next: readonly [SpelledItem, string] | undefined): string {
  return text.endsWith('|') || next?.[0].text.startsWith('|') ? `,${between}` : between;
}

/** Any text, most of it made of the signs and names that the parser looks at. */
export function garbageArbitrary(): fc.Arbitrary<string> {
  const names = [
    ...['/r/', 'u/', 'site:', 'score:', 'before:', 'after:', 'post:', 'id:', 'title:', 'https://redd.it/'],
  ];
  const signs = [
    ...['-', '|', '*', '"', '“', '”', ',', ' ', '+', '/', ':', '..', '>', '<=', '&amp;', '\u00ad', '\u3000'],
  ];
  const texts = [
    ...['a', 'Foo', '12', '2024-02-30', '2024-02-29', '2024-02-29T23:59', ':30Z'],
    ...['reddit.com/r/x/comments/1', '日', '😀', 'é', 't3_'],
  ];
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names, ...signs, ...signs, ...texts) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  );
  return fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
}

const negated = fc.constantFrom(false, false, false, true);

function itemArbitrary(vocabulary: QueryVocabulary): fc.Arbitrary<QueryItem> {
  const words = fc.array(wordArbitrary(vocabulary), { minLength: 1, maxLength: 3 });
  const bound = fc.constantFrom(...vocabulary.scores);
  const range = fc.oneof(
    bound.map((min) => ({ min, max: null })),
    bound.map((max) => ({ min: null, max })),
    fc.tuple(bound, bound).map(([min, max]) => ({ min, max })),
  );
  const ofKinds: WeightedItems = {
    words: {
      weight: 8,
      arbitrary: fc.tuple(words, negated).map(([some, isNegated]) => wordsItem(some, isNegated)),
    },
    community: { weight: 2, arbitrary: named('community', vocabulary.communities, (name) => ({ name })) },
    site: { weight: 2, arbitrary: named('site', vocabulary.domains, (domain) => ({ domain })) },
    post: { weight: 1, arbitrary: named('post', vocabulary.ids, (id) => ({ id })) },
    id: { weight: 1, arbitrary: named('id', recordNames(vocabulary), (record) => ({ record })) },
    score: { weight: 3, arbitrary: range.map((ends) => ({ kind: 'score', ...ends })) },
    before: { weight: 1, arbitrary: timeArbitrary('before', vocabulary) },
    after: { weight: 1, arbitrary: timeArbitrary('after', vocabulary) },
  };
  return fc.oneof(...Object.values<fc.WeightedArbitrary<QueryItem>>(ofKinds));
}

/** How often each kind of item is taken. */
type WeightedItems = {
  readonly [Item in QueryItem as Item['kind']]: fc.WeightedArbitrary<Item>;
};

function wordsItem(words: readonly Word[], isNegated: boolean): Extract<QueryItem, { kind: 'words' }> {
  return { kind: 'words', words, negated: isNegated };
}

/** Only with the prefix of a kind where the id alone would lose one of its own. */
function recordNames({ ids }: QueryVocabulary): RecordName[] {
  return ids.flatMap((id) =>
    [null, ...KINDS].filter((of) => of !== null || !ID_PREFIX.test(id)).map((of) => ({ id, of })),
  );
}

function named<Kind extends string, Name, Fields>(
  kind: Kind,
  names: readonly Name[],
  field: (name: Name) => Fields,
): fc.Arbitrary<{ kind: Kind; negated: boolean } & Fields> {
  return fc.tuple(fc.constantFrom(...names), negated).map(([name, isNegated]) => ({
    kind,
    ...field(name),
    negated: isNegated,
  }));
}

const DAY = 86_400;

/** Beside a day, a minute or just a second of the vocabulary, so that the bounds of each are met. */
function timeArbitrary<Kind extends 'before' | 'after'>(
  kind: Kind,
  { times }: QueryVocabulary,
): fc.Arbitrary<{ kind: Kind; time: number }> {
  const step = fc.constantFrom(DAY, DAY, 60, 1);
  return fc
    .tuple(fc.constantFrom(...times), step, fc.integer({ min: -1, max: 1 }))
    .map(([second, size, shift]) => {
      const start = (Math.floor(second / size) + shift) * size;
      return { kind, time: Math.max(0, Math.min(MAX_QUERY_TIME, start)) };
    });
}

function wordArbitrary({ words }: QueryVocabulary): fc.Arbitrary<Word> {
  const one = fc.constantFrom(...words);
  const several = fc.array(one, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' '));
  const prefix = fc
    .tuple(one, fc.integer({ min: 2, max: 4 }))
    .map(([word, length]) => prefixOf(word, length));
  return fc.oneof(
    { weight: 5, arbitrary: one.map(wordOf) },
    { weight: 2, arbitrary: several.map(wordOf) },
    { weight: 1, arbitrary: prefix },
  );
}

/** The word that this text, in quotes, is. */
function wordOf(typed: string): Word {
  const held = tokens(typed);
  return held.length === 1
    ? { kind: 'term', token: held[0]!, typed }
    : { kind: 'phrase', tokens: held, typed };
}

/** A prefix of the first token; the word itself where that is too short for one. */
function prefixOf(typed: string, length: number): Word {
  const begin = [...tokens(typed)[0]!].slice(0, length).join('');
  const [prefix, ...others] = tokens(begin);
  if (prefix === undefined || others.length > 0 || [...prefix].length < 2) return wordOf(typed);
  return { kind: 'prefix', prefix, typed: begin };
}

function spelledTimes(time: number): string[] {
  const whole = new Date(time * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
  const minute = whole.slice(0, 'YYYY-MM-DDTHH:MM'.length);
  const times = [whole, whole.toLowerCase(), ...(time % 60 === 0 ? [minute] : [])];
  return [
    ...times,
    ...times.map((text) => `${text}Z`),
    ...(time % DAY === 0 ? [whole.slice(0, 'YYYY-MM-DD'.length)] : []),
  ];
}

interface SpelledItem {
  readonly text: string;
  readonly items: readonly QueryItem[];
}

function spellings(item: QueryItem): fc.Arbitrary<SpelledItem> {
  const minus = 'negated' in item && item.negated ? '-' : '';
  return spelledBodies(item).map((body) => ({ text: minus + body, items: [item] }));
}

function spelledBodies(item: QueryItem): fc.Arbitrary<string> {
  switch (item.kind) {
    case 'words':
      return fc
        .tuple(
          fc.tuple(...item.words.map(spelledWord)),
          fc.constantFrom('', '|', '!|', '| ', '! |\n'),
          fc.constantFrom('|', '||', '|*|', ' | ', '\t|', '| ', ' | | ', ' | & |\u3000'),
        )
        .map(([words, start, bar]) => start + words.join(bar));
    case 'community': {
      const isUser = item.name.startsWith('u_') && item.name.length > 2;
      const user = isUser ? [`/u/${item.name.slice(2)}`, `U/${item.name.slice(2)}/`] : [];
      const name = item.name.toUpperCase();
      return fc.constantFrom(`/r/${item.name}`, `r/${item.name}`, `/R/${name}/`, ...user);
    }
    case 'site':
      return fc.constantFrom(...siteForms(item.domain)).map((form) => form.replace('@', item.domain));
    case 'post': {
      const links = [
        ...[
          'https://redd.it/@',
          '/r/x/comments/@/a_title/',
          'post:https://redd.it/@',
          'redd.it/@?utm_source=share',
          'post:/r/x/comments/@/a_title/c1/',
        ],
        ...['https://www.reddit.com/r/x/comments/@', 'old.reddit.com/u/x/comments/@/_/?context=3'],
      ];
      const text = ID_PREFIX.test(item.id) ? `t3_${item.id}` : item.id;
      return fc.constantFrom(
        `post:${text}`,
        `POST:t3_${item.id}`,
        ...links.map((form) => form.replace('@', text)),
      );
    }
    case 'id': {
      const { id, of } = item.record;
      if (of === null) return fc.constantFrom(`id:${id}`, `Id:${id}`);
      const text = PREFIX_OF[of] + id;
      return fc.constantFrom(
        `id:${text}`,
        `ID:${text}`,
        ...RECORD_LINKS[of].map((form) => form.replace('@', text)),
      );
    }
    case 'score':
      return fc.constantFrom(...spelledRanges(item.min, item.max));
    case 'before':
    case 'after':
      return fc
        .tuple(
          fc.constantFrom(item.kind, item.kind.toUpperCase()),
          fc.constantFrom(...spelledTimes(item.time)),
        )
        .map(([name, time]) => `${name}:${time}`);
  }
}

/** A link to a post alone is `post:`. */
const RECORD_LINKS: Record<Kind, readonly string[]> = {
  post: ['id:https://redd.it/@', 'id:/r/x/comments/@/a_title/?context=3'],
  comment: [
    '/r/x/comments/abc/_/@/',
    'id:/r/x/comments/abc/_/@',
    'https://www.reddit.com/r/x/comments/abc/comment/@/?context=3#top',
    'old.reddit.com/user/x/comments/t3_abc/a_title/@?sort=new',
  ],
};

/** `www.com` is a domain of its own, and `self` no host. */
function siteForms(domain: string): string[] {
  if (domain.startsWith('self')) return ['site:@', 'SITE:@'];
  if (!domain.includes('.')) return ['site:@', 'site:https://@/a?b#c'];
  return ['site:@', 'Site:www.@', 'site:https://@/a?b#c', 'site:HTTP://www.@:80/', 'site:@.'];
}

function spelledWord(word: Word): fc.Arbitrary<string> {
  const { kind, typed } = word;
  if (kind === 'prefix') return fc.constantFrom(`${typed}*`, `${typed}**`);
  const quoted = [`"${typed}"`, `“${typed}”`, `„${typed}“`];
  return fc.constantFrom(...quoted, ...(isBare(typed) && !typed.endsWith('*') ? [typed] : []));
}

function spelledRanges(min: number | null, max: number | null): string[] {
  if (min !== null && max !== null) return [`score:${min}..${max}`];
  const forms =
    max !== null
      ? [`score:..${max}`, `score:<=${max}`, `Score:<${max + 1}`]
      : [`score:${min}`, `SCORE:>=${min}`, `score:${min}..`, `score:>${min! - 1}`];
  return forms.filter((form) => !/\d{10}/.test(form));
}
