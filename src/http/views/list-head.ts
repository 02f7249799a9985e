// Above a list: how much there is of both kinds, in which order it stands, and what of it is shown.

import { ORDERS } from '../../model/order.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { firstPage, LIST_VIEWS, ofKind, type SearchState, searchAddress } from '../addresses/search.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import { totalWords } from './format.ts';
import { type Html, html } from './html.ts';

/** The kind that is shown is the heading of the page. `doings`: what can be done with the search; null: nothing. */
export function listHead(
  state: SearchState,
  totals: Readonly<Record<Kind, number | null>>,
  doings: Html | null,
): Html {
  const fresh = firstPage(state);
  return html`<div class="bars"><nav class="tabs" aria-label="Posts or comments"><ul>${KINDS.map((kind) => {
    const total = totals[kind];
    const words = total === null ? `? ${LIST_NAMES[kind]}` : totalWords(kind, total);
    const isShown = kind === state.kind;
    return html`<li><a href="${searchAddress(ofKind(fresh, kind))}"${isShown ? html` aria-current="page"` : null}>${isShown ? html`<h1 id="total">${words}</h1>` : words}</a></li>`;
  })}</ul></nav>
<nav class="orders" aria-label="Sort by"><ul>${ORDERS.map((order) => choice({ ...fresh, order }, order, order === state.order))}</ul></nav>
<nav class="orders" aria-label="Show"><ul>${LIST_VIEWS.map((show) => choice({ ...fresh, show }, show, show === state.show))}</ul></nav>${doings}</div>`;
}

function choice(state: SearchState, words: string, isChosen: boolean): Html {
  // What is chosen is no link: its address would stand in the page once more.
  return isChosen
    ? html`<li><b aria-current="true">${words}</b></li>`
    : html`<li><a href="${searchAddress(state)}">${words}</a></li>`;
}
