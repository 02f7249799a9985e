// Pages that say what went wrong: with the query, its place and a way to mend it, or with anything else.

import { PROBLEMS, type ProblemCode, type ServiceError } from '../../errors.ts';
import { KIND_NAMES, otherKind } from '../../model/record.ts';
import { firstPage, plainSearch, type SearchState, searchAddress } from '../addresses.ts';
import { type Html, html } from './html.ts';
import { type Frame, type Page, signInTo } from './layout.ts';
import { visible } from './record-text.ts';
import { damageWords } from './records.ts';
import { searchForm, syntaxHelp } from './search-form.ts';

export function pageOfError({ code }: ServiceError, main: Html): Page {
  return { title: `Error: ${titleOf(code)}`, main, mainClass: 'wide' };
}

function titleOf(code: ProblemCode): string {
  return PROBLEMS[code].title.replaceAll('`', '');
}

/** A query with a fault: the query in the box, a caret under the item, and the mended query as a link. */
export function queryErrorPage(state: SearchState, error: ServiceError, mended: string | null): Html {
  return html`${searchForm(state, 'problem-words')}
<section class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h1 id="problem">There is a problem with the search</h1>
<p id="problem-words">${errorWords(error, state.query)}</p>
${placeInQuery(state.query, error)}
${mended === null ? html`<p>Change it in the box above, and search again.</p>` : html`<p>Use <a class="button" href="${searchAddress({ ...firstPage(state), query: mended })}"><code><bdi>${visible(mended)}</bdi></code></a> instead</p>`}
<p class="hint"><a href="/docs/errors#${error.code}">About this error</a></p>
</section>
${syntaxHelp(true)}`;
}

export function placeInQuery(query: string, { position }: ServiceError): Html {
  const { offset, length } = position ?? { offset: 0, length: query.length };
  const item = query.slice(offset, offset + length);
  return html`<p class="caret" aria-label="Where the problem is"><bdi>${visible(query.slice(Math.max(0, offset - 60), offset))}<mark>${visible(item.slice(0, 200))}</mark>${visible(query.slice(offset + length, offset + length + 60))}</bdi></p>`;
}

/** What is wrong, then what to do; text in backticks is code. */
export function errorWords(error: ServiceError, query = ''): Html {
  const pieces = errorSentence(error, query).split('`');
  return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code><bdi>${visible(piece)}</bdi></code>` : visible(piece)))}`;
}

const MOST_OF_ITEM = 60;

/** For people, as on https://design-system.service.gov.uk/components/error-message/; the API's messages are precise. */
export function errorSentence({ code, message, position }: ServiceError, query: string): string {
  const { offset, length } = position ?? { offset: 0, length: 0 };
  const item = query.slice(offset, offset + Math.min(length, MOST_OF_ITEM)).replaceAll('`', "'");
  const sentence = SENTENCES[code];
  if (sentence !== undefined) {
    const words = typeof sentence === 'string' ? sentence : sentence(item, message);
    return position?.parameter === 'under' ? `In the search for posts (\`under\`): ${words}` : words;
  }
  if (!message.includes('expected')) return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  const [, name, wanted, found] = /`?(\w+)`?: expected (.+?)(?:, found (.*))?$/.exec(message) ?? [];
  if (name === undefined)
    return 'This address is not right. Go back to the page that led here, or start again.';
  return `\`${name}\` should be ${wanted}${!found ? '' : `, not ${found}`}. Change it in the address, or start again.`;
}

const SENTENCES: Readonly<
  Partial<Record<ProblemCode, string | ((item: string, message: string) => string)>>
