// Signing in and out: one message for every failure, where to go afterwards, and the way of every attempt at a
// password or a code: who counts it, and in which lane its hash waits.

import type { FastifyRequest } from 'fastify';
import type { Lane } from '../../accounts/gate.ts';
import type { CodeKind } from '../../accounts/second-factors.ts';
import { KEYS_PATH, readReturn, registerAddress, SIGN_IN_PATH } from '../addresses/pages.ts';
import { seconds } from '../limits/rate-limits.ts';
import { ownPath } from '../request-checks.ts';
import { formField } from '../site/page-paths.ts';
import { submitButton, textField } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, PageAnswer, PrivateVisit, Visit } from './answer.ts';
import type { Attempt } from './attempts.ts';
import { type Faults, faultSummary, NO_FAULTS, titleWith, waitWords } from './forms.ts';
import { formPage, tokenField } from './frame.ts';

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
): PageAnswer {
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

export const CODE_PATH = '/sign-in/code';

/**
 * What follows a right password, or a password that a one-time link has set: a session, or the question for the code
 * of the second factor. `returnTo`: where to go when signed in, a path of this site.
 */
export function enter(
  { accounts }: AccountContext,
  accountId: number,
  returnTo: string,
  notice?: string,
): Answer & { kind: 'redirect' } {
  const told = notice === undefined ? {} : { notice };
  if (accounts.secondFactors.of(accountId) === null) {
    return { kind: 'redirect', to: returnTo, ...told, session: { start: accountId } };
  }
  const half = { accountId, passwordMark: accounts.passwordMark(accountId), returnTo };
  return { kind: 'redirect', to: CODE_PATH, ...told, half };
}

/** Whether `check` (null: wrong) finds the password of a sign-in right. */
function tryToSignIn<T>(
  context: AccountContext,
  { request, network }: Visit,
  email: string,
  check: (lane: Lane) => Promise<T | null>,
): Promise<Attempt<T>> {
  const { accounts, browsers, passwords, brake, turns } = context;
  const known = browsers.of(request);
  const accountId = accounts.idOf(email);
  const browser = known.find((one) => one.accountId === accountId);
  // By itself: neither strangers nor other people of its network can lock it out.
  if (browser !== undefined) {
    return passwords.run(email, `browser ${browser.number}`, () => check(turns.laneOf(browser.accountId)));
  }
  return brake.run(email, () => passwords.run(email, network, () => check('strangers')));
}

/** The same for somebody who is signed in and has to give the password again. Each session is counted by itself. */
export function tryAgain<T>(
  { passwords, turns }: AccountContext,
  { viewer }: PrivateVisit,
  check: (lane: Lane) => Promise<T | null>,
): Promise<Attempt<T>> {
  return passwords.run(viewer.email, `session ${viewer.sessionId}`, () =>
    check(turns.laneOf(viewer.accountId)),
  );
}

/**
 * Uses the code of a second factor up if it is right. Whoever gets here knows the password, so what was right before
 * tells nothing, and the account is braked whatever the network; a browser that has signed in before is counted by
 * itself. Contract 19.3.
 */
export function tryCode(
  { accounts, browsers, passwords, codeBrake }: AccountContext,
  { request, field }: Visit,
  accountId: number,
): Promise<Attempt<CodeKind>> {
  const name = `account ${accountId}`;
  const check = async () => accounts.secondFactors.take(accountId, field('code'));
  const browser = browsers.of(request).find((known) => known.accountId === accountId);
  if (browser !== undefined) return passwords.run(name, `codes of browser ${browser.number}`, check);
  return codeBrake.run(name, () => passwords.run(name, `codes of ${name}`, check));
}

/**
 * The answer to too many wrong passwords: the form again, and how long to wait. `form` makes the page with these
 * faults and this status.
 */
export function tooManyTries(
  waitMs: number,
  form: (found: Faults, status: number) => PageAnswer,
): PageAnswer {
  const words = `Too many failed attempts. ${waitWords(waitMs)}`;
  return { ...form({ form: words }, 429), retryAfter: seconds(waitMs) };
}
