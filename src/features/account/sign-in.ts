// Signing in and out: one message for every failure, the code of a second factor on a page of its own, and where to go
// afterwards.

import type { FastifyRequest } from 'fastify';
import { readReturn } from '../../http/addresses/pages.ts';
import { ownPath } from '../../http/request-checks.ts';
import { formField } from '../../http/site/page-paths.ts';
import {
  type Answer,
  formPage,
  type PageAnswer,
  type PrivateVisit,
  type Visit,
} from '../../http/site/visit.ts';
import {
  type Faults,
  faultSummary,
  NO_FAULTS,
  submitButton,
  textField,
  titleWith,
  tokenField,
} from '../../http/views/forms.ts';
import { html } from '../../http/views/html.ts';
import { CODE_PATH, KEYS_PATH, registerAddress, SIGN_IN_PATH, signInAddress } from './addresses.ts';
import { CODE_HINT, codeField, WRONG_CODE, waitWords } from './forms.ts';
import { type AccountContext, signedIn, tooManyTries, tryCode, tryToSignIn } from './proving.ts';

/** The same for an unknown address, an account without a password and a wrong password. */
export const WRONG = 'Email address or password is not correct';

/** Where a page or its form asks to go next: always a path of this site, whatever it asks for. */
export function returnPath(request: FastifyRequest): string {
  const wanted = formField(request, 'return') ?? readReturn(request.raw.url ?? '');
  const path = ownPath(wanted);
  return path === '/' && wanted !== '/' ? KEYS_PATH : path;
}

export function showSignIn(context: AccountContext, visit: Visit): Answer {
  return signInForm(context, visit, '', NO_FAULTS, 200);
}

export async function signIn(context: AccountContext, visit: Visit): Promise<Answer> {
  const { field } = visit;
  const email = field('email');
  const attempt = await tryToSignIn(context, visit, email, (lane) =>
    context.accounts.verify(email, field('password'), lane),
  );
  const form = (found: Faults, status: number) => signInForm(context, visit, email, found, status);
  switch (attempt.kind) {
    case 'right':
      return enter(context, attempt.value, returnPath(visit.request));
    case 'wrong':
      return {
        ...form({ form: afterWrong(WRONG, attempt.waitMs) }, 400),
        event: { security: 'sign_in_refused' },
      };
    case 'too many':
      return tooManyTries(attempt.waitMs, form);
  }
}

export function signOut({ accounts, site }: AccountContext, { viewer }: PrivateVisit): Answer {
  accounts.endSession(viewer.sessionId, viewer.accountId);
  const follow: (Answer & { kind: 'redirect' })['follow'] = (...exchange) =>
    site.sessions.forget(...exchange);
  return { kind: 'redirect', to: SIGN_IN_PATH, notice: 'signed-out', follow };
}

function signInForm(
  { registration }: AccountContext,
  { formToken, request }: Visit,
  email: string,
  found: Faults,
  status: number,
): PageAnswer {
  const returnTo = returnPath(request);
  const body = html`${faultSummary(found)}
<h1>Sign in</h1>
<form method="post" action="${SIGN_IN_PATH}" class="stack">
${tokenField(formToken)}<input type="hidden" name="return" value="${returnTo}">
${textField({ name: 'email', label: 'Email address', type: 'email', value: email, autocomplete: 'username', isRequired: true, hasFocus: true })}
${textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isRequired: true })}
<p class="actions">${submitButton('Sign in')}</p>
</form>
<p>${registration === 'open' ? html`No account yet? <a href="${registerAddress(returnTo)}">Register</a>` : 'Only the operator of this server can make new accounts.'}</p>
<p class="hint">Forgot your password? The operator can make you a link to set a new one.</p>`;
  return { kind: 'page', status, page: formPage(titleWith(found, 'Sign in'), body) };
}

function afterWrong(words: string, waitMs: number): string {
  return waitMs === 0 ? words : `${words}. ${waitWords(waitMs)}`;
}

/**
 * What follows a right password, or a password that a one-time link has set: a session, or the question for the code
 * of the second factor. `returnTo`: where to go when signed in, a path of this site.
 */
export function enter(context: AccountContext, accountId: number, returnTo: string, notice?: string): Answer {
  const { accounts, halves } = context;
  const told = notice === undefined ? {} : { notice };
  if (accounts.secondFactors.of(accountId) === null) return signedIn(context, accountId, returnTo, told);
  const half = { accountId, passwordMark: accounts.passwordMark(accountId), returnTo };
  return {
    ...{ kind: 'redirect', to: CODE_PATH, ...told },
    follow: (request, reply) => halves.start(request, reply, half),
  };
}

/** The second page of signing in, for accounts with a second factor: the code of the app, or a recovery code. */
export function showCode({ halves }: AccountContext, visit: Visit): Answer {
  return halves.of(visit.request) === null ? over(KEYS_PATH) : codeForm(visit, NO_FAULTS, 200);
}

export async function takeCode(context: AccountContext, visit: Visit): Promise<Answer> {
  const { accounts, halves } = context;
  const half = halves.of(visit.request);
  if (half === null) return over(KEYS_PATH);
  const { accountId: account, returnTo } = half;
  const isStill = accounts.passwordMark(account) === half.passwordMark;
  if (!isStill || accounts.secondFactors.of(account) === null) return over(returnTo);
  const attempt = await tryCode(context, visit, account);
  switch (attempt.kind) {
    case 'right': {
      const event = { security: 'recovery_code_used', account } as const;
      const told = attempt.value === 'code' ? {} : { notice: 'recovery-code-used', event };
      return signedIn(context, account, returnTo, told);
    }
    case 'wrong': {
      const event = { security: 'second_factor_refused', account } as const;
      if (!halves.noteWrong(visit.request)) return { ...over(returnTo), event };
      return { ...codeForm(visit, { code: afterWrong(WRONG_CODE, attempt.waitMs) }, 400), event };
    }
    case 'too many':
      return tooManyTries(attempt.waitMs, (found, status) => codeForm(visit, found, status));
  }
}

function codeForm({ formToken }: Visit, found: Faults, status: number): PageAnswer {
  const body = html`${faultSummary(found)}
<h1>Enter your code</h1>
<p>Your password is right. This account also asks for a code.</p>
<form method="post" action="${CODE_PATH}" class="stack">
${tokenField(formToken)}${codeField(CODE_HINT, found, { hasFocus: true })}
<p class="actions">${submitButton('Sign in')}</p>
</form>
<p class="hint">Lost both your app and your recovery codes? The operator can turn the second factor off.</p>`;
  return { kind: 'page', status, page: formPage(titleWith(found, 'Enter your code'), body) };
}

/** The password is asked for again. */
function over(returnTo: string): Answer & { kind: 'redirect' } {
  return { kind: 'redirect', to: signInAddress(returnTo), notice: 'code-over' };
}
