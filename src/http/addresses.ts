// Reads and writes addresses: of searches, their analyses, the API, its reference, records and threads. An address is
// the state of its page in canonical form: the API's names, in a fixed order, without defaults.

import { parameterFault, ServiceError } from '../errors.ts';
import type { NameField } from '../model/engine.ts';
import type { Order } from '../model/pages.ts';
import { KIND_NAMES, type Kind } from '../model/record.ts';
import { encodeValue, parseQueryString, readChoice } from '../operation/parameters.ts';
import { orderBy } from '../operation/shared.ts';
import { quoted } from '../text/quoted.ts';

/** Throws `bad_encoding`. */
export function readFirst(address: string): ReadonlyMap<string, string> {
  return firstOfEach(readPairs(address));
}

/** By name, in their order; the first of those that are given twice. */
export function firstOfEach(pairs: ReturnType<typeof parseQueryString>): ReadonlyMap<string, string> {
  const named = Map.groupBy(pairs, ({ name }) => name);
  return new Map([...named].map(([name, [first]]) => [name, first!.value]));
}

/** Names and values of the query string, in its order. Throws `bad_encoding`. */
export function readPairs(address: string): ReturnType<typeof parseQueryString> {
  const question = address.indexOf('?');
  return parseQueryString(question === -1 ? '' : address.slice(question + 1));
}

type Given = readonly (readonly [name: string, value: string | number | null | undefined])[];

