// The first page of the reference: every endpoint, in groups, with a word on what it gives.

import { html } from './html.ts';
import { type RenderedDocument, slug } from './markdown.ts';
import { type Endpoint, type EndpointGroup, groupsOf } from './openapi-document.ts';
import { withCode } from './reference-schema.ts';

export function referencePage(endpoints: readonly Endpoint[]): RenderedDocument {
  const groups = groupsOf(endpoints);
  return {
    title: 'Reference',
    sections: groups.map(({ name }) => ({ id: slug(name), title: name })),
    body: html`<div class="words"><p>Every endpoint, each on a page of its own, with its parameters, its answers and a request in five languages. All of it is generated from <a href="/api/v1/openapi.json">openapi.json</a>, an OpenAPI 3.1 document that your tools can read too.</p>
${groups.map(groupSection)}</div>`,
  };
}

function groupSection({ name, rows }: EndpointGroup) {
  return html`<h2 id="${slug(name)}">${name}</h2>
<dl class="endpoints">${rows.map(
    ([first, ...others]) =>
      html`<div>${[first!, ...others].map(
        ({ id, page, method, path, title }) =>
          html`<dt id="${id}"><a href="${page}">${title}</a> <small><b>${method}</b> <code>${path}</code></small></dt>`,
      )}<dd>${withCode(firstSentence(first!.operation.description ?? ''))}</dd></div>`,
  )}</dl>`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text;
}
