// Signing in and out: one message for every failure, and where to go afterwards.

import type { FastifyRequest } from 'fastify';
import { KEYS_PATH, readReturn, registerAddress, SIGN_IN_PATH } from '../addresses/pages.ts';
import { ownPath } from '../origin.ts';
import { formField } from '../site/form-body.ts';
import { submitButton, textField } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, PrivateVisit, Visit } from './answer.ts';
import { enter } from './entering.ts';
import { formPage, tokenField } from './frame.ts';
import { tryToSignIn } from './password-try.ts';
import { tooManyTries } from './refusal.ts';
import { type Faults, faultSummary, NO_FAULTS, titleWith, waitWords } from './words.ts';

/** The same for an unknown address, an account without a password and a wrong password. */
export const WRONG = 'Email address or password is not correct';

/** Where a page or its form asks to go next: always a path of this site, whatever it asks for. */
export function returnPath(request: FastifyRequest): string {
  const wanted = formField(request, 'return') ?? readReturn(request.raw.url ?? '');
  const path = ownPath(wanted);
  return path === '/' && wanted !== '/' ? KEYS_PATH : path;
}

interface SignInForm {
  readonly email: string;
  readonly returnTo: string;
  readonly faults: Faults;
}

export function showSignIn(context: AccountContext, visit: Visit): Answer {
  return form(context, visit, { email: '', returnTo: returnPath(visit.request), faults: NO_FAULTS }, 200);
}

export async function signIn(context: AccountContext, visit: Visit): Promise<Answer> {
  const { field } = visit;
  const email = field('email');
  const returnTo = returnPath(visit.request);
  const attempt = await tryToSignIn(context, visit, email, (lane) =>
    context.accounts.verify(email, field('password'), lane),
  );
  switch (attempt.kind) {
    case 'right':
      return enter(context, attempt.value, returnTo);
    case 'wrong': {
      const wait = attempt.waitMs === 0 ? '' : `. ${waitWords(attempt.waitMs)}`;
      const refused = form(context, visit, { email, returnTo, faults: { form: `${WRONG}${wait}` } }, 400);
      return { ...refused, event: { security: 'sign_in_refused' } };
    }
    case 'too many':
      return tooManyTries(attempt.waitMs, (faults, status) =>
        form(context, visit, { email, returnTo, faults }, status),
      );
  }
}

export function signOut({ accounts }: AccountContext, { viewer }: PrivateVisit): Answer {
  accounts.endSession(viewer.sessionId, viewer.accountId);
  return { kind: 'redirect', to: SIGN_IN_PATH, notice: 'signed-out', session: 'end' };
}

function form(
  { registration }: AccountContext,
  { formToken }: Visit,
  { email, returnTo, faults }: SignInForm,
  status: number,
): Answer & { kind: 'page' } {
  const body = html`${faultSummary(faults)}
<h1>Sign in</h1>
<form method="post" action="${SIGN_IN_PATH}" class="stack">
${tokenField(formToken)}<input type="hidden" name="return" value="${returnTo}">
${textField({ name: 'email', label: 'Email address', type: 'email', value: email, autocomplete: 'username', isRequired: true, hasFocus: true })}
${textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isRequired: true })}
<p class="actions">${submitButton('Sign in')}</p>
</form>
<p>${registration === 'open' ? html`No account yet? <a href="${registerAddress(returnTo)}">Register</a>` : 'Only the operator of this server can make new accounts.'}</p>
<p class="hint">Forgot your password? The operator can make you a link to set a new one.</p>`;
  return { kind: 'page', status, page: formPage(titleWith(faults, 'Sign in'), body) };
}
