// The queries of the benchmark: at least 50 different ones a class, the same at every run. Classes are by the share of
// records that match; terms are picked by their measured count, not by their rank.

import type { SearchEngine } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import type { Query, QueryItem, Word } from '../src/model/query.ts';
import { tokens } from '../src/text/tokenizer.ts';
import { CONTRACTIONS, randomNumbers, type Vocabulary } from './corpus.ts';

export interface QueryClass {
  readonly name: string;
  readonly queries: readonly Query[];
  /** Asked under load too: all but the one class that is beyond what the bars are set for. */
  readonly isInMix: boolean;
}

const A_CLASS = 50;
const DAY = 86_400;

export async function queryClasses(engine: SearchEngine, vocabulary: Vocabulary): Promise<QueryClass[]> {
  const { term, cjkCharacter, first, seconds } = vocabulary;
  const random = randomNumbers(7);
  const total = await countOf(engine, { items: [] });
  const terms = await termsByShare(engine, total, vocabulary, random);
  const frequent = (i: number) => word(terms.frequent[i % terms.frequent.length]!);
  const community = (rank: number) => communityItem(vocabulary.community(rank));
  const start = Math.ceil(first / DAY) * DAY;
  const day = (i: number) => start + Math.floor(((i * 0.618) % 1) * (seconds / DAY - 2)) * DAY;
  const year = (i: number) => new Date(start * 1000).getUTCFullYear() + (i % Math.max(1, years));
  const years = Math.round(seconds / (365 * DAY));
  const third = Math.floor(seconds / DAY / 3) * DAY;
  // Of the synthetic vocabulary three characters have some 1,250 words behind them, two some 25,000.
  const narrower = await answered(engine, broadPrefixes(vocabulary, 1_500).slice(0, A_CLASS * 8));
  const broad = await answered(engine, broadPrefixes(vocabulary, 30_000).slice(0, 20));
  const make = (name: string, query: (i: number) => QueryItem[]): QueryClass => ({
    name,
    isInMix: true,
    queries: Array.from({ length: A_CLASS }, (_, i) => ({ items: query(i) })),
  });
  const of = (name: string, words: readonly string[]) => make(name, (i) => [word(words[i % words.length]!)]);
  return [
    of('rare', terms.rare),
    of('mid', terms.mid),
    of('frequent', terms.frequent),
    make('frequent AND', (i) => [frequent(i), frequent(i * 7 + 3)]),
    make('frequent AND NOT', (i) => [frequent(i), { ...frequent(i * 5 + 1), negated: true }]),
    make('frequent, community', (i) => [frequent(i), community(i % 20)]),
    make('frequent, a third', (i) => [
      frequent(i),
      after(start + (i % 3) * third),
      before(start + ((i % 3) + 1) * third),
    ]),
    make('frequent, a year', (i) => [
      frequent(i),
      after(Date.UTC(year(i), 0) / 1000),
      before(Date.UTC(year(i) + 1, 0) / 1000),
    ]),
    make('frequent, score', (i) => [
      frequent(i),
      { kind: 'score', min: [2, 5, 7, 10, 100][i % 5]!, max: null },
    ]),
    make('frequent, domain', (i) => [frequent(i), { kind: 'site', domain: 'com', negated: false }]),
    make('very frequent', (i) => [word(terms.veryFrequent[i % terms.veryFrequent.length]!)]),
    make('any of three', (i) => [
      {
        ...frequent(i),
        words: [frequent(i), frequent(i * 3 + 1), word(terms.mid[i % terms.mid.length]!)].flatMap(
          ({ words }) => words,
        ),
      },
    ]),
    make('very frequent AND', (i) => [
      word(terms.veryFrequent[i % terms.veryFrequent.length]!),
      word(terms.veryFrequent[(i + 1 + (i >> 3)) % terms.veryFrequent.length]!),
    ]),
    make('one community', (i) => [community(i % vocabulary.communities)]),
    make('one day', (i) => [after(day(i)), before(day(i) + DAY)]),
    make('everything', () => []),
    make('contraction', (i) => [word(CONTRACTIONS[i % CONTRACTIONS.length]!)]),
    make('CJK, two characters', (i) => [word(cjkCharacter(i % 40) + cjkCharacter((i * 3) % 25))]),
    make('phrase, common words', (i) => [
      word(`${term(i % 25)} ${term((i * 7 + 2) % 30)}${i % 3 === 0 ? ` ${term((i * 3 + 1) % 20)}` : ''}`),
    ]),
    make('prefix', (i) => [prefix(term(1000 + i * 37).slice(0, 3 + (i % 3)))]),
    make('prefixes, 10,000 words', (i) => [
      prefix(...Array.from({ length: 8 }, (_, n) => narrower[(i + n * A_CLASS) % narrower.length]!)),
    ]),
    { ...make('prefix, 25,000 words', (i) => [prefix(broad[i % broad.length]!)]), isInMix: false },
  ];
}

