// Registering: one form makes an account and signs in, and an account that exists is never touched. And the page
// that a one-time link of the command line opens: it sets the password of an account and signs in.

import { seconds } from '../../http/limits/rate-limits.ts';
import { type Answer, formPage, type PageAnswer, parameter, type Visit } from '../../http/site/visit.ts';
import {
  type Faults,
  faultSummary,
  faults,
  hasFaults,
  NO_FAULTS,
  submitButton,
  textField,
  titleWith,
  tokenField,
} from '../../http/views/forms.ts';
import { html } from '../../http/views/html.ts';
import { KEYS_PATH, LINK_PATH, REGISTER_PATH, SIGN_IN_PATH, signInAddress } from './addresses.ts';
import {
  EMAIL_HINT,
  emailFault,
  newPasswordFault,
  newPasswordField,
  usernameField,
  WHAT_WE_KEEP,
  waitWords,
} from './forms.ts';
import { type AccountContext, signedIn } from './proving.ts';
import { enter, returnPath } from './sign-in.ts';

/** For an address that has an account, with or without a password. */
export const TAKEN =
  'This address already has an account. Sign in, or ask the operator for a link to set its password';

export function showRegister(context: AccountContext, visit: Visit): Answer {
  return context.registration === 'closed' ? closed() : registerForm(visit, '', NO_FAULTS, 200);
}

export async function register(context: AccountContext, visit: Visit): Promise<Answer> {
  if (context.registration === 'closed') return closed();
  const [email, password] = [visit.field('email'), visit.field('password')];
  const form = (found: Faults, status: number) => registerForm(visit, email, found, status);
  const found = faults({ email: emailFault(email), password: newPasswordFault(password, email) });
  if (hasFaults(found)) return form(found, 400);
  const waitMs = context.registrations.take(visit.network);
  if (waitMs > 0) {
    const words = `Too many new accounts from your network. ${waitWords(waitMs)}`;
    return { ...form({ form: words }, 429), retryAfter: seconds(waitMs) };
  }
  const accountId = await context.accounts.register(email, password);
  if (accountId === null) return form({ email: TAKEN }, 400);
  return signedIn(context, accountId, returnPath(visit.request), { notice: 'welcome' });
}

function registerForm(
  { formToken, request }: Visit,
  email: string,
  found: Faults,
  status: number,
): PageAnswer {
  const returnTo = returnPath(request);
  const body = html`${faultSummary(found)}
<h1>Register</h1>
<form method="post" action="${REGISTER_PATH}" class="stack">
${tokenField(formToken)}<input type="hidden" name="return" value="${returnTo}">
${textField({
  name: 'email',
  label: 'Email address',
  type: 'email',
  value: email,
  hint: EMAIL_HINT,
  autocomplete: 'username',
  isRequired: true,
  hasFocus: true,
  error: found.email,
})}
${newPasswordField('password', 'Password', found)}
<p class="actions">${submitButton('Create account')} <span>Already have one? <a href="${signInAddress(returnTo)}">Sign in</a></span></p>
</form>
<p class="hint">With an account you get full result lists and API keys.</p>
${WHAT_WE_KEEP}`;
  return { kind: 'page', status, page: formPage(titleWith(found, 'Register'), body) };
}

function closed(): Answer {
  const body = html`<h1>Registration is closed</h1>
<p>Only the operator of this server can make new accounts.</p>
<p><a href="${SIGN_IN_PATH}">Sign in</a></p>`;
  return { kind: 'page', status: 403, page: formPage('Registration is closed', body) };
}

/** Looking at the page does not use the link up. */
export function showLink({ accounts }: AccountContext, visit: Visit): Answer {
  const email = accounts.emailOfLink(parameter(visit, 'link'));
  return email === null ? gone() : linkForm(visit, email, NO_FAULTS, 200);
}

export async function useLink(context: AccountContext, visit: Visit): Promise<Answer> {
  const { accounts } = context;
  const link = parameter(visit, 'link');
  const email = accounts.emailOfLink(link);
  if (email === null) return gone();
  const password = visit.field('password');
  const found = faults({ password: newPasswordFault(password, email) });
  if (hasFaults(found)) return linkForm(visit, email, found, 400);
  const accountId = await accounts.setPasswordByLink(link, password);
  if (accountId === null) return gone();
  return enter(context, accountId, KEYS_PATH, 'password-changed');
}

function linkForm(visit: Visit, email: string, found: Faults, status: number): Answer {
  const body = html`${faultSummary(found)}
<h1>Set your password</h1>
<p>For the account <strong><bdi>${email}</bdi></strong>. All its sessions will end.</p>
<form method="post" action="${LINK_PATH}${parameter(visit, 'link')}" class="stack">
${tokenField(visit.formToken)}${usernameField(email)}
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
