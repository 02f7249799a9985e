// The frame of a picture: heading, summary in words, drawing, table and CSV link.

import type { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../http/views/html.ts';

interface Figure {
  readonly id: string;
  readonly title: string;
  readonly words: Html;
  /** Absent if there is nothing to draw. */
  readonly drawing?: Html;
  /** The line above the drawing that describes one bucket; the page's script updates it under the pointer. */
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

/** Shown in place of a picture whose analysis failed. */
export function missingFigure(id: string, title: string, error: ServiceError): Html {
  return html`<section class="picture" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="hintline" role="status">${WHY[error.code] ?? 'This cannot be counted here.'}</p>
</section>`;
}

const WHY: Readonly<Record<string, string>> = {
  query_timeout: 'Counting took too long. Narrow the search, for instance by date, and try again.',
  busy: 'The server is busy. Try again in a few seconds.',
  not_on_this_engine: 'This server’s search engine cannot count this.',
};