function word(typed: string): QueryItem & { kind: 'words' } {
  const held = tokens(typed);
  const made: Word =
    held.length === 1 ? { kind: 'term', token: held[0]!, typed } : { kind: 'phrase', tokens: held, typed };
  return { kind: 'words', words: [made], negated: false };
}

/** Any of them. */
function prefix(...typed: readonly string[]): QueryItem {
  const words = typed.map((one): Word => ({ kind: 'prefix', prefix: one, typed: one }));
  return { kind: 'words', words, negated: false };
}

function communityItem(name: string): QueryItem {
  return { kind: 'community', name, negated: false };
}

function after(time: number): QueryItem {
  return { kind: 'after', time };
}

function before(time: number): QueryItem {
  return { ...after(time), kind: 'before' } as QueryItem;
}

async function countOf(engine: SearchEngine, query: Query): Promise<number> {
  return (await engine.ask({ kind: 'comment', query })).total;
}

/** Prefixes of two and three characters with so many words behind them, up to `most`, the broadest first. */
function broadPrefixes({ term, terms }: Vocabulary, most: number): string[] {
  const words = new Map<string, number>();
  for (let rank = 0; rank < terms; rank++) {
    const held = term(rank);
    for (let length = 2; length <= Math.min(3, held.length); length++) {
      const begin = held.slice(0, length);
      words.set(begin, (words.get(begin) ?? 0) + 1);
    }
  }
  return [...words]
    .filter(([, count]) => count <= most)
    .sort(([, a], [, b]) => b - a)
    .map(([begin]) => begin);
}

/** Those that the engine does not refuse: of real comments the vocabulary knows only a part of the words. */
async function answered(engine: SearchEngine, prefixes: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const one of prefixes) {
    try {
      await countOf(engine, { items: [prefix(one)] });
      found.push(one);
    } catch (error) {
      if (!(error instanceof EngineLimit)) throw error;
    }
  }
  if (found.length === 0) throw new Error('expected prefixes of two or three characters, found none');
  return found;
}

/** Different terms whose share lies in the range of each class. */
async function termsByShare(
  engine: SearchEngine,
  total: number,
  { term, terms }: Vocabulary,
  random: () => number,
) {
  const ranges = {
    veryFrequent: { min: 0.2, max: 0.5, ranks: [0, 60] },
    frequent: { min: 0.01, max: 0.05, ranks: [20, 800] },
    mid: { min: 0.001, max: 0.002, ranks: [500, 12_000] },
    rare: { min: 0, max: 0.0001, ranks: [20_000, 300_000] },
  } as const;
  const picked: Record<keyof typeof ranges, string[]> = { veryFrequent: [], frequent: [], mid: [], rare: [] };
  for (const [name, { min, max, ranks }] of Object.entries(ranges)) {
    const list = picked[name as keyof typeof ranges];
    for (let tries = 0; tries < 4000 && list.length < A_CLASS; tries++) {
      const [from, to] = ranks;
      const rank = to - from <= 200 ? from + tries : from + Math.floor(random() * (to - from));
      if (rank >= Math.min(to, terms)) continue;
      const candidate = term(rank);
      if (list.includes(candidate)) continue;
      const share = (await countOf(engine, { items: [word(candidate)] })) / total;
      if (share > min && share <= max) list.push(candidate);
    }
  }
  return picked;
}
