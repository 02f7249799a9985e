// What stands in place of a list that is empty, and below that of a visitor.

import type { Kind } from '../../model/record.ts';
import type { PageResult } from '../../search/page/page-service.ts';
import type { Repair } from '../../search/page/repairs.ts';
import { registerAddress, signInAddress } from '../addresses/pages.ts';
import { firstPage, type SearchState, searchAddress } from '../addresses/search.ts';
import { count, KIND_NAMES, totalWords } from './format.ts';
import { type Html, html } from './html.ts';
import type { Frame } from './layout.ts';
import { syntaxHelp } from './query-forms.ts';
import { visible } from './record-text.ts';

export interface EmptyView {
  readonly state: SearchState;
  readonly result: PageResult;
  /** Other queries that find something; only if this one finds nothing. */
  readonly repairs: readonly Repair[];
}

/** The prompt after each of a visitor's lists; where there is more, after a line that fades away. */
export function visitorEnd(frame: Frame, kind: Kind, shown: number, total: number): Html {
  const isWhole = shown >= total;
  return html`${isWhole ? null : FADING}<div class="prompt"><p><strong>${
    isWhole
      ? `That is everything: ${totalWords(kind, total)}.`
      : `Showing the first ${count(shown)} of ${totalWords(kind, total)}.`
  }</strong></p>
<p>${signInOrRegister(frame)} to get ${isWhole ? 'more results in larger searches' : 'more results'}, and keys for the API.${frame.canRegister ? ' It is free and takes a minute.' : ''}</p></div>`;
}

/** The prompt where a visitor finds nothing: one line, below what helps. */
export function emptyEnd(frame: Frame): Html {
  return html`<p class="prompt">Nothing is hidden from you here. ${signInOrRegister(frame)} to get more results in larger searches, and keys for the API.</p>`;
}

function signInOrRegister({ here, canRegister }: Frame): Html {
  const register = canRegister ? html` or <a href="${registerAddress(here)}">register</a>` : null;
  return html`<a href="${signInAddress(here)}">Sign in</a>${register}`;
}

/** Where the next result would be. It contains nothing of it. */
const FADING = html`<div class="fading" aria-hidden="true"><i></i><i></i><i></i></div>
`;

export function emptyList({ state, result, repairs }: EmptyView): Html {
  if ((result.totals[state.kind] ?? 0) > 0) {
    return html`<p class="empty">There are no more results. <a href="${searchAddress(firstPage(state))}">First page</a></p>`;
  }
  const names = `${KIND_NAMES[state.kind]}s`;
  return html`<div class="empty">
<p>${state.query === '' ? `There are no ${names} in this archive.` : html`No ${names} match <b><bdi>${visible(state.query)}</bdi></b>.`}</p>
${repairs.length === 0 ? nothingHelps(state) : repairList(state, repairs)}
</div>`;
}

function repairList(state: SearchState, repairs: readonly Repair[]): Html {
  return html`<p>These searches find something:</p>
<ul class="repairs">${repairs.map(({ kind, query, words, count: found }) => {
    const address = searchAddress({ ...firstPage(state), kind, query });
    return html`<li><a href="${address}"><bdi>${visible(words)}</bdi></a>: ${totalWords(kind, found)}</li>`;
  })}</ul>`;
}

function nothingHelps({ query }: SearchState): Html {
  if (query === '') return html`<p><a href="/">What is in this archive</a></p>`;
  return html`<p>Check the spelling, or try other words. A search finds whole words only:
<code>panel*</code> finds <code>panels</code> too.</p>
${syntaxHelp(false)}`;
}
