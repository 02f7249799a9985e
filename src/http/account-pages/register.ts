// Registering: one form makes an account and signs in. An account that exists is never touched.

import { REGISTER_PATH, SIGN_IN_PATH, signInAddress } from '../addresses/pages.ts';
import { seconds } from '../limit.ts';
import { submitButton, textField } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, Visit } from './answer.ts';
import { formPage, tokenField } from './frame.ts';
import { returnPath } from './sign-in.ts';
import {
  EMAIL_HINT,
  emailFault,
  type Faults,
  faultSummary,
  faults,
  hasFaults,
  NO_FAULTS,
  newPasswordFault,
  newPasswordField,
  titleWith,
  WHAT_WE_KEEP,
  waitWords,
} from './words.ts';

interface RegisterForm {
  readonly email: string;
  readonly returnTo: string;
  readonly faults: Faults;
}

/** For an address that has an account, with or without a password. */
export const TAKEN =
  'This address already has an account. Sign in, or ask the operator for a link to set its password';

export function showRegister(context: AccountContext, visit: Visit): Answer {
  if (context.registration === 'closed') return closed();
  return form(visit, { email: '', returnTo: returnPath(visit.request), faults: NO_FAULTS }, 200);
}

export async function register(context: AccountContext, visit: Visit): Promise<Answer> {
  if (context.registration === 'closed') return closed();
  const { field, network } = visit;
  const email = field('email');
  const password = field('password');
  const returnTo = returnPath(visit.request);
  const found = faults({ email: emailFault(email), password: newPasswordFault(password, email) });
  if (hasFaults(found)) return form(visit, { email, returnTo, faults: found }, 400);
  const waitMs = context.registrations.take(network);
  if (waitMs > 0) {
    const words = `Too many new accounts from your network. ${waitWords(waitMs)}`;
    return {
      ...form(visit, { email, returnTo, faults: { form: words } }, 429),
      retryAfter: seconds(waitMs),
    };
  }
  const accountId = await context.accounts.register(email, password);
  if (accountId === null) return form(visit, { email, returnTo, faults: { email: TAKEN } }, 400);
  return { kind: 'redirect', to: returnTo, notice: 'welcome', session: { start: accountId } };
}

function form(
  { formToken }: Visit,
  { email, returnTo, faults: found }: RegisterForm,
  status: number,
): Answer & { kind: 'page' } {
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
