// Explains a query: `/api/v1/explain/posts` and `…/comments`, `colloquy explain`. For each item it counts the matches
// of the item alone, of the query without it, and of the query up to it. Contract 10.5.

import { matchWords, table } from '../../cli/listing.ts';
import type { Query, QueryItem, Word } from '../../model/query.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { type Parameter, Type } from '../../operation/parameters.ts';
import { query } from '../../operation/shared.ts';
import { type AnalysisContext, tellingLimits } from '../../search/asking.ts';
import { type ImpliedWindow, interpretItems } from '../../search/language/interpret.ts';
import { printItem, printQuery, printTime } from '../../search/language/syntax.ts';
import { analysisHead, totalCount } from './shared.ts';

export type Explanation = Awaited<ReturnType<typeof explain>>['answer'];

/** Throws a ServiceError if the query does not parse or the engine refuses it. */
export async function explain(
  { engine, config: { queryTimeoutMs: timeoutMs } }: AnalysisContext,
  { kind, query: text }: { readonly kind: Kind; readonly query: string },
  { impliedWindow }: { readonly impliedWindow: ImpliedWindow },
  signal?: AbortSignal,
) {
  const { written, query, echo, implied, dropped } = interpretItems(text, { impliedWindow });
  const asked = new CountedQueries();
  const total = asked.add(query.items);
  const items = written.map(({ position, items: own }, at) => {
    const before = written.slice(0, at).flatMap((one) => one.items);
    const behind = written.slice(at + 1).flatMap((one) => one.items);
    const alone = asked.add(own);
    const without = asked.add([...before, ...behind]);
    return { position, own, alone, without, soFar: asked.add([...before, ...own]) };
  });
  const withImplied = implied && { item: implied, soFar: asked.add([...query.items, implied]) };
  await engine.refresh();
  const questions = asked.queries.map((one) => ({ kind, query: one }));
  const { answers, index } = await tellingLimits(text, () => engine.askAll(questions, { timeoutMs }, signal));
  const count = (number: number) => answers[number]!.total;
  const answer = {
    ...{ type: 'explain', kind: KIND_NAMES[kind], query: echo, index, total_count: count(total) },
    rows: items.map(({ position: { offset, length }, own, alone, without, soFar }) => ({
      ...{ item: printQuery({ items: own }), offset, length, means: meaningOf(own, kind) },
      ...{ alone: count(alone), without: count(without), so_far: count(soFar) },
    })),
    ...(withImplied && {
      implied: {
        item: printItem(withImplied.item),
        means: meaningOf([withImplied.item], kind),
        so_far: count(withImplied.soFar),
      },
    }),
  };
  return { answer, dropped };
}

const COLUMNS = ['item', 'offset', 'length', 'means', 'alone', 'without', 'so_far'] as const;

class CountedQueries {
  readonly queries: Query[] = [];
  readonly #numbers = new Map<string, number>();

  add(items: readonly QueryItem[]): number {
    return this.#numbers.getOrInsertComputed(JSON.stringify(items), () => this.queries.push({ items }) - 1);
  }
}

/**
 * `items`: a single item, or several communities that were written as one item (`/r/a+b`). Words are shown as they are
 * searched: folded, without punctuation.
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

/** The domain of a text post is `self.<community>`. */
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

function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

const explained: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'The query to explain, in the query language and with the limits of a search. Nothing is added to it: a ' +
      '`before:` needs no `after:` beside it. If empty, there are no items.',
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02'],
  }),
  documented: { values: 'the query; a `before:` needs no `after:` beside it', default: 'required' },
};

const item = Type.String('In canonical form; several for `/r/a+b`.');
const means = Type.String('In words: the end of a sentence that begins with `a record that`.');

const SCHEMA = Type.Object(
  {
    ...analysisHead('explain'),
    total_count: totalCount,
    rows: Type.Array(
      Type.Object({
        item,
        offset: Type.Count('Where it was written, in UTF-16 units.'),
        length: Type.Integer({ minimum: 1, description: 'Of what was written, its `-` included.' }),
        means,
        alone: Type.Count('Number of records that it finds by itself.'),
        without: Type.Count('Number of records that the query finds without it.'),
        so_far: Type.Count('Number of records that the query finds up to it, and with it.'),
      }),
      'In the order written; without what is not searched for.',
    ),
    implied: Type.Optional(
      Type.Object(
        { item, means, so_far: Type.Count('Number of records that a search with this query finds.') },
        'What a search would add to the query; absent where it adds nothing.',
      ),
    ),
  },
  { $id: 'Explanation' },
);

function explainOf(kind: Kind): Operation {
  return operation({
    ...{ name: 'explain', kind, tag: 'analysis', isTool: true },
    summary: 'What a query for {kind}s means',
    description:
      'For each item of the query: what it means, how many records it finds alone, how many the query finds ' +
      'without it, and how many up to it. Nothing is added to the query.',
    parameters: { query: explained },
    schema: SCHEMA,
    answerWords: 'The items of the query, in the order written, or a table of them.',
    run: (archive, { query: text }, { signal }) =>
      explain(archive, { kind, query: text }, archive.config, signal),
    table: ({ rows }) => ({ columns: COLUMNS, rows: rows.map((row) => COLUMNS.map((name) => row[name])) }),
    command: {
      examples: [
        'explain comments "the inverter" /r/solarpower score:5',
        'explain posts --format csv -- -cat site:example.org',
      ],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(explainOf);

const HEADINGS = ['ITEM', 'ALONE', 'WITHOUT', 'SO FAR', 'FINDS A RECORD THAT'];

function asText({ kind, query: echo, total_count: total, rows, implied }: Explanation): string {
  const number = (count: number) => count.toLocaleString('en');
  const cells = rows.map(({ item: written, alone, without, so_far, means: words }) => [
    ...[written, number(alone), number(without), number(so_far), words],
  ]);
  const added =
    implied === undefined
      ? ''
      : `A search adds ${implied.item}, because \`before:\` on its own searches one day only: ${number(implied.so_far)} ${kind}\n`;
  return `${matchWords(kind, total, echo)}\n${added}${rows.length === 0 ? '' : `\n${table(HEADINGS, cells)}`}`;
}
