// The page that a one-time link of the command line opens: it sets the password of an account and signs in.
// Looking at the page does not use the link up.

import { KEYS_PATH, SIGN_IN_PATH } from '../addresses/pages.ts';
import { submitButton } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, parameter, type Visit } from './answer.ts';
import { enter } from './entering.ts';
import { formPage, tokenField } from './frame.ts';
import {
  type Faults,
  faultSummary,
  faults,
  hasFaults,
  NO_FAULTS,
  newPasswordFault,
  newPasswordField,
  titleWith,
} from './words.ts';

export function showLink({ accounts }: AccountContext, visit: Visit): Answer {
  const email = accounts.emailOfLink(parameter(visit, 'link'));
  return email === null ? gone() : form(visit, email, NO_FAULTS, 200);
}

export async function useLink(context: AccountContext, visit: Visit): Promise<Answer> {
  const { accounts } = context;
  const link = parameter(visit, 'link');
  const email = accounts.emailOfLink(link);
  if (email === null) return gone();
  const password = visit.field('password');
  const found = faults({ password: newPasswordFault(password, email) });
  if (hasFaults(found)) return form(visit, email, found, 400);
  const accountId = await accounts.setPasswordByLink(link, password);
  if (accountId === null) return gone();
  return enter(context, accountId, KEYS_PATH, 'password-changed');
}

function form(visit: Visit, email: string, found: Faults, status: number): Answer {
  const body = html`${faultSummary(found)}
<h1>Set your password</h1>
<p>For the account <strong><bdi>${email}</bdi></strong>. All its sessions will end.</p>
<form method="post" action="/account/link/${parameter(visit, 'link')}" class="stack">
${tokenField(visit.formToken)}<input type="hidden" name="email" value="${email}" autocomplete="username">
${newPasswordField('password', 'New password', found, { hasFocus: true })}
<p class="actions">${submitButton('Set password and sign in')}</p>
</form>`;
  return { kind: 'page', status, page: formPage(titleWith(found, 'Set your password'), body) };
}

function gone(): Answer {
  const body = html`<h1>This link no longer works</h1>
<p>A link works once, within 24 hours, unless a newer one replaces it. The operator can make another:</p>
<pre><code>colloquy accounts reset you@example.org</code></pre>
<p><a href="${SIGN_IN_PATH}">Sign in</a></p>`;
  return { kind: 'page', status: 404, page: formPage('This link no longer works', body) };
}
