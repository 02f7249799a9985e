// What a search in the documentation found.

import { DOCS_SEARCH } from '../addresses/docs.ts';
import { counted } from './format.ts';
import { type Html, html } from './html.ts';
import type { RenderedDocument } from './markdown.ts';

interface Place {
  readonly address: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** `words`: as written; empty: nothing was asked for. */
export function docsSearchPage(words: string, places: readonly Place[]): RenderedDocument {
  return {
    title: 'Search the documentation',
    sections: [],
    body: html`<div class="words"><form class="wanted" action="${DOCS_SEARCH}"><label for="docs-words">Words</label><input id="docs-words" name="q" type="search" value="${words}"><button class="button primary">Search</button></form>
${words === '' ? null : html`<h2>${places.length === 0 ? html`Nothing has all of these words` : counted(places.length, 'place')}</h2>`}
${places.length === 0 ? null : html`<ol class="places">${places.map((place) => html`<li><a href="${place.address}">${place.title}</a> <small>${place.page}</small><p>${excerpt(place.text, words)}</p></li>`)}</ol>`}</div>`,
  };
}

const REACH = 90;

/** Some of the text around the first of the words. */
function excerpt(text: string, words: string): Html {
  const at = text.toLowerCase().indexOf(words.toLowerCase().split(/\s+/)[0]!);
  const from = Math.max(0, at - REACH);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const part = text.slice(start, start + 2 * REACH).toWellFormed();
  return html`${start === 0 ? '' : '… '}${part}${start + 2 * REACH < text.length ? ' …' : ''}`;
}
