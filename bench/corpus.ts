// The synthetic corpus: comments whose words, lengths, communities, domains, scores and times are spread as in real
// discussions. Deterministic: the same size and batches give the same records on every machine.
//
//   words         Zipf–Mandelbrot over 500,000 terms, p(rank) ~ 1 / (rank + q)^s with s = 1.07, q = 2.7
//                 (Mandelbrot 1953; s and q as fitted to English); the first thousand are the commonest real ones,
//                 so that phrases of common words are phrases of common words
//   length        log-normal, mean 30 words, sigma 0.9
//   contractions  one word in 40 is one of 50 (`don't`)
//   CJK           one comment in 50 is 4 to 40 characters out of 400, Zipf
//   communities   Zipf, s = 1.1; domains: one comment in 12 links to one of 20,000, Zipf
//   scores        6 % negative, half of all 1 or 2, a tail as 1 / score^1.3
//   times         three years, evenly; some share a second

import { COMMON_TOKENS, FREQUENT_TOKENS } from '../src/engines/embedded/format/pairs.ts';
import type { StoredComment } from '../src/model/record.ts';

/** What the records are made of: words and communities from the commonest down. */
export interface Vocabulary {
  readonly terms: number;
  term(rank: number): string;
  cjkCharacter(rank: number): string;
  readonly communities: number;
  community(rank: number): string;
  /** Second of the first record, and seconds to the last. */
  readonly first: number;
  readonly seconds: number;
}

export const TERMS = 500_000;
const ZIPF_S = 1.07;
const ZIPF_Q = 2.7;
const MEAN_WORDS = 30;
const SIGMA = 0.9;
const DOMAINS = 20_000;
const CJK_CHARACTERS = 400;
/** 2022-01-01. */
export const START = 1_640_995_200;
export const SECONDS = 3 * 365 * 86_400;

export const CONTRACTIONS: readonly string[] = [
  ...["don't", "it's", "i'm", "can't", "that's", "you're", "didn't", "doesn't", "i've", "isn't", "they're"],
  ...["won't", "there's", "wouldn't", "he's", "couldn't", "i'd", "what's", "wasn't", "aren't", "we're"],
  ...["haven't", "she's", "i'll", "let's", "you've", "shouldn't", "you'll", "we've", "it'll", "hasn't"],
  ...["they've", "weren't", "who's", "you'd", "here's", "hadn't", "they'll", "how's", "he'd", "that'll"],
  ...["we'll", "ain't", "where's", "they'd", "he'll", "we'd", "she'd", "she'll", "there'll"],
];

/** mulberry32 (Ettinger, public domain): 32 bits of state, enough for a corpus. Numbers from 0 to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Draws ranks 0 to n − 1 with the given weights, in constant time (Walker's alias method, Vose 1991). */
export function sampler(n: number, weight: (rank: number) => number): (random: () => number) => number {
  const weights = Float64Array.from({ length: n }, (_, rank) => weight(rank));
  const sum = weights.reduce((total, one) => total + one, 0);
  const share = weights.map((one) => (one * n) / sum);
  const alias = new Uint32Array(n);
  const small: number[] = [];
  const large: number[] = [];
  for (const [rank, one] of share.entries()) (one < 1 ? small : large).push(rank);
  while (small.length > 0 && large.length > 0) {
    const less = small.pop()!;
    const more = large.pop()!;
    alias[less] = more;
    share[more] = share[more]! + share[less]! - 1;
    (share[more]! < 1 ? small : large).push(more);
  }
  for (const rank of [...small, ...large]) share[rank] = 1;
  return (random) => {
    const rank = Math.floor(random() * n);
    return random() < share[rank]! ? rank : alias[rank]!;
  };
}

const commonWords = [...COMMON_TOKENS, ...FREQUENT_TOKENS]
  .filter((word) => /^[a-z]{2,}$|^[ai]$/.test(word))
  .slice(0, 1000);
const SYLLABLES = [
  'ba',
  'co',
  'du',
  'fe',
  'gi',
  'ho',
  'ka',
  'lu',
  'me',
  'ni',
  'po',
  'ra',
  'se',
  'ti',
  'vo',
  'wu',
  'xa',
  'yo',
  'za',
  'shi',
];

