// The interactive reference: where Swagger UI draws the OpenAPI document, and what stands there without script.

import { type Html, html } from './html.ts';

/** Paths. */
export interface ReferenceAssets {
  readonly styles: readonly string[];
  readonly library: string;
  /** Module that starts the library. */
  readonly start: string;
}

export function referencePage({ styles, library, start }: ReferenceAssets): Html {
  return html`${styles.map((path) => html`<link rel="stylesheet" href="${path}">`)}
<div class="prose reference"><h1>Interactive reference</h1>
<p>Every parameter, answer and error of the two endpoints, from <a href="/api/v1/openapi.json">openapi.json</a>. To send requests, choose Authorize and enter a key; it stays in this page until you leave it. What queries can say is in the <a href="/docs/query-language">query language</a>, everything else in the <a href="/docs">documentation</a>.</p>
<noscript><p>The reference needs script. The <a href="/docs">documentation</a> says the same without.</p></noscript></div>
<div id="reference" class="sheet"></div>
<script src="${library}" defer></script>
<script type="module" src="${start}"></script>`;
}
