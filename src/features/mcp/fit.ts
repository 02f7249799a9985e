// Fits responses into a model's context: truncates texts first, then lists. Totals stay exact.

/** Characters of a response as JSON. */
export const STANDARD_CHARACTERS = 24_000;
export const MAX_CHARACTERS = 100_000;

/** Maximum UTF-16 units of a text, tried in turn until the response fits. Keeping rows matters more than long texts. */
const TEXT_LENGTHS = [1500, 500, 160, 60] as const;
/** The same for records requested by id, which is the way to get whole texts. */
const NAMED_LENGTHS = [Infinity, 40_000, 10_000, ...TEXT_LENGTHS] as const;

/** Fields that are never truncated: echoed queries, links and ids are useless in part. */
const NO_PROSE: readonly string[] = ['query', 'of_query', 'under', 'permalink', 'url', 'id', 'step'];

type Json = Readonly<Record<string, unknown>>;

/**
 * `structured`: the response, whose `cut` has the full length of each truncated text and list. `cut`: sentences on what
 * was left out, or empty. `most`: characters of JSON. `isNamed`: the records were requested by id.
 */
export function fitted(answer: object, most: number, isNamed = false) {
  let structured: Json = {};
  for (const length of isNamed ? NAMED_LENGTHS : TEXT_LENGTHS) {
    structured = shortened(answer, length) as Json;
    if (sizeOf(structured) <= most) break;
  }
  const lists: Record<string, number> = {};
  // Reserves room for `cut`.
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

/** A copy with texts of at most `length` UTF-16 units; an object with a truncated text gets `cut`. */
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

/** All non-empty lists at any depth, except cursors. */
function listsIn(value: unknown, path: string): List[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, one]) =>
    name === 'sort_key'
      ? []
      : listsIn(one, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`),
  );
  // A list of one entry may contain a longer list, which is truncated instead.
  if (!Array.isArray(value) || value.length === 0 || (value.length === 1 && below.length > 0)) return below;
  return [{ path, list: value, size: sizeOf(value) }, ...below];
}