> = {
  nothing_to_search: 'This search has no word to look for. Type a word, or a part such as `/r/energy`.',
  bad_prefix: (item) =>
    `\`${item}\` is too short. Write at least two letters before the star, and nothing after it.`,
  prefix_too_broad: (item) => `Too many words match \`${item}\`. Write more letters before the star.`,
  bad_date: dateSentence,
  bad_score: 'Scores are whole numbers. Write one like `score:1000`.',
  bad_community: (item) => `\`${item}\` is not a community name. Write it like \`/r/energy\`.`,
  bad_site: (item) => `\`${item}\` is not a domain. Write it like \`site:example.org\`.`,
  bad_post: (item) => `\`${item}\` is not a post. Paste its address, or write its id like \`post:abc123\`.`,
  bad_id: (item) => `\`${item}\` is not a record. Paste its address, or write its id like \`id:abc123\`.`,
  open_quote: 'A quotation mark is not closed. Put one after the last word of the phrase.',
  double_negation: 'There are two minus signs in a row. Write one.',
  cannot_negate: (item) => `\`${item}\` cannot have a minus sign. Write the opposite limit instead.`,
  reserved_operator: reservedSentence,
  query_too_long: (_, message) => `This search is too long${numbersOf(message)}. Shorten it.`,
  too_many_items: (_, message) => `This search has too many parts${numbersOf(message)}. Remove some.`,
  phrase_too_long: (_, message) => `This phrase has too many words${numbersOf(message)}. Remove some.`,
  open_window: 'A `before:` needs an `after:` here. Add a start date, such as `after:2019-01-01`.',
  missing_query: 'There is no search in this address. Type one in the box.',
  too_many_queries: 'Compare at most 4 searches. Remove some.',
  too_many_buckets: 'There are too many time steps. Narrow the dates, or choose a longer step.',
  too_many_cells: 'There are too many rows and time steps. Narrow the search, or choose a longer step.',
  too_many_matches: 'Too many records match. Narrow the search.',
  too_many_posts: 'Too many posts match. Narrow the search for posts.',
  not_on_this_engine: 'This server’s search engine cannot answer this. Narrow the search.',
  index_damaged: 'Part of this archive cannot be read. The operator of this server can repair it.',
  storage_unavailable: (_, message) =>
    message.includes('disk')
      ? 'The server’s disk is full. Try again later.'
      : 'The server cannot read its data at the moment. Try again later.',
  dataset_withdrawn: 'This data set is being rebuilt, because a record was removed. Try again in a day.',
  forbidden: 'The form was not sent from this site, or its page has expired.',
  body_too_large: 'The form is too large. Shorten it.',
};

const DAY_OF_MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });

function dateSentence(item: string): string {
  const [, year, month, day] = /:(\d{4})-(\d\d?)-(\d\d?)$/.exec(item)?.map(Number) ?? [];
  if (month !== undefined && month >= 1 && month <= 12 && day! >= 1 && day! <= 31 && year! >= 1970)
    return `${day} ${DAY_OF_MONTH.format(Date.UTC(2000, month - 1))} ${year} does not exist. Choose another day.`;
  return `\`${item}\` is not a date from 1970 on. Write a day like \`after:2023-02-28\`.`;
}

/** What there is, and the most there can be. */
function numbersOf(message: string): string {
  const [most, found] = message.match(/\d[\d,]*/g) ?? [];
  return most === undefined || !found ? '' : ` (${found}; the limit is ${most})`;
}

function reservedSentence(item: string): string {
  const name = /^-?([a-z]+):/i.exec(item)?.[1]?.toLowerCase() ?? item;
  if (name === 'author' || name === 'user')
    return `Authors are not stored here, so \`${name}:\` finds nothing. Remove it.`;
  return `\`${name}:\` is not a search field here. Remove it, or put it in quotes to search for it as text.`;
}

interface ErrorView {
  readonly error: ServiceError;
  readonly requestId: string;
  /** Whether a form was sent, or anything else that is no page to open. */
  readonly isSent: boolean;
  /** The search that failed; null if it was not a search. */
  readonly state: SearchState | null;
  /** Milliseconds that a search may take. */
  readonly timeoutMs: number;
}

export function errorPage(frame: Frame, view: ErrorView): Html {
  const { error, requestId, state } = view;
  return html`${searchForm(state ?? plainSearch('', 'post'), undefined, true)}
<section class="problem" aria-labelledby="problem">
<h1 id="problem">${headline(view)}</h1>
${explanation(frame, view)}
<p class="hint">${error.code === 'internal_error' ? 'If you report this, quote the number ' : 'Request '}<code>${requestId}</code></p>
</section>`;
}

