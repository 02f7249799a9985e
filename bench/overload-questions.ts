// What callers ask of a server under load: paths with words, communities and phrases of the records that it has.

import { tokens } from '../src/text/tokenizer.ts';
import { randomNumbers } from './corpus.ts';

export interface Questions {
  /** Of all sorts, in a fixed random order. */
  readonly mixed: readonly string[];
  /** Of results, as visitors open them. */
  readonly pages: readonly string[];
  /** A few matches each. */
  readonly light: readonly string[];
  /** What is asked for when it is looked for those that take longest. */
  readonly long: readonly string[];
}

const MIXED = 600;
const READ = 1_000;

/** `read` gives the texts and communities of a page of comments at this path. */
export async function questionsOf(
  read: (path: string) => Promise<readonly { readonly body: string; readonly community: string }[]>,
): Promise<Questions> {
  const samples = ['newest', 'oldest', 'top'].map((order) =>
    read(`/api/v1/search/comments?query=&limit=${READ}&order_by=${order}`),
  );
  const comments = (await Promise.all(samples)).flat();
  const texts = comments.map(({ body }) => tokens(body).filter((token) => /^[a-z]+$/.test(token)));
  const words = byCount(texts.flat());
  const phrases = byCount(texts.flatMap((text) => text.slice(1).map((word, i) => `"${text[i]} ${word}"`)));
  const communities = byCount(comments.map(({ community }) => `/r/${community}`));
  const random = randomNumbers(5);
  const pick = (list: readonly string[], from = 0, to = list.length) =>
    list[Math.min(list.length - 1, from + Math.floor(random() * (Math.min(to, list.length) - from)))]!;
  const common = () => pick(words, 0, 60);
  const any = () => pick(words, 0, random() < 0.5 ? 60 : 1_500);
  const path = (endpoint: string, query: string, rest = '') =>
    `/api/v1/${endpoint}?query=${encodeURIComponent(query)}${rest}`;
  const kind = () => (random() < 0.7 ? 'comments' : 'posts');
  const order = () => `&order_by=${pick(['newest', 'oldest', 'top'])}`;
  const search = (query: string, limit = 25) => path(`search/${kind()}`, query, `&limit=${limit}${order()}`);
  const sorts: readonly (readonly [share: number, make: () => string])[] = [
    [20, () => search(any())],
    [10, () => search(`${any()} ${common()}`)],
    [10, () => search(pick(phrases, 0, 400))],
    [10, () => search(`${any()} ${pick(communities, 0, 50)}`)],
    [5, () => search(`${common()} -${common()}`)],
    [5, () => search(`${any()} score:5`, 100)],
    [5, () => search(`${pick(words, 0, 1_500).slice(0, 3).padEnd(3, 'e')}*`)],
    [10, () => path(`timeline/${kind()}`, common())],
    [10, () => path(`breakdown/${kind()}`, any(), '&field=subreddit')],
    [5, () => path(`counts/${kind()}`, any(), `&query=${any()}&query=${any()}`)],
    [3, () => path(`explain/${kind()}`, `${any()} ${common()}`)],
    [4, () => path(`sample/${kind()}`, common(), '&limit=200')],
    [3, () => path(`words/${kind()}`, common(), '&sample=1000')],
  ];
  const mixed = sorts
    .flatMap(([share, make]) => Array.from({ length: (MIXED * share) / 100 }, make))
    .map((made) => ({ made, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ made }) => made);
  const pages = Array.from({ length: 200 }, () => {
    const query = pick([any(), `${any()} ${common()}`, `${any()} ${pick(communities, 0, 50)}`]);
    return `/search?query=${encodeURIComponent(query)}&kind=${kind()}`;
  });
  const light = Array.from({ length: 50 }, () =>
    path('search/comments', pick(words, 1_000, 1_500), '&limit=10'),
  );
  const long = Array.from({ length: 4 }, () => [
    path('breakdown/comments', common(), '&field=subreddit&limit=1000&step=month'),
    path('words/comments', common(), '&sample=5000'),
    path('search/comments', `${common()} ${common()}`, '&limit=1000'),
    path('timeline/comments', common(), '&step=day&measure=sentiment'),
    path('search/comments', '-zzzz', '&limit=100'),
  ]).flat();
  return { mixed, pages, light, long };
}

/** Each once, the commonest first. */
function byCount(list: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([one]) => one);
}
