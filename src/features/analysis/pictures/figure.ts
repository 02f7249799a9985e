// What every picture has: a heading, what it says in words, the drawing, and the same as a table and as CSV.

import type { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../http/views/html.ts';

interface Figure {
  readonly id: string;
  readonly title: string;
  readonly words: Html;
  /** Absent: there is nothing to draw. */
  readonly drawing?: Html;
  /** The line above it, which says what a part of it means; the page's script follows the pointer. */
  readonly value?: string;
  readonly table?: Html;
  readonly file: string;
}

export function figure({ id, title, words, drawing, value, table, file }: Figure): Html {
  return html`<section class="picture" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="told">${words}</p>
${drawing === undefined ? null : html`<figure>${value === undefined ? null : html`<p class="value">${value}</p>`}${drawing}</figure>`}
${drawing === undefined && table === undefined ? null : html`<div class="more">${table === undefined ? null : html`<details class="inner"><summary>Show as table</summary><div class="scroll" tabindex="0" role="group" aria-labelledby="${id}">${table}</div></details>`}<a href="${file}" aria-describedby="${id}" download>CSV</a></div>`}
</section>`;
}

/** In place of a picture that cannot be had. */
export function missingFigure(id: string, title: string, error: ServiceError): Html {
  return html`<section class="picture" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="hintline" role="status">${WHY[error.code] ?? 'This cannot be counted here.'}</p>
</section>`;
}

const WHY: Readonly<Record<string, string>> = {
  query_timeout:
    'This could not be counted in time. Narrow the search, by dates for instance, and try again.',
  busy: 'The server is busy. Try again in a few seconds.',
  not_on_this_engine: 'This server’s search engine cannot tell this.',
};
