// What account pages have in common: the hidden token of a form, the navigation of an account, a narrow page.

import { KEYS_PATH } from '../addresses/pages.ts';
import type { AccountSection } from '../site/site.ts';
import { type Html, html } from '../views/html.ts';
import type { Page } from '../views/layout.ts';
import type { PrivateVisit } from './answer.ts';

/** Name of the field with the token. */
export const TOKEN_FIELD = 'token';

export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${formToken}">`;
}

const FIRST_SECTIONS: readonly AccountSection[] = [
  { path: '/account', name: 'Profile' },
  { path: KEYS_PATH, name: 'My API' },
];
const LAST_SECTIONS: readonly AccountSection[] = [
  { path: '/account/sessions', name: 'Sessions' },
  { path: '/account/delete', name: 'Export or delete' },
];

/** A page of the account: its navigation, then `body`, which begins with the `h1`. `section`: its path. */
export function accountPage(visit: PrivateVisit, section: string, title: string, body: Html): Page {
  return {
    title,
    section: 'account',
    mainClass: 'account-page',
    main: html`<div class="account-bar">
<nav aria-label="Your account">
${[...FIRST_SECTIONS, ...visit.added, ...LAST_SECTIONS].map(
  ({
    path,
    name,
  }) => html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${name}</a>
`,
)}</nav>
<form method="post" action="/sign-out">${tokenField(visit.formToken)}<button class="button" type="submit">Sign out</button></form>
</div>
${body}`,
  };
}

/** A page with one form in the middle. `body` begins with the `h1`. */
export function formPage(title: string, body: Html): Page {
  return { title, mainClass: 'account-page narrow', main: body };
}
