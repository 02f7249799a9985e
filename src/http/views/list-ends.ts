// What stands in place of a list that is empty, and below the one of a visitor.

import type { Kind } from '../../model/record.ts';
import type { PageResult } from '../../search/page/page-service.ts';
import type { Repair } from '../../search/page/repairs.ts';
import { firstPage, registerAddress, type SearchState, searchAddress, signInAddress } from '../addresses.ts';
import { count, KIND_NAMES, totalWords } from './format.ts';
import { type Html, html } from './html.ts';
import type { Frame } from './layout.ts';
import { syntaxHelp } from './query-forms.ts';
import { visible } from './record-text.ts';

export interface EmptyView {
  readonly state: SearchState;
  readonly result: PageResult;
  /** How many results of each list a visitor gets; null: the person is signed in. */
  readonly visitorResults: number | null;
  /** Other queries that find something; only if this one finds nothing. */
  readonly repairs: readonly Repair[];
}

/** The prompt after each of a visitor's lists. */
export function visitorEnd(frame: Frame, kind: Kind, shown: number, total: number): Html {
  const all = shown >= total;
  const register = frame.canRegister ? html` or <a href="${registerAddress(frame.here)}">register</a>` : null;
  return html`<div class="prompt"><p><strong>${
    total === 0
      ? 'Nothing is hidden from you here.'
      : all
        ? `That is everything: ${totalWords(kind, total)}.`
        : `Showing the first ${count(shown)} of ${totalWords(kind, total)}.`
  }</strong></p>
<p><a href="${signInAddress(frame.here)}">Sign in</a>${register} to get ${all ? 'more results in larger searches' : 'more results'}, and keys for the API.${frame.canRegister ? ' It is free and takes a minute.' : ''}</p></div>`;
}

export function emptyList(frame: Frame, view: EmptyView): Html {
  const { state, result, repairs } = view;
  if ((result.totals[state.kind] ?? 0) > 0) {
    return html`<p class="empty">There are no more results. <a href="${searchAddress(firstPage(state))}">First page</a></p>`;
  }
  const what = state.query === '' ? null : html` match <b><bdi>${visible(state.query)}</bdi></b>`;
  return html`<div class="empty"><p>No ${KIND_NAMES[state.kind]}s${what}.</p>
${
  repairs.length === 0
    ? html`<p>Check the spelling, or remove parts of the search.</p>`
    : html`<p>These searches find something:</p><ul class="repairs">${repairs.map(
        (repair) =>
          html`<li><a class="button" href="${searchAddress({ ...firstPage(state), kind: repair.kind, query: repair.query })}"><span><bdi>${visible(repair.words)}</bdi> (${count(repair.count)})</span></a></li>`,
      )}</ul>`
}
${syntaxHelp(false)}</div>
${view.visitorResults === null ? null : visitorEnd(frame, state.kind, 0, 0)}`;
}
