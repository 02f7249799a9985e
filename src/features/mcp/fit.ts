// Answers that fit into a context: texts are shortened first, then lists lose their end. Totals stay exact.

/** Characters of an answer as JSON. */
export const STANDARD_CHARACTERS = 24_000;
export const MAX_CHARACTERS = 100_000;

/** UTF-16 units of a text: as many as usual, then fewer where the answer does not fit. Rows go before prose. */
const TEXT_LENGTHS = [1500, 500, 160, 60] as const;
/** Of records that were asked for by name, which is the way to whole texts. */
const NAMED_LENGTHS = [Infinity, 40_000, 10_000, ...TEXT_LENGTHS] as const;

/** What is echoed, or leads somewhere, is whole or useless. */
const NO_PROSE: readonly string[] = ['query', 'of_query', 'under', 'permalink', 'url', 'id', 'step'];

type Json = Readonly<Record<string, unknown>>;

/**
 * `structured`: the answer, with the whole length of each shortened text and list as `cut`. `cut`: sentences on what
 * was left out; empty: nothing was. `most`: characters of JSON. `isNamed`: the caller asked for records by their ids.
 */
export function fitted(answer: object, most: number, isNamed = false) {
  let structured: Json = {};
  for (const length of isNamed ? NAMED_LENGTHS : TEXT_LENGTHS) {
    structured = shortened(answer, length) as Json;
    if (sizeOf(structured) <= most) break;
  }
  const lists: Record<string, number> = {};
  // Room for what `cut` says.
  while (sizeOf(structured) + 60 + sizeOf(lists) > most) {
    const longest = listsIn(structured, '').sort((a, b) => b.size - a.size)[0];
    if (longest === undefined) break;
    lists[longest.path] ??= longest.list.length;
    longest.list.length = Math.floor(longest.list.length * 0.8);
  }
  const short = hasShortTexts(structured) ? [SHORT] : [];
  const told = Object.entries(lists).map(([path, length]) => `\`${path}\` has ${length} entries`);
  if (told.length === 0) return { structured, cut: short };
  return {
    structured: { ...structured, cut: lists },
    cut: [...short, `Left out: ${told.join(', ')}; ${LEFT_OUT}`],
  };
}

const SHORT =
  'Long texts are shortened, with their length in `cut`; `post_records`, `comment_records` and `thread` give them ' +
  'whole, for few records and with more `max_characters`.';
const LEFT_OUT =
  'ask with a smaller `limit`, a narrower query or more `max_characters` before you go on to the next page.';

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** A copy whose texts have this length at the most; a record whose text was longer has `cut`. */
function shortened(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return value.map((one) => shortened(one, length));
  if (typeof value !== 'object' || value === null) return value;
  const cut: Record<string, number> = {};
  const entries = Object.entries(value).map(([name, one]) => {
    if (typeof one !== 'string' || one.length <= length || NO_PROSE.includes(name))
      return [name, shortened(one, length)];
    cut[name] = one.length;
    return [name, `${one.slice(0, length - 1).toWellFormed()}…`];
  });
  const copy = Object.fromEntries(entries);
  return Object.keys(cut).length === 0 ? copy : { ...copy, cut };
}

function hasShortTexts(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasShortTexts);
  if (typeof value !== 'object' || value === null) return false;
  return 'cut' in value || Object.values(value).some(hasShortTexts);
}

type List = Readonly<{ path: string; list: unknown[]; size: number }>;

/** Lists with entries, wherever they are. Cursors are none. */
function listsIn(value: unknown, path: string): List[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, one]) =>
    name === 'sort_key'
      ? []
      : listsIn(one, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`),
  );
  // A list of one may hold a longer list.
  if (!Array.isArray(value) || value.length === 0 || (value.length === 1 && below.length > 0)) return below;
  return [{ path, list: value, size: sizeOf(value) }, ...below];
}