/** The path with `?a=1&b=2`, without parameters that are null or undefined. */
export function pageAddress(path: string, parameters: Given): string {
  const pairs = parameters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${writtenValue(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** A percent-encoded value, with spaces as `+`. */
function writtenValue(text: string): string {
  return encodeValue(text).replaceAll('%20', '+');
}

/** Renames `in`, the old name of `kind`, and `q`, which other services use for `query`. */
export function withNewNames(address: string): string {
  const renamed = address.replace(/(?<=[?&])in=/g, 'kind=');
  return /[?&]query=/.test(renamed) ? renamed : renamed.replace(/(?<=[?&])q=/g, 'query=');
}

/** Posts if it is empty. */
export function readKind(text: string): Kind {
  return text === '' ? 'post' : readName('kind', text, KIND_NAMES);
}

/** The first of the choices if it is empty. Throws `malformed_request`. */
function readListed<Choice extends string>(
  parameter: string,
  text: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return text === '' ? choices[0] : readChoice(parameter, text, choices, 'malformed_request');
}

/** The value with this name. Throws `malformed_request`. */
export function readName<Named extends string>(
  parameter: string,
  text: string,
  names: Readonly<Record<Named, string>>,
): Named {
  const name = readChoice(parameter, text, Object.values<string>(names), 'malformed_request');
  return (Object.keys(names) as Named[]).find((named) => names[named] === name)!;
}

/** How many results a page may have; the first is the default. */
export const PAGE_SIZES = [25, 50, 100] as const;

type PageSize = (typeof PAGE_SIZES)[number];

/** The unit of the timeline's bars. The first is the default. */
export const TIMELINE_BARS = ['count', 'share'] as const;

export type TimelineBars = (typeof TIMELINE_BARS)[number];

/** Lists show titles with excerpts, or titles alone. The first is the default. */
export const LIST_VIEWS = ['texts', 'titles'] as const;

export type ListView = (typeof LIST_VIEWS)[number];

/** How texts of communities for adults are shown. The first is the default. */
export const ADULT_TEXTS = ['folded', 'shown'] as const;

type AdultTexts = (typeof ADULT_TEXTS)[number];

export interface SearchState {
  readonly query: string;
  readonly kind: Kind;
  readonly order: Order;
  /** The cursor; null: the first page. */
  readonly after: string | null;
  readonly limit: PageSize;
  readonly show: ListView;
  readonly timeline: TimelineBars;
  /** Holds for this page only; links to other pages of the list leave it out. */
  readonly adult: AdultTexts;
  readonly since?: number | null;
  /** Comments only: a query that their post must match, as written; null: any post. */
  readonly under: string | null;
  /**
   * Cursors of the earlier pages, the latest last; 0 is the first page. Empty if unknown. The canonical address leaves
   * it out.
   */
  readonly trail: readonly string[];
}

export const MAX_TRAIL = 40;

/**
 * The state in an address; null if it has no `query`. Ignores unknown parameters and repeated ones, since people edit
 * addresses that they pass on. Throws `bad_encoding`, `bad_order`,
 * `bad_limit`, `malformed_request` (for `kind`, `show`, `timeline`, `adult` and `since`).
 */
export function readSearchState(address: string): SearchState | null {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) return null;
  return {
    query: query.trim(),
    kind: readKind(given.get('kind') ?? ''),
    order: orderBy.read(given.get('order_by') ?? null, 'order_by'),
    after: given.get('after') || null,
    limit: readLimit(given.get('limit') ?? ''),
    show: readListed('show', given.get('show') ?? '', LIST_VIEWS),
    timeline: readListed('timeline', given.get('timeline') ?? '', TIMELINE_BARS),
    adult: readListed('adult', given.get('adult') ?? '', ADULT_TEXTS),
    since: readSince(given.get('since') ?? ''),
    under: given.get('under')?.trim() || null,
    trail: given.get('after') ? readTrail(given.get('trail') ?? '') : [],
  };
}

export function plainSearch(query: string, kind: Kind): SearchState {
  const [limit, show, timeline] = [PAGE_SIZES[0], LIST_VIEWS[0], TIMELINE_BARS[0]];
  const adult = ADULT_TEXTS[0];
  return { query, kind, under: null, order: 'newest', after: null, limit, show, timeline, adult, trail: [] };
}

export function firstPage(state: SearchState): SearchState {
  return { ...state, after: null, adult: ADULT_TEXTS[0], trail: [] };
}

/** The same search of another kind; drops `since`, because each kind numbers its own arrivals. */
export function ofKind(state: SearchState, kind: Kind): SearchState {
  return kind === state.kind ? state : { ...state, kind, since: null };
}

export function nextPage(state: SearchState, cursor: number): SearchState {
  const trail = [...state.trail, state.after ?? '0'];
  const after = String(cursor);
  return { ...state, after, adult: ADULT_TEXTS[0], trail: trail.slice(-MAX_TRAIL) };
}

/** The previous page; null if the trail is empty. */
export function previousPage(state: SearchState): SearchState | null {
  const after = state.trail.at(-1);
  if (after === undefined) return null;
  if (after === '0') return firstPage(state);
  return { ...state, after, adult: ADULT_TEXTS[0], trail: state.trail.slice(0, -1) };
}

/** `/search?query=…`, in canonical form. */
export function searchAddress(state: Partial<SearchState> & { readonly query: string }): string {
  return searchAddresses(state)(state.query);
}

/** Writes the shared parameters once, for pages that link to hundreds of queries. */
export function searchAddresses(state: Partial<Omit<SearchState, 'query'>>): (query: string) => string {
  const others = pageAddress('', [
    ['order_by', state.order === 'newest' ? null : state.order],
    ['after', state.after],
    ['kind', state.kind === 'comment' ? 'comments' : null],
    ['under', state.under || null],
    ['limit', state.limit === PAGE_SIZES[0] ? null : state.limit],
    ['show', state.show === LIST_VIEWS[0] ? null : state.show],
    ['timeline', state.timeline === TIMELINE_BARS[0] ? null : state.timeline],
    ['adult', state.adult === 'shown' ? 'shown' : null],
    ['since', state.since || null],
    ['trail', state.trail?.join('.') || null],
  ]).replace('?', '&');
  return (query) => `/search?query=${writtenValue(query)}${others}`;
}

/**
 * The parameters of a results page besides its query, for links back from a record or thread. Leaves out the kind if it
 * is `kind`, which those pages assume.
 */
export function listOf(state: SearchState, kind: Kind): string {
  const rest = searchAddresses({ ...state, kind: 'post' })('').replace(/^[^&]*&?/, '');
  return state.kind === kind ? rest : `kind=${KIND_NAMES[state.kind]}${rest === '' ? '' : '&'}${rest}`;
}

/** The results page that `listOf` described; the first page of the query if `list` is invalid. */
export function readList(query: string, list: string, kind: Kind): SearchState {
  try {
    return readSearchState(`?query=${encodeValue(query)}&${list}&kind=${KIND_NAMES[kind]}`)!;
  } catch (error) {
    if (error instanceof ServiceError) return plainSearch(query, kind);
    throw error;
  }
}

function readSince(text: string): number | null {
  if (text === '') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text) || null;
  throw parameterFault('malformed_request', 'since', 'the number of an arrival', quoted(text));
}

/** Empty if the text is not a trail: an address that was cut or edited still shows its page. */
function readTrail(text: string): readonly string[] {
  const trail = text.split('.');
  return trail.length <= MAX_TRAIL && trail.every((cursor) => /^(?:0|[1-9]\d{0,15})$/.test(cursor))
    ? trail
    : [];
}

function readLimit(text: string): PageSize {
  if (text === '') return PAGE_SIZES[0];
  const size = PAGE_SIZES.find((known) => String(known) === text);
  if (size !== undefined) return size;
  throw parameterFault('bad_limit', 'limit', PAGE_SIZES.join(', '), quoted(text));
}

/** A search without order and page. `under` is null for posts. */
export type AboutSearch = Pick<SearchState, 'query' | 'kind' | 'under'>;

/** Throws `bad_encoding`, `missing_query`, `malformed_request`. */
export function readAbout(address: string): AboutSearch {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) throw new ServiceError('missing_query', 'expected a query, found none');
  const kind = readKind(given.get('kind') ?? '');
  return { query: query.trim(), kind, under: (kind === 'comment' && given.get('under')?.trim()) || null };
}