/** The term of a rank, from 0. */
export function term(rank: number): string {
  const common = commonWords[rank];
  if (common !== undefined) return common;
  let word = '';
  for (let rest = rank + 400; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

export function cjkCharacter(rank: number): string {
  return String.fromCharCode(0x4e00 + rank * 17);
}

export function communityName(rank: number): string {
  return `c${term(rank + 2000)}`;
}

export function domainName(rank: number): string {
  return rank % 3 === 0 ? `www${rank % 7}.${term(rank + 5000)}.com` : `${term(rank + 5000)}.com`;
}

/**
 * Comments in no order of time, in batches. Each batch is drawn from numbers of its own, so that the ones behind
 * `from`, a multiple of `batch`, are made without those before it.
 */
export function* syntheticComments(
  records: number,
  options: {
    readonly batch: number;
    readonly communities: number;
    readonly seed?: number;
    readonly from?: number;
  },
): Generator<StoredComment[]> {
  let random = randomNumbers(0);
  const draw = {
    term: sampler(TERMS, (rank) => 1 / (rank + 1 + ZIPF_Q) ** ZIPF_S),
    community: sampler(options.communities, (rank) => 1 / (rank + 1) ** 1.1),
    domain: sampler(DOMAINS, (rank) => 1 / (rank + 1)),
    cjk: sampler(CJK_CHARACTERS, (rank) => 1 / (rank + 3)),
    contraction: sampler(CONTRACTIONS.length, (rank) => 1 / (rank + 2)),
  };
  const known: string[] = [];
  const termOf = (rank: number) => {
    known[rank] ??= term(rank);
    return known[rank]!;
  };
  const body = () => {
    if (random() < 0.02) {
      return Array.from({ length: 4 + Math.floor(random() * 37) }, () => cjkCharacter(draw.cjk(random))).join(
        '',
      );
    }
    const words = Math.min(1500, Math.max(1, Math.round(logNormal(random, MEAN_WORDS, SIGMA))));
    const pieces: string[] = [];
    for (let i = 0; i < words; i++) {
      const word = random() < 0.025 ? CONTRACTIONS[draw.contraction(random)]! : termOf(draw.term(random));
      pieces.push(i % 11 === 10 ? `${word}.` : word);
    }
    if (random() < 1 / 12) pieces.push(`https://${domainName(draw.domain(random))}/a/b?c=1`);
    // Joined, the text is in one piece, as it is behind JSON.parse.
    return pieces.join(' ');
  };
  for (let made = options.from ?? 0; made < records; ) {
    random = randomNumbers((options.seed ?? 1) + made);
    const batch: StoredComment[] = [];
    for (const end = Math.min(records, made + options.batch); made < end; made++) {
      // Ids and times go up together, as in dumps; times jitter by some minutes.
      const created = START + Math.floor((made / records) * SECONDS + random() * 600);
      const community = communityName(draw.community(random));
      const id = (1e10 + made * 3).toString(36);
      const post = (9e9 + Math.floor((made - random() * 2000) / 12)).toString(36);
      batch.push({
        kind: 'comment',
        id,
        community,
        communityId: `2${community}`,
        created,
        permalink: `/r/${community}/comments/${post}/some_title_of_a_post/${id}/`,
        score: score(random),
        retrieved: 1_750_000_000,
        withdrawn: false,
        lent: [],
        body: body(),
        sentiment: random() < 0.2 ? null : Math.round((random() * 2 - 1) * 10_000) / 10_000,
        post,
        parent: parentOf(made, post),
        ratings: [],
      });
    }
    yield batch;
  }
}

/** Of every fifty comments, nine answer the post, one answers nothing known, the others an earlier comment. */
function parentOf(made: number, post: string): string {
  const place = made % 50;
  if (place === 49) return '';
  return place % 5 === 0 && place > 0 ? post : (1e10 + (made - 1 - (made % 7)) * 3).toString(36);
}

function score(random: () => number): number {
  const which = random();
  if (which < 0.06) return -Math.ceil(random() ** -0.7) + 1;
  if (which < 0.1) return 0;
  if (which < 0.6) return random() < 0.65 ? 1 : 2;
  return Math.min(60_000, Math.floor(2 * (random() + 1e-9) ** (-1 / 1.3)) + 1);
}

function logNormal(random: () => number, mean: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  return Math.exp(Math.log(mean) - (sigma * sigma) / 2 + sigma * normal);
}

/** What the corpus is made of. */
export function syntheticVocabulary(communities: number): Vocabulary {
  return {
    terms: TERMS,
    term,
    cjkCharacter,
    communities,
    community: communityName,
    first: START,
    seconds: SECONDS,
  };
}
