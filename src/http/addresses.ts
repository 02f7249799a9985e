// The addresses of this service, written and read in one place. Each state of a page has one address, with
// the API's names, in a fixed order, without defaults.

import { PICTURES, type Picture } from '../analysis/pictures.ts';
import { ServiceError } from '../errors.ts';
import type { Format } from '../exporting/formats.ts';
import type { NameField } from '../model/engine.ts';
import type { Order } from '../model/order.ts';
import { KIND_NAMES, type Kind } from '../model/record.ts';
import { quoted } from '../text/quoted.ts';
import type { ExportTable, SchemaTable } from './export-parameters.ts';
import { parameterString, readChoice } from './parameters.ts';
import { encodeValue, parseQueryString } from './query-string.ts';
import { orderBy, type SearchParameters, type SearchTable } from './search-parameters.ts';
import type { ThreadTable } from './thread-parameters.ts';

/** The paths of the two endpoints. */
export const SEARCH_PATHS: Readonly<Record<Kind, string>> = {
  post: '/api/v1/search/posts',
  comment: '/api/v1/search/comments',
};

/** The address of a request to an endpoint, with these parameters, in this order. */
export function endpointAddress(
  kind: Kind,
  values: Partial<Record<keyof SearchParameters, string | number>>,
): string {
  return `${SEARCH_PATHS[kind]}?${parameterString<SearchTable>(values)}`;
}

/** The paths of the analyses of each kind, by name. */
export function analysisPath(name: string, kind: Kind): string {
  return `/api/v1/${name}/${LIST_NAMES[kind]}`;
}

/** The paths of the exports. */
export const EXPORT_PATHS: Readonly<Record<Kind, string>> = {
  post: '/api/v1/export/posts',
  comment: '/api/v1/export/comments',
};

/** The address of an export, with these parameters, in this order. */
export function exportAddress(
  kind: Kind,
  values: Partial<Record<keyof ExportTable, string | number>>,
): string {
  return `${EXPORT_PATHS[kind]}?${parameterString<ExportTable>(values)}`;
}

export function exportSchemaPath(kind: Kind): string {
  return `${EXPORT_PATHS[kind]}/schema`;
}

/** The address of the schema of a table. `fields`: as the caller gave them; null: those of the interface. */
export function exportSchemaAddress(kind: Kind, format: Format, fields: string | null): string {
  const values = parameterString<SchemaTable>({ format, ...(fields === null ? {} : { fields }) });
  return `${exportSchemaPath(kind)}?${values}`;
}

/** The paths of records by their ids. */
export const NAMED_PATHS: Readonly<Record<Kind, string>> = {
  post: '/api/v1/records/posts',
  comment: '/api/v1/records/comments',
};
/** The paths of data sets: the list, and one of them, below which its files are. */
export const DATASETS_PATH = '/api/v1/datasets';
export const DATASET_PATH = `${DATASETS_PATH}/:name`;

export function datasetAddress(name: string): string {
  return `${DATASETS_PATH}/${name}`;
}

export function datasetFileAddress(name: string, file: string): string {
  return `${datasetAddress(name)}/${file}`;
}

/** The paths of citations: of making one, and of one of them. */
export const CITE_PAGE = '/cite';
export const CITATION_PATH = '/api/v1/citations/:id';

/** Of the form that cites what a query finds. */
export function citeAddress(query: string): string {
  return `${CITE_PAGE}?query=${encodeValue(query)}`;
}

export function citationPage(id: string): string {
  return `${CITE_PAGE}/${id}`;
}

/** The same on pages. */
export const DATASETS_PAGE = '/datasets';

export function datasetPage(name: string): string {
  return `${DATASETS_PAGE}/${name}`;
}

export function datasetFilePage(name: string, file: string): string {
  return `${datasetPage(name)}/${encodeURIComponent(file)}`;
}

/** The reference of the API; each endpoint has a page below it. */
export const REFERENCE_PATH = '/docs/reference';

/**
 * The address of a request to an endpoint: its path as in the OpenAPI document (`/api/v1/thread/{post}`) with the parts
 * by name, and parameters, of which one may come several times.
 */
export function requestAddress(
  path: string,
  parts: Readonly<Record<string, string>>,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeValue(parts[name] ?? name));
  const search = parameters.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

/** Where people who are signed in try an endpoint, by its name. */
export const RUN_PATH = '/docs/run';

/** Search in the documentation. */
export const DOCS_SEARCH = '/docs/search';