function headline({ error: { code }, isSent }: ErrorView): string {
  if (code === 'not_found') return 'Page not found';
  if (code === 'internal_error') return 'Something went wrong here';
  if (code === 'bad_cursor' || code === 'cursor_of_other_order')
    return 'This link to a results page is not valid';
  if (code === 'forbidden') return isSent ? 'This form was not accepted' : 'Sign in to see more results';
  if (code === 'query_timeout') return 'This search took too long';
  if (code === 'index_damaged') return 'Part of this archive cannot be read';
  if (code === 'engine_unavailable') return 'The search engine is not responding';
  return titleOf(code);
}

function explanation(frame: Frame, { error, state, timeoutMs, isSent }: ErrorView): Html {
  const first = state === null ? null : searchAddress(firstPage(state));
  switch (error.code) {
    case 'not_found':
      return html`<p>Search above, or go to <a href="/">the start page</a>.</p>`;
    case 'internal_error':
      return html`<p>This is our mistake, and it has been logged.</p>
<p>${again(frame)}, or go to <a href="/">the start page</a>.</p>`;
    case 'bad_cursor':
    case 'cursor_of_other_order':
      return html`<p>${first === null ? null : html`<a class="button" href="${first}">First page</a>`}</p>`;
    case 'forbidden':
      if (isSent) {
        return html`<p>${errorWords(error)}</p>
<p>Go back, reload the page, and send the form again.</p>`;
      }
      return html`<p>${signInTo(frame, html`get more results${first === null ? null : html`, or go back to the <a href="${first}">first page</a>`}.`)}</p>`;
    case 'query_timeout':
      return html`<p>It took longer than ${timeoutMs / 1000} seconds and was stopped. Incomplete results are never shown.</p>
${state === null ? html`<p>Ask for less: fewer words, or a shorter time. ${again(frame)}.</p>` : html`<p>Try a narrower search: ${narrower(state).map((query) => html`<a class="button" href="${searchAddress({ ...firstPage(state), query })}"><code><bdi>${visible(query)}</bdi></code></a> `)}</p>`}`;
    case 'index_damaged': {
      if (state === null) return html`<p>${errorWords(error)}</p>`;
      const other = otherKind(state.kind);
      return html`<p>${damageWords(state.kind)} <a class="button" href="${searchAddress({ ...firstPage(state), kind: other })}">Search the ${KIND_NAMES[other]}</a></p>`;
    }
    case 'engine_unavailable':
      return html`<p>Nothing can be searched until it is back. Incomplete results are never shown. ${again(frame)} in ${error.retryAfter ?? 5} s.</p>`;
    case 'dataset_withdrawn':
      return html`<p>${errorWords(error)}</p>
<p>See <a href="/datasets">the list of data sets</a>.</p>`;
    case 'too_many_requests':
      return html`<p>${frame.viewer === null ? 'Too many searches came from your network.' : 'Your account has made too many requests, here or with its API keys.'} Try again in ${error.retryAfter ?? 1} s. <a href="/docs/limits">Limits</a></p>`;
    default:
      return html`<p>${errorWords(error, (error.position?.parameter === 'under' ? state?.under : state?.query) ?? '')}</p>
<p>${first === null ? 'Search above' : html`Go to the <a href="${first}">first page</a> of this search`}, or go to <a href="/">the start page</a>. <a href="/docs/errors#${error.code}">About this error</a></p>`;
  }
}

/** An address that a browser would take for one of another host leads to the start page. */
function again({ here }: Frame): Html {
  return html`<a href="${/^\/(?![/\\])/.test(here) ? here : '/'}">Try again</a>`;
}

function narrower({ query }: SearchState): string[] {
  const year = new Date().getUTCFullYear() - 1;
  return [`${query} after:${year}-01-01`, `${query} score:10`];
}