/** In the address of a page about a search; posts have no `under`. */
export function kindAndUnder(kind: Kind, under: string | null | undefined): Given {
  return kind === 'post'
    ? []
    : [
        ['kind', KIND_NAMES[kind]],
        ['under', under || null],
      ];
}

export const SETTINGS_PAGE = '/settings';

export const SETTINGS_SAVED = `${SETTINGS_PAGE}?saved=1`;

export function settingsAddress(here: string): string {
  return pageAddress(SETTINGS_PAGE, [['return', here === '/' ? null : here]]);
}

/** The address of a page to sign in or register, which leads on to `here`, a path of this site. */
export function leadingBack(path: string, here: string): string {
  return `${path}?return=${encodeURIComponent(here)}`;
}

/** The parameter `return`, unchecked: the path to go to next; null: none. Throws `bad_encoding`. */
export function readReturn(address: string): string | null {
  return readFirst(address).get('return') ?? null;
}

export const REFERENCE_PATH = '/docs/reference';

/** Followed by the name of an endpoint: runs it for a signed-in person. */
export const RUN_PATH = '/docs/run';

export const DOCS_SEARCH = '/docs/search';

/** The name of an endpoint in addresses: `search-posts`, `thread`, `datasets-name`. */
export function endpointName(path: string): string {
  return path.replace('/api/v1', '').replace(/[{}:]/g, '').slice(1).replaceAll('/', '-');
}

export function endpointPage(path: string): string {
  return `${REFERENCE_PATH}/${endpointName(path)}`;
}

export function runAddress(path: string): string {
  return `${RUN_PATH}/${endpointName(path)}`;
}

/** The address of a search by the API, with the parameters in this order; those that are null are left out. */
export function endpointAddress(
  kind: Kind,
  values: Readonly<Record<string, string | number | null | undefined>>,
): string {
  return requestAddress(endpointPath('search', kind), {}, Object.entries(values));
}

export function endpointPath(name: string, kind: Kind): string {
  return `/api/v1/${name}/${KIND_NAMES[kind]}`;
}

/** The address of an operation's answer as CSV for spreadsheets. */
export function tableAddress(
  name: string,
  kind: Kind,
  values: readonly (readonly [name: string, value: string])[],
): string {
  return requestAddress(endpointPath(name, kind), {}, [...values, ['format', 'csv-excel']]);
}

/** The parameter `under` of an endpoint, if there is one. */
export function underPair(under: string | null): (readonly [name: string, value: string])[] {
  return under === null ? [] : [['under', under]];
}