/** What an endpoint is called in addresses: `search-posts`, `thread`, `datasets-name`. */
export function endpointName(path: string): string {
  return path.replace('/api/v1', '').replace(/[{}:]/g, '').slice(1).replaceAll('/', '-');
}

export function endpointPage(path: string): string {
  return `${REFERENCE_PATH}/${endpointName(path)}`;
}

export function runAddress(path: string): string {
  return `${RUN_PATH}/${endpointName(path)}`;
}

export const COVERAGE_PATH = '/api/v1/coverage';

/** Its page. */
export const COVERAGE_PAGE = '/coverage';

/** A thread of the API is below this path. */
export const THREAD_PATH = '/api/v1/thread';

/** The address of a thread of the API. `post`: as the caller gave it. */
export function apiThreadAddress(
  post: string,
  values: Partial<Record<keyof ThreadTable, string | number>>,
): string {
  const given = parameterString<ThreadTable>(values);
  return `${THREAD_PATH}/${encodeURIComponent(post)}${given === '' ? '' : `?${given}`}`;
}

/** The path of saved searches in the API; one is below it. */
export const SAVED_PATH = '/api/v1/saved';

/** Their page. */
export const SAVED_PAGE = '/account/saved';

/** The page that saves a search. */
export const NEW_SAVED_PAGE = `${SAVED_PAGE}/new`;

