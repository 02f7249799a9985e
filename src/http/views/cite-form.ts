// The form that makes a citation, and the link on a search that leads to it.

import { MAX_NOTE } from '../../model/citation.ts';
import { CITE_PAGE, citeAddress } from '../addresses/pages.ts';
import { plainSearch, searchAddress } from '../addresses/search.ts';
import { radios, submitButton, textField } from './forms.ts';
import { type Html, html } from './html.ts';
import type { Frame } from './layout.ts';
import { visible } from './record-text.ts';

export const CITED_CHOICES = [
  { value: 'both', label: 'Posts and comments' },
  { value: 'posts', label: 'Posts' },
  { value: 'comments', label: 'Comments' },
] as const;

/** Beside the totals; nothing for visitors, and where nothing can be kept. */
export function citeLink({ canCite }: Pick<Frame, 'canCite'>, query: string): Html | null {
  return canCite ? html`<a href="${citeAddress(query)}" rel="nofollow">Cite</a>` : null;
}

export interface CiteFormView {
  /** In canonical form. */
  readonly query: string;
  readonly formToken: string;
}

export function citeForm({ query, formToken }: CiteFormView): Html {
  const what = query === '' ? 'everything' : html`<code><bdi>${visible(query)}</bdi></code>`;
  return html`<h1>Cite</h1>
<p>Keeps what ${what} finds now: how many records in each month, and a fingerprint of them. Its address can be printed,
and anybody with the same dumps can check it. <a href="/docs/citing">How citations work</a></p>
<form method="post" action="${CITE_PAGE}">
<input type="hidden" name="token" value="${formToken}">
<input type="hidden" name="query" value="${query}">
${radios('What is cited', 'kinds', CITED_CHOICES, 'both')}
${textField({ name: 'note', label: 'Note (optional)', hint: 'Everybody who sees the citation sees it. Your account is not named.', maxLength: MAX_NOTE })}
<p class="actions">${submitButton('Make the citation')} <a href="${searchAddress(plainSearch(query, 'post'))}">Back to the search</a></p>
</form>`;
}