/**
 * Fills the path of an endpoint as the OpenAPI document has it (`/api/v1/thread/{post}`) and appends the parameters, in
 * their order, without those that are null or undefined. A parameter may come several times.
 */
export function requestAddress(
  path: string,
  parts: Readonly<Record<string, string>>,
  parameters: Given,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeValue(parts[name] ?? name));
  const pairs = parameters
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeValue(String(value))}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

export const COMPARE_PAGE = '/compare';

export function compareAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(COMPARE_PAGE, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ['query', query],
  ]);
}

export const PICTURES_PAGE = '/pictures';

export function picturesAddress({ query, kind, under }: AboutSearch): string {
  return pageAddress(PICTURES_PAGE, [['query', query], ...kindAndUnder(kind, under)]);
}

export interface BreakdownState extends AboutSearch {
  /** What else the address of the page of results has that leads here, by `listOf`; empty: nothing. */
  readonly list: string;
  readonly field: NameField;
  /** Rows whose names start with this, in any case, are shown; empty: all. */
  readonly prefix: string;
  readonly page: number;
}

export const FIELD_NAMES: Readonly<Record<NameField, string>> = {
  community: 'subreddit',
  domain: 'domain',
};

export function breakdownAddress(
  state: Partial<BreakdownState> & Pick<BreakdownState, 'query' | 'kind' | 'field'>,
): string {
  const { query, kind, under, field, prefix, page = 1, list } = state;
  return pageAddress('/breakdown', [
    ['query', query],
    ['field', FIELD_NAMES[field]],
    ...kindAndUnder(kind, under),
    ['prefix', prefix || null],
    ['page', page === 1 ? null : page],
    ['list', list || null],
  ]);
}

/** The search that led to a record or thread: its words are marked there. */
interface Words {
  readonly query: string | null;
  /** The other parameters of the results page (`listOf`); absent, empty: none. */
  readonly list?: string;
}

export const RECORD_PATHS: Readonly<Record<Kind, string>> = {
  post: `/record/${KIND_NAMES.post}`,
  comment: `/record/${KIND_NAMES.comment}`,
};

export function recordAddress(kind: Kind, id: string, { query, list }: Words): string {
  return pageAddress(`${RECORD_PATHS[kind]}/${id}`, [
    ['query', query || null],
    ['list', list || null],
  ]);
}

/** The search whose words should be marked. Throws `bad_encoding`. */
export function readWords(address: string): Required<Words> {
  const given = readFirst(address);
  return { query: given.get('query') || null, list: given.get('list') ?? '' };
}

export const THREAD_ORDERS = ['oldest', 'top'] as const;

export type ThreadOrder = (typeof THREAD_ORDERS)[number];

export interface ThreadState extends Words {
  readonly post: string;
  /** How many comments to leave out first; 0: the first page. */
  readonly after: number;
  readonly around: string | null;
  readonly order: ThreadOrder;
}

/** Throws `bad_encoding`, `bad_cursor`. */
export function readThreadState(post: string, address: string): ThreadState {
  const given = readFirst(address);
  return {
    post,
    ...readWords(address),
    after: readAfter(given.get('after') ?? ''),
    around: given.get('around')?.replace(/^t1_/, '') || null,
    order: given.get('order_by') === 'top' ? 'top' : 'oldest',
  };
}

/** Adds `#comment-<id>` for `around`, so that the browser scrolls there. */
export function threadAddress({
  post,
  query = null,
  list = '',
  after = 0,
  around = null,
  order = 'oldest',
}: Partial<ThreadState> & Pick<ThreadState, 'post'>): string {
  const address = pageAddress(`/thread/${post}`, [
    ['query', query || null],
    ['around', around],
    ['order_by', order === 'oldest' ? null : order],
    ['after', after === 0 ? null : after],
    ['list', list || null],
  ]);
  return around === null ? address : `${address}#${commentAnchor(around)}`;
}

/** `id` of the comment's element on the page of its thread. */
export function commentAnchor(id: string): string {
  return `comment-${id}`;
}

/** Up to 16 digits. A page beyond the end of the thread says so. */
function readAfter(text: string): number {
  if (/^\d{0,16}$/.test(text)) return Number(text);
  throw parameterFault('bad_cursor', 'after', 'a number of comments', quoted(text));
}