/** The same, with its form filled in. */
export function newSavedAddress({
  query,
  kind,
  order,
}: Pick<SearchState, 'query' | 'kind' | 'order'>): string {
  return pageAddress(NEW_SAVED_PAGE, [
    ['query', query],
    ['order_by', order === 'newest' ? null : order],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

/** The path of feeds: behind it come the token and the ending of the form. */
export const FEED_PATH = '/feed';

/** Ending of the address → media type. */
export const FEED_FORMS = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
} as const;

export type FeedForm = keyof typeof FEED_FORMS;

/** `page`: from 1; of 1 it says nothing. */
export function feedAddress(token: string, form: FeedForm, page = 1): string {
  return `${FEED_PATH}/${token}.${form}${page === 1 ? '' : `?page=${page}`}`;
}

/** Feeds of any search, for visitors. */
export const PUBLIC_FEED_PATHS: Readonly<Record<FeedForm, string>> = {
  atom: '/search.atom',
  json: '/search.json',
};

export function publicFeedAddress(
  { query, kind }: Pick<SearchState, 'query' | 'kind'>,
  form: FeedForm,
): string {
  return pageAddress(PUBLIC_FEED_PATHS[form], [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

/** Throws `bad_encoding`, `missing_query`, `malformed_request`. */
export function readPublicFeed(address: string): Pick<SearchState, 'query' | 'kind'> {
  return readQueryAndKind(address);
}

/** Why no feed can be made where there is no `tagHost`. */
export const NO_FEED_HOST =
  'expected a public address with the name of a host in `COLLOQUY_PUBLIC_URL`, found none: ' +
  'the ids of the entries of a feed contain it, and would not last';

/** How many results a page may have; the first is the default. */
export const PAGE_SIZES = [25, 50, 100] as const;

export type PageSize = (typeof PAGE_SIZES)[number];

/** What the bars of the timeline show: how many matches, or what share they are. The first is the default. */
export const TIMELINE_BARS = ['count', 'share'] as const;

export type TimelineBars = (typeof TIMELINE_BARS)[number];

/** What a list shows of its records: titles with excerpts of their texts, or titles alone. The first is the default. */
export const LIST_VIEWS = ['texts', 'titles'] as const;

export type ListView = (typeof LIST_VIEWS)[number];

/** What a page does with texts of communities for adults. The first is the default. */
export const ADULT_TEXTS = ['folded', 'shown'] as const;

export type AdultTexts = (typeof ADULT_TEXTS)[number];

export interface SearchState {
  /** As written; empty: every record. */
  readonly query: string;
  readonly kind: Kind;
  readonly order: Order;
  /** The cursor; null: the first page. */
  readonly after: string | null;
  readonly limit: PageSize;
  readonly show: ListView;
  readonly timeline: TimelineBars;
  /** Of this page alone: the other pages of the list are without it. */
  readonly adult: AdultTexts;
  /** Only what came in behind this arrival; absent or null: all. */
  readonly since?: number | null;
  /**
   * The way here: the cursors of the pages before this one, the nearest last; 0 is the first page. Empty if
   * unknown. It is not part of what is shown, so the canonical address does not contain it.
   */
  readonly trail: readonly string[];
}

/** How many pages one can go back in a row. */
export const MAX_TRAIL = 40;

export const LIST_NAMES = KIND_NAMES;

/**
 * The state that an address asks for; null if it has no `query`. Ignores other parameters, and uses the first
 * of one that is given twice: people pass addresses on and add to them. Throws `bad_encoding`, `bad_order`,
 * `bad_limit`, `malformed_request` (for `in`, `show`, `timeline`, `adult` and `since`).
 */
export function readSearchState(address: string): SearchState | null {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) return null;
  return {
    query: query.trim(),
    kind: readKind(given.get('in') ?? ''),
    order: orderBy.read(given.get('order_by') ?? null, 'order_by'),
    after: given.get('after') || null,
    limit: readLimit(given.get('limit') ?? ''),
    show: readListed('show', given.get('show') ?? '', LIST_VIEWS),
    timeline: readListed('timeline', given.get('timeline') ?? '', TIMELINE_BARS),
    adult: readListed('adult', given.get('adult') ?? '', ADULT_TEXTS),
    since: readSince(given.get('since') ?? ''),
    trail: given.get('after') ? readTrail(given.get('trail') ?? '') : [],
  };
}

/** The first page of a kind's newest matches. */
export function plainSearch(query: string, kind: Kind): SearchState {
  const [limit, show, timeline] = [PAGE_SIZES[0], LIST_VIEWS[0], TIMELINE_BARS[0]];
  const adult = ADULT_TEXTS[0];
  return { query, kind, order: 'newest', after: null, limit, show, timeline, adult, trail: [] };
}

/** The first page of the same list. */
export function firstPage(state: SearchState): SearchState {
  return { ...state, after: null, adult: ADULT_TEXTS[0], trail: [] };
}

/** The same of this kind. Arrivals of another are other numbers. */
export function ofKind(state: SearchState, kind: Kind): SearchState {
  return kind === state.kind ? state : { ...state, kind, since: null };
}

/** The page after this one. */
export function nextPage(state: SearchState, cursor: number): SearchState {
  const trail = [...state.trail, state.after ?? '0'];
  const after = String(cursor);
  return { ...state, after, adult: ADULT_TEXTS[0], trail: trail.slice(-MAX_TRAIL) };
}

/** The page before this one; null if the address does not contain it. */
export function previousPage(state: SearchState): SearchState | null {
  const after = state.trail.at(-1);
  if (after === undefined) return null;
  if (after === '0') return firstPage(state);
  return { ...state, after, adult: ADULT_TEXTS[0], trail: state.trail.slice(0, -1) };
}

/** `/search?query=…`, the same for the same state. */
export function searchAddress(state: Partial<SearchState> & { readonly query: string }): string {
  return pageAddress('/search', [
    ['query', state.query],
    ['order_by', state.order === 'newest' ? null : state.order],
    ['after', state.after],
    ['in', state.kind === 'comment' ? 'comments' : null],
    ['limit', state.limit === PAGE_SIZES[0] ? null : state.limit],
    ['show', state.show === LIST_VIEWS[0] ? null : state.show],
    ['timeline', state.timeline === TIMELINE_BARS[0] ? null : state.timeline],
    ['adult', state.adult === 'shown' ? 'shown' : null],
    ['since', state.since || null],
    ['trail', state.trail?.join('.') || null],
  ]);
}

/** The timeline of a search as a table of CSV. */
export const TIMELINE_FILE = '/timeline.csv';

export function timelineFileAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(TIMELINE_FILE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

/** Pictures of the matches of a query. */
export const PICTURES_PAGE = '/pictures';

/** One of them as a table of CSV. */
export const PICTURES_FILE = '/pictures.csv';

/** What pictures are of. */
export type PicturesState = Pick<SearchState, 'query' | 'kind'>;

/** Throws `bad_encoding`, `missing_query`, `malformed_request`. */
export function readPicturesState(address: string): PicturesState {
  return readQueryAndKind(address);
}

function readQueryAndKind(address: string): Pick<SearchState, 'query' | 'kind'> {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) throw new ServiceError('missing_query', 'expected a query, found none');
  return { query: query.trim(), kind: readKind(given.get('in') ?? '') };
}

/** Which picture the file should have. Throws what `readPicturesState` throws. */
export function readPicture(address: string): Picture {
  return readChoice('which', readFirst(address).get('which') ?? '', PICTURES, 'malformed_request');
}

export function picturesAddress({ query, kind }: PicturesState): string {
  return pageAddress(PICTURES_PAGE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

export function pictureFileAddress({ query, kind }: PicturesState, which: Picture): string {
  return pageAddress(PICTURES_FILE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
    ['which', which],
  ]);
}

export interface BreakdownState {
  readonly query: string;
  readonly kind: Kind;
  readonly field: NameField;
  /** Rows whose names start with this, in any case, are shown; empty: all. */
  readonly prefix: string;
  /** From 1 on. */
  readonly page: number;
}

export const FIELD_NAMES: Readonly<Record<NameField, string>> = {
  community: 'subreddits',
  domain: 'domains',
};

/** Throws what `readSearchState` throws, and `missing_query`. */
export function readBreakdownState(address: string): BreakdownState {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) throw new ServiceError('missing_query', 'expected a query, found none');
  return {
    field: readName('by', given.get('by') ?? '', FIELD_NAMES),
    query: query.trim(),
    kind: readKind(given.get('in') ?? ''),
    prefix: (given.get('prefix') ?? '').trim(),
    page: readPageNumber(given.get('page') ?? ''),
  };
}

export function breakdownAddress({ query, kind, field, prefix, page }: BreakdownState): string {
  return pageAddress('/breakdown', [
    ['query', query],
    ['by', FIELD_NAMES[field]],
    ['in', kind === 'comment' ? 'comments' : null],
    ['prefix', prefix === '' ? null : prefix],
    ['page', page === 1 ? null : page],
  ]);
}

/** All rows as one table of CSV. */
export function breakdownFileAddress(state: BreakdownState): string {
  return breakdownAddress({ ...state, page: 1 }).replace('/breakdown', BREAKDOWN_FILE);
}

export const BREAKDOWN_FILE = '/breakdown.csv';

/** The results of a search as one file. */
export const DOWNLOAD_PATH = '/download';

export interface DownloadState {
  /** As written. */
  readonly query: string;
  readonly kind: Kind;
  /** In the order given; empty: those of the interface. */
  readonly fields: readonly string[];
  /** Everything else, by name. */
  readonly given: ReadonlyMap<string, string>;
}

/** Throws `bad_encoding`, `missing_query`, `malformed_request`. */
export function readDownloadState(address: string): DownloadState {
  const given = readFirst(address);
  const query = given.get('query');
  if (query === undefined) throw new ServiceError('missing_query', 'expected a query, found none');
  const fields = readPairs(address).filter(({ name, value }) => name === 'fields' && value !== '');
  return {
    query: query.trim(),
    kind: readKind(given.get('in') ?? ''),
    fields: fields.map(({ value }) => value),
    given,
  };
}

/** The state of the pages for reading: the search that led there, whose words are marked. */
interface Words {
  /** As written; null or empty: none. */
  readonly q: string | null;
}

export const RECORD_PATHS: Readonly<Record<Kind, string>> = {
  post: `/record/${LIST_NAMES.post}`,
  comment: `/record/${LIST_NAMES.comment}`,
};

export function recordAddress(kind: Kind, id: string, { q }: Words): string {
  return pageAddress(`${RECORD_PATHS[kind]}/${id}`, [['q', q || null]]);
}

/** The search whose words should be marked. Throws `bad_encoding`. */
export function readWords(address: string): string | null {
  return readFirst(address).get('q') || null;
}

export interface ThreadState extends Words {
  /** Id of the post. */
  readonly post: string;
  /** How many comments to leave out first; 0: the first page. */
  readonly after: number;
  /** Id of the comment to open the thread at; null: from the start. */
  readonly around: string | null;
}

/** Throws `bad_encoding`, `bad_cursor`. */
export function readThreadState(post: string, address: string): ThreadState {
  const given = readFirst(address);
  return {
    post,
    q: given.get('q') || null,
    after: readAfter(given.get('after') ?? ''),
    around: given.get('around')?.replace(/^t1_/, '') || null,
  };
}

/** Adds `#comment-<id>` for `around`, so that the browser scrolls there. */
export function threadAddress({ post, q, after, around }: ThreadState): string {
  const address = pageAddress(`/thread/${post}`, [
    ['q', q || null],
    ['around', around],
    ['after', after === 0 ? null : after],
  ]);
  return around === null ? address : `${address}#${commentAnchor(around)}`;
}

/** `id` of the comment's element on the page of its thread. */
export function commentAnchor(id: string): string {
  return `comment-${id}`;
}

export const SIGN_IN_PATH = '/sign-in';
export const REGISTER_PATH = '/register';
/** My API, where signing in and registering lead unless the address names another page. */
export const KEYS_PATH = '/account/keys';

/** The page to sign in, which returns to this path afterwards. */
export function signInAddress(here: string): string {
  return `${SIGN_IN_PATH}?return=${encodeURIComponent(here)}`;
}

export function registerAddress(here: string): string {
  return `${REGISTER_PATH}?return=${encodeURIComponent(here)}`;
}

/** Settings that need no account. */
export const SETTINGS_PAGE = '/settings';

/** The same, once they are saved. */
export const SETTINGS_SAVED = `${SETTINGS_PAGE}?saved=1`;

/** The same, to return to this path afterwards. */
export function settingsAddress(here: string): string {
  return pageAddress(SETTINGS_PAGE, [['return', here === '/' ? null : here]]);
}

/** The path to go on to, as the address asks; null if it does not. Throws `bad_encoding`. */
export function readReturn(address: string): string | null {
  return readFirst(address).get('return') ?? null;
}

/** Uses the first of a parameter that is given twice. Throws `bad_encoding`. */
export function readFirst(address: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const { name, value } of readPairs(address)) {
    if (!given.has(name)) given.set(name, value);
  }
  return given;
}

/** Names and values of a query string, in its order. Throws `bad_encoding`. */
export function readGiven(address: string): (readonly [name: string, value: string])[] {
  return readPairs(address).map(({ name, value }) => [name, value] as const);
}

/** In their order. Throws `bad_encoding`. */
export function readPairs(address: string): ReturnType<typeof parseQueryString> {
  const question = address.indexOf('?');
  return parseQueryString(question === -1 ? '' : address.slice(question + 1));
}

type Given = readonly (readonly [name: string, value: string | number | null | undefined])[];

/** The path with `?a=1&b=2`, without parameters that are null or undefined. */
export function pageAddress(path: string, parameters: Given): string {
  const pairs = parameters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeValue(String(value)).replaceAll('%20', '+')}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Posts if it is empty. */
export function readKind(text: string, parameter = 'in'): Kind {
  return text === '' ? 'post' : readName(parameter, text, LIST_NAMES);
}

/** The first of the choices if it is empty. Throws `malformed_request`. */
function readListed<Choice extends string>(
  parameter: string,
  text: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return text === '' ? choices[0] : readChoice(parameter, text, choices, 'malformed_request');
}

/** The first of TIMELINE_BARS if it is empty. Throws `malformed_request`. */
export function readBars(text: string): TimelineBars {
  return readListed('timeline', text, TIMELINE_BARS);
}

function readSince(text: string): number | null {
  if (text === '') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text) || null;
  throw new ServiceError(
    'malformed_request',
    `parameter \`since\`: expected the number of an arrival, found ${quoted(text)}`,
  );
}

/** The value with this name. Throws `malformed_request`. */
function readName<Named extends string>(
  parameter: string,
  text: string,
  names: Readonly<Record<Named, string>>,
): Named {
  const name = readChoice(parameter, text, Object.values<string>(names), 'malformed_request');
  return (Object.keys(names) as Named[]).find((named) => names[named] === name)!;
}

/** Empty if the text is not a trail: an address that was cut or edited still shows its page. */
function readTrail(text: string): readonly string[] {
  const trail = text.split('.');
  return trail.length <= MAX_TRAIL && trail.every((cursor) => /^(?:0|[1-9]\d{0,15})$/.test(cursor))
    ? trail
    : [];
}

/** Up to 16 digits, more than any thread has comments: behind its end, a page says so. */
function readAfter(text: string): number {
  if (/^\d{0,16}$/.test(text)) return Number(text);
  throw new ServiceError(
    'bad_cursor',
    `parameter \`after\`: expected a number of comments, found ${quoted(text)}`,
  );
}

function readPageNumber(text: string): number {
  if (text === '') return 1;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new ServiceError(
    'malformed_request',
    `parameter \`page\`: expected a whole number from 1 to 9,999,999, found ${quoted(text)}`,
  );
}

function readLimit(text: string): PageSize {
  if (text === '') return PAGE_SIZES[0];
  const size = PAGE_SIZES.find((known) => String(known) === text);
  if (size !== undefined) return size;
  throw new ServiceError(
    'bad_limit',
    `parameter \`limit\`: expected ${PAGE_SIZES.join(', ')}, found ${quoted(text)}`,
  );
}
