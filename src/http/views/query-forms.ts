// How to write a search: each form of the query language with an example that can be followed.

import type { Kind } from '../../model/record.ts';
import type { Examples, FormName } from '../../search/page/archive-examples.ts';
import { searchAddress } from '../addresses/search.ts';
import { type Html, html } from './html.ts';
import { visible } from './record-text.ts';

interface Form {
  /** What it looks like where there is no example of it. */
  readonly shape: string;
  readonly meaning: string;
}

const FORMS: Readonly<Record<FormName, Form>> = {
  word: { shape: 'solar', meaning: 'contains this word' },
  without: { shape: 'solar -panel', meaning: 'contains the first word, not the second' },
  phrase: { shape: '"solar panel"', meaning: 'these words, next to each other' },
  prefix: { shape: 'sol*', meaning: 'a word that starts like this' },
  anyOf: { shape: 'solar|wind', meaning: 'either word' },
  community: { shape: '/r/energy', meaning: 'in this community' },
  notCommunity: { shape: '-/r/energy', meaning: 'not in this community' },
  site: { shape: 'site:youtube.com', meaning: 'links to this domain' },
  notSite: { shape: '-site:youtube.com', meaning: 'does not link to it' },
  score: { shape: 'score:100', meaning: 'a score of at least this' },
  after: { shape: 'after:2023-01-01', meaning: 'from that day on' },
  year: { shape: 'after:2023-01-01 before:2024-01-01', meaning: 'between two days, here a year' },
  post: { shape: 'post:abc123', meaning: 'a post, and the comments on it' },
  several: { shape: 'solar /r/energy', meaning: 'all of it at once' },
};

const NAMES = Object.keys(FORMS) as readonly FormName[];

/** With examples of the archive; null: those that hold for none, as links all the same. */
export function queryForms(examples: Examples | null): Html {
  return html`<dl class="forms">
${NAMES.map((name) => {
  const { shape, meaning } = FORMS[name];
  const query = examples === null ? shape : examples.queries[name];
  const shown = html`<code><bdi>${visible(query ?? shape)}</bdi></code>`;
  return html`<div><dt>${query === undefined ? shown : html`<a href="${exampleAddress(query, examples?.kind)}">${shown}</a>`}</dt><dd>${meaning}</dd></div>`;
})}
</dl>
<p class="note">Spaces or commas separate the parts, and all of them must match. A <code>before:</code> on its own searches one day;
add <code>after:1970-01-01</code> for all time. <a href="/docs/query-language">The whole language</a></p>`;
}

export function exampleAddress(query: string, kind: Kind = 'post'): string {
  return searchAddress({ query, kind });
}

/** The same, to be unfolded. */
export function syntaxHelp(isOpen: boolean): Html {
  return html`<details class="syntax"${isOpen ? html` open` : null}><summary>How to write a search</summary>
${queryForms(null)}
</details>`;
}
