// The parts of a query as chips that can be taken away, and how the query was understood.

import { printItem } from '../../model/print-query.ts';
import type { QueryItem } from '../../model/query.ts';
import { allTime, withoutItem, writeQuery, writtenItems } from '../../search/edit-query.ts';
import type { Interpretation } from '../../search/interpret.ts';
import { type Html, html } from './html.ts';
import { visible } from './record-text.ts';

/** `address` gives the page of another query. Nothing for a query of one item or none. */
export function chips(interpretation: Interpretation, address: (query: string) => string): Html | null {
  const items = writtenItems(interpretation);
  const { implied } = interpretation;
  if (items.length === 0 && implied === null) return null;
  return html`<nav class="chips" aria-label="Parts of this search"><ul>
${items.map((item, at) => {
  const rest = writeQuery(withoutItem(items, at));
  return html`<li><a class="chip" href="${address(rest)}" title="Take it away"><bdi>${visible(chipName(item))}</bdi><span class="unseen">: take away</span><span class="cross" aria-hidden="true">×</span></a></li>`;
})}
${
  implied === null
    ? null
    : html`<li><a class="chip added" href="${address(writeQuery(allTime(items)))}" title="Added, since before: stood alone. Search all time before that day">${implied} <em>added</em><span class="unseen">: search all time instead</span><span class="cross" aria-hidden="true">×</span></a></li>`
}
${items.length > 1 ? html`<li><a class="clear" href="${address('')}">Clear all</a></li>` : null}
</ul></nav>`;
}

function chipName(item: QueryItem): string {
  const printed = printItem(item);
  return 'negated' in item && item.negated ? `not ${printed.slice(1)}` : printed;
}

/** Said where the server understood something else than what was written; nothing where only separators differ. */
export function understoodAs(
  written: string,
  interpretation: Interpretation,
  address: (query: string) => string,
): Html | null {
  const { echo, implied } = interpretation;
  if (
    echo ===
    written
      .split(/[\s,]+/)
      .filter((piece) => piece !== '')
      .join(',')
  )
    return null;
  const items = writtenItems(interpretation);
  const own = writeQuery(items);
  return html`<p class="understood">Understood as <code><bdi>${visible(own)}</bdi></code>${
    implied === null
      ? null
      : html`<code class="added">${implied}</code> <span class="why">The second part was added: a <code>before:</code> alone looks at one day. <a href="${address(writeQuery(allTime(items)))}">Search all time before it</a> · <a href="/docs/query-language#read-this-first-a-before-alone-looks-at-one-day">Why?</a></span>`
  }</p>`;
}
