// The parts of a query as chips that can be removed, and how the query was understood.

import type { QueryItem } from '../../model/query.ts';
import { type Dropped, isReworded } from '../../search/language/dropped.ts';
import type { Interpretation } from '../../search/language/interpret.ts';
import { printItem } from '../../search/language/print-query.ts';
import { allTime, withoutItem, writeQuery, writtenItems } from '../../search/page/edit-query.ts';
import { type Html, html } from './html.ts';
import { visible } from './record-text.ts';

/** `address` gives the page of another query. null for fewer than two items: the box says them already. */
export function chips(interpretation: Interpretation, address: (query: string) => string): Html | null {
  const items = writtenItems(interpretation);
  const { implied } = interpretation;
  if (items.length < 2) return null;
  return html`<nav class="chips" aria-label="Parts of this search"><ul>
${items.map((item, at) => {
  const rest = writeQuery(withoutItem(items, at));
  return html`<li><a class="chip" href="${address(rest)}"><bdi>${visible(chipName(item))}</bdi><span class="unseen">: remove</span></a></li>`;
})}
${
  implied === null
    ? null
    : html`<li><a class="chip added" href="${address(writeQuery(allTime(items)))}">${implied} <em>added</em><span class="unseen">: search all time instead</span></a></li>`
}
<li><a class="clear" href="/">Clear all</a></li>
</ul></nav>`;
}

function chipName(item: QueryItem): string {
  const printed = printItem(item);
  return 'negated' in item && item.negated ? `not ${printed.slice(1)}` : printed;
}

/** Shown if the server understood the query differently, added an item or dropped signs. */
export function understoodAs(
  written: string,
  interpretation: Interpretation,
  address: (query: string) => string,
): Html | null {
  const { implied } = interpretation;
  const dropped = droppedSigns(interpretation.dropped);
  const items = writtenItems(interpretation);
  const isTold = implied !== null || isReworded(written);
  if (!isTold) return dropped === null ? null : html`<p class="understood">${dropped}</p>`;
  return html`<p class="understood">Understood as <code><bdi>${visible(writeQuery(items))}</bdi></code>${
    implied === null
      ? null
      : html`<code class="added">${implied}</code> <span class="why">The second part was added, because a <code>before:</code> on its own searches one day only. <a href="${address(writeQuery(allTime(items)))}">Search all time before that</a> · <a href="/docs/query-language#read-this-first-before-on-its-own-searches-one-day">Why?</a></span>`
  }${dropped === null ? null : html` ${dropped}`}</p>`;
}

/** How many words are named; naming more would say nothing more. */
const MAX_NAMED = 5;

/** Which signs are not searched for. Items that were left out whole are missing in the interpreted query. */
export function droppedSigns(dropped: readonly Dropped[]): Html | null {
  const words = dropped.filter(({ searched }) => searched !== null).slice(0, MAX_NAMED);
  if (words.length === 0) return null;
  return html`<span class="why">Signs are not searched: instead of ${listed(words.map(({ written }) => written))}, this finds ${listed(words.map(({ searched }) => searched!))}.</span>`;
}

function listed(texts: readonly string[]): Html {
  return html`${texts.map(
    (text, i) =>
      html`${i === 0 ? '' : i === texts.length - 1 ? ' and ' : ', '}<code><bdi>${visible(text)}</bdi></code>`,
  )}`;
}
