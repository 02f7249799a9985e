// Pages that say what went wrong: with the query, its place and a way to mend it, or with anything else.

import { PROBLEMS, type ProblemCode, type ServiceError } from '../../errors.ts';
import { otherKind } from '../../model/record.ts';
import { firstPage, LIST_NAMES, plainSearch, type SearchState, searchAddress } from '../addresses.ts';
import { type Html, html } from './html.ts';
import { type Frame, type Page, signInTo } from './layout.ts';
import { visible } from './record-text.ts';
import { damageWords } from './records.ts';
import { searchForm, syntaxHelp } from './search-form.ts';

/** The page of an error, with one of the two contents below. */
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
<p id="problem-words">${messageWords(error.message)}</p>
${placeInQuery(state.query, error)}
${mended === null ? html`<p>Change it in the box above, and search again.</p>` : html`<p>Use <a class="button" href="${searchAddress({ ...firstPage(state), query: mended })}"><code><bdi>${visible(mended)}</bdi></code></a> instead</p>`}
<p class="hint"><a href="/docs/errors#${error.code}">About this error</a></p>
</section>
${syntaxHelp(true)}`;
}

/** The query with a caret under the item at fault. */
export function placeInQuery(query: string, { position }: ServiceError): Html {
  const { offset, length } = position ?? { offset: 0, length: query.length };
  const item = query.slice(offset, offset + length);
  return html`<p class="caret" aria-label="The place in the search"><bdi>${visible(query.slice(Math.max(0, offset - 60), offset))}<mark>${visible(item.slice(0, 200))}</mark>${visible(query.slice(offset + length, offset + length + 60))}</bdi></p>`;
}

/** One of our messages as a sentence: with a capital, a full stop, and text in backticks as code. */
export function messageWords(message: string): Html {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  const pieces = sentence.split('`');
  return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code><bdi>${visible(piece)}</bdi></code>` : visible(piece)))}`;
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
  return html`${searchForm(state ?? plainSearch('', 'post'))}
<section class="problem" aria-labelledby="problem">
<h1 id="problem">${headline(view)}</h1>
${explanation(frame, view)}
<p class="hint">${error.code === 'internal_error' ? 'If you report this, quote the number ' : 'Request '}<code>${requestId}</code></p>
</section>`;
}

function headline({ error: { code }, isSent }: ErrorView): string {
  if (code === 'not_found') return 'There is no such page';
  if (code === 'internal_error') return 'Something went wrong here';
  if (code === 'bad_cursor' || code === 'cursor_of_other_order')
    return 'This link to a page of results is not valid';
  if (code === 'forbidden') return isSent ? 'This form was not accepted' : 'Sign in to see more results';
  if (code === 'query_timeout') return 'This search took too long';
  if (code === 'index_damaged') return 'Part of this archive cannot be read';
  if (code === 'engine_unavailable') return 'The search engine does not answer at the moment';
  return titleOf(code);
}

/** What happened, and what to do next. */
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
        return html`<p>${messageWords(error.message)}</p>
<p>Go back, load the page anew, and send the form again.</p>`;
      }
      return html`<p>${signInTo(frame, html`get more results${first === null ? null : html`, or go back to the <a href="${first}">first page</a>`}.`)}</p>`;
    case 'query_timeout':
      return html`<p>It took longer than ${timeoutMs / 1000} seconds and was stopped. Incomplete results are never shown.</p>
${state === null ? null : html`<p>Try a narrower search: ${narrower(state).map((query) => html`<a class="button" href="${searchAddress({ ...firstPage(state), query })}"><code><bdi>${visible(query)}</bdi></code></a> `)}</p>`}`;
    case 'index_damaged': {
      if (state === null) return html`<p>${messageWords(error.message)}</p>`;
      const other = otherKind(state.kind);
      return html`<p>${damageWords(state.kind)} <a class="button" href="${searchAddress({ ...firstPage(state), kind: other })}">Search the ${LIST_NAMES[other]}</a></p>`;
    }
    case 'engine_unavailable':
      return html`<p>Nothing can be searched until it is there again. Incomplete results are never shown. ${again(frame)} in ${error.retryAfter ?? 5} s.</p>`;
    case 'dataset_withdrawn':
      return html`<p>${messageWords(error.message)}</p>
<p>See <a href="/datasets">the data sets that there are</a>.</p>`;
    case 'too_many_requests':
      return html`<p>${frame.viewer === null ? 'Too many searches came from your network.' : 'Too many requests were made with your account, here or with its keys.'} Try again in ${error.retryAfter ?? 1} s. <a href="/docs/limits">Limits</a></p>`;
    default:
      return html`<p>${messageWords(error.message)}</p>
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
