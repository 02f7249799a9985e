// What account pages have in common: the hidden token of a form, the navigation of an account, a narrow page.

import { SAVED_PAGE } from '../addresses/feeds.ts';
import { KEYS_PATH } from '../addresses/pages.ts';
import { type Html, html } from '../views/html.ts';
import type { Page } from '../views/layout.ts';
import type { PrivateVisit } from './answer.ts';

/** Name of the field with the token. */
export const TOKEN_FIELD = 'token';

export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${formToken}">`;
}

const SECTIONS = [
  ['/account', 'Profile'],
  [KEYS_PATH, 'My API'],
  [SAVED_PAGE, 'Saved'],
  ['/account/sessions', 'Sessions'],
  ['/account/delete', 'Export or delete'],
] as const;

type AccountSection = (typeof SECTIONS)[number][0];

/** A page of the account: its navigation, then `body`, which begins with the `h1`. */
export function accountPage(visit: PrivateVisit, section: AccountSection, title: string, body: Html): Page {
  return {
    title,
    section: 'account',
    mainClass: 'account-page',
    main: html`<div class="account-bar">
<nav aria-label="Your account">
${SECTIONS.map(
  ([path, name]) => html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${name}</a>
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
