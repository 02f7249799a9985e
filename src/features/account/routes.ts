// The routes of the account pages; and the pages for signing in (log in) and out, registering, and setting a password
// by a one-time link. Signing in has one message for every failure, and asks for the code of a second factor on a
// second page. Registering signs in at once and never changes an existing account.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { leadingBack, readReturn } from '../../http/addresses.ts';
import { ownPath } from '../../http/requests/caller.ts';
import {
  type Answer,
  addAccountForm,
  addPrivatePages,
  isReadOnly,
  narrowPage,
  ownFormOnly,
  type PageAnswer,
  type PrivateVisit,
  refused,
  send,
  withForms,
} from '../../http/site/exchange.ts';
import { addPageRead, type FormOptions, type PageHandler, type Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import {
  type Faults,
  faultSummary,
  faults,
  type Html,
  hasFaults,
  html,
  NO_FAULTS,
  submitButton,
  TOKEN_FIELD,
  textField,
  titleWith,
  tokenField,
} from '../../http/views/html.ts';
import { CODE_PATH, KEYS_PATH, LINK_PATH, REGISTER_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from './addresses.ts';
import {
  CODE_HINT,
  codeField,
  EMAIL_HINT,
  emailFault,
  newPasswordFault,
  newPasswordField,
  passwordField,
  usernameField,
  WHAT_WE_KEEP,
  WRONG_CODE,
  waitWords,
} from './forms.ts';
import { KEY_ROUTES } from './keys.ts';
import { BUSY_RETRY_AFTER, hashGate } from './password.ts';
import { PROFILE_ROUTES } from './profile.ts';
import {
  type AccountContext,
  accountContext,
  type PrivateRoutes,
  refusedFor,
  signedIn,
  tooManyTries,
  tryCode,
  tryToSignIn,
  type VisitorHandler,
  type VisitorRoutes,
} from './proving.ts';
import { SECOND_FACTOR_ROUTES } from './second-factor.ts';
import { SESSION_ROUTES } from './sessions.ts';

/** The same for an unknown address, an account without a password and a wrong password. */
const WRONG = 'Email address or password is not correct';

/** Signed-in people are redirected from these pages. */
const ENTRANCES: VisitorRoutes = {
  [SIGN_IN_PATH]: { show: signInForm, change: signIn },
  /** The second page of signing in, for accounts with a second factor: the code of the app, or a recovery code. */
  [CODE_PATH]: {
    show: ({ halves }, visit) =>
      halves.of(visit.request) === null ? over(KEYS_PATH) : codeForm(visit, NO_FAULTS),
    ...{ change: takeCode, takesPassword: false },
  },
  [REGISTER_PATH]: {
    show: ({ registration }, visit) =>
      registration === 'closed' ? closed() : registerForm(visit, '', NO_FAULTS),
    change: register,
  },
};

const LINKS: VisitorRoutes = { [`${LINK_PATH}:link`]: { show: showLink, change: useLink } };

/** The path to go to next, from the form or the address. Other sites' addresses are ignored. */
function returnPath(visit: Visit): string {
  const wanted = visit.field('return') || readReturn(visit.here);
  const path = ownPath(wanted);
  return path === '/' && wanted !== '/' ? KEYS_PATH : path;
}

async function signIn(context: AccountContext, visit: Visit): Promise<Answer> {
  const email = visit.field('email');
  const attempt = await tryToSignIn(context, visit, email, (lane) =>
    context.credentials.verify(email, visit.field('password'), lane),
  );
  const form = (found: Faults) => signInForm(context, visit, email, found);
  switch (attempt.kind) {
    case 'right':
      return enter(context, visit, attempt.value, returnPath(visit));
    case 'wrong':
      return { ...form({ form: afterWrong(WRONG, attempt.waitMs) }), event: { security: 'sign_in_refused' } };
    case 'too many':
      return tooManyTries(attempt.waitMs, form);
  }
}

export function signOut({ accounts, site }: AccountContext, visit: PrivateVisit): Answer {
  const { viewer, request, reply } = visit;
  accounts.sessions.end(viewer.sessionId, viewer.accountId);
  const follow = () => site.sessions.forget(request, reply);
  return { kind: 'redirect', to: SIGN_IN_PATH, notice: 'signed-out', follow };
}

function signInForm({ registration }: AccountContext, visit: Visit, email = '', found = NO_FAULTS) {
  const returnTo = returnPath(visit);
  return loneForm(visit, found, {
    ...{ title: 'Sign in', action: SIGN_IN_PATH },
    fields: html`<input type="hidden" name="return" value="${returnTo}">
${textField({ name: 'email', label: 'Email address', type: 'email', value: email, autocomplete: 'username', isRequired: true, hasFocus: true })}
${passwordField('password', 'Password', NO_FAULTS)}`,
    actions: submitButton('Sign in'),
    below: html`<p>${registration === 'open' ? html`No account yet? <a href="${leadingBack(REGISTER_PATH, returnTo)}">Register</a>` : 'Only this server’s operator can make accounts.'}</p>
<p class="hint">Forgot your password? The operator can make you a link to set a new one.</p>`,
  });
}

interface LoneForm {
  readonly title: string;
  readonly intro?: Html;
  readonly action: string;
  readonly fields: Html;
  readonly actions: Html;
  readonly below?: Html;
}

function loneForm(visit: Visit, found: Faults, { title, intro, action, fields, actions, below }: LoneForm) {
  const body = html`${faultSummary(found)}
<h1>${title}</h1>
${intro}
<form method="post" action="${action}" class="stack">
${tokenField(visit.visitorToken())}${fields}
<p class="actions">${actions}</p>
</form>
${below}`;
  return narrowPage(hasFaults(found) ? 400 : 200, titleWith(found, title), body);
}

function afterWrong(words: string, waitMs: number): string {
  return waitMs === 0 ? words : `${words}. ${waitWords(waitMs)}`;
}

/**
 * After a right password, or one set by a one-time link: signs in, or asks for the code of the second factor.
 * `returnTo`: the path to go to when signed in.
 */
function enter(
  context: AccountContext,
  visit: Visit,
  accountId: number,
  returnTo: string,
  notice?: string,
): Answer {
  const { credentials, halves } = context;
  const told = notice === undefined ? {} : { notice };
  if (credentials.secondFactors.of(accountId) === null)
    return signedIn(context, visit, accountId, returnTo, told);
  const half = { accountId, passwordMark: credentials.passwordMark(accountId), returnTo };
  return {
    ...{ kind: 'redirect', to: CODE_PATH, ...told },
    follow: () => halves.start(visit.request, visit.reply, half),
  };
}

async function takeCode(context: AccountContext, visit: Visit): Promise<Answer> {
  const { credentials, halves } = context;
  const half = halves.of(visit.request);
  if (half === null) return over(KEYS_PATH);
  const { accountId: account, returnTo } = half;
  const isStill = credentials.passwordMark(account) === half.passwordMark;
  if (!isStill || credentials.secondFactors.of(account) === null) return over(returnTo);
  const attempt = await tryCode(context, visit, account);
  switch (attempt.kind) {
    case 'right': {
      const event = { security: 'recovery_code_used', account } as const;
      const told = attempt.value === 'code' ? {} : { notice: 'recovery-code-used', event };
      return signedIn(context, visit, account, returnTo, told);
    }
    case 'wrong': {
      const event = { security: 'second_factor_refused', account } as const;
      if (!halves.noteWrong(visit.request)) return { ...over(returnTo), event };
      return { ...codeForm(visit, { code: afterWrong(WRONG_CODE, attempt.waitMs) }), event };
    }
    case 'too many':
      return tooManyTries(attempt.waitMs, (found) => codeForm(visit, found));
  }
}

function codeForm(visit: Visit, found: Faults): PageAnswer {
  return loneForm(visit, found, {
    ...{ title: 'Enter your code', action: CODE_PATH },
    intro: html`<p>Your password is right. This account also asks for a code.</p>`,
    fields: codeField(CODE_HINT, found, { hasFocus: true }),
    actions: submitButton('Sign in'),
    below: html`<p class="hint">Lost both your app and your recovery codes? The operator can turn the second factor off.</p>`,
  });
}

function over(returnTo: string): Answer & { kind: 'redirect' } {
  return { kind: 'redirect', to: leadingBack(SIGN_IN_PATH, returnTo), notice: 'code-over' };
}

/** For an address that has an account, with or without a password. */
const TAKEN =
  'This address already has an account. Sign in, or ask the operator for a link to set its password';

async function register(context: AccountContext, visit: Visit): Promise<Answer> {
  if (context.registration === 'closed') return closed();
  const [email, password] = [visit.field('email'), visit.field('password')];
  const form = (found: Faults) => registerForm(visit, email, found);
  const found = faults({ email: emailFault(email), password: newPasswordFault(password, email) });
  if (hasFaults(found)) return form(found);
  const waitMs = context.registrations.take(visit.network);
  if (waitMs > 0) return refusedFor(waitMs, 'Too many new accounts from your network', form);
  const accountId = await context.credentials.register(email, password);
  if (accountId === null) return form({ email: TAKEN });
  return signedIn(context, visit, accountId, returnPath(visit), { notice: 'welcome' });
}

function registerForm(visit: Visit, email: string, found: Faults): PageAnswer {
  const returnTo = returnPath(visit);
  const field = { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' } as const;
  return loneForm(visit, found, {
    ...{ title: 'Register', action: REGISTER_PATH },
    fields: html`<input type="hidden" name="return" value="${returnTo}">
${textField({ ...field, value: email, hint: EMAIL_HINT, isRequired: true, hasFocus: true, error: found.email })}
${newPasswordField('password', 'Password', found)}`,
    actions: html`${submitButton('Create account')} <span>Already have one? <a href="${leadingBack(SIGN_IN_PATH, returnTo)}">Sign in</a></span>`,
    below: html`<p class="hint">With an account you get full result lists and API keys.</p>
${WHAT_WE_KEEP}`,
  });
}

function closed(): Answer {
  const words = html`<p>Only this server’s operator can make accounts.</p>`;
  return refusal(403, 'Registration is closed', words);
}

function refusal(status: number, title: string, words: Html): Answer {
  const signInLink = html`<p><a href="${SIGN_IN_PATH}">Sign in</a></p>`;
  return narrowPage(status, title, html`<h1>${title}</h1>\n${words}\n${signInLink}`);
}

/** Showing the page does not use the link up. */
function showLink({ credentials }: AccountContext, visit: Visit): Answer {
  const email = credentials.emailOfLink(visit.parameter('link'));
  return email === null ? gone() : linkForm(visit, email, NO_FAULTS);
}

async function useLink(context: AccountContext, visit: Visit): Promise<Answer> {
  const { credentials } = context;
  const link = visit.parameter('link');
  const email = credentials.emailOfLink(link);
  if (email === null) return gone();
  const password = visit.field('password');
  const found = faults({ password: newPasswordFault(password, email) });
  if (hasFaults(found)) return linkForm(visit, email, found);
  const accountId = await credentials.setPasswordByLink(link, password);
  if (accountId === null) return gone();
  return enter(context, visit, accountId, KEYS_PATH, 'password-changed');
}

function linkForm(visit: Visit, email: string, found: Faults): Answer {
  return loneForm(visit, found, {
    ...{ title: 'Set your password', action: `${LINK_PATH}${visit.parameter('link')}` },
    intro: html`<p>For the account <strong><bdi>${email}</bdi></strong>. All its sessions will end.</p>`,
    fields: html`${usernameField(email)}
${newPasswordField('password', 'New password', found, { hasFocus: true })}`,
    actions: submitButton('Set password and sign in'),
  });
}

function gone(): Answer {
  const words = html`<p>A link works once, within 24 hours, unless a newer one replaces it. The operator can make another:</p>
<pre><code>colloquy accounts reset you@example.org</code></pre>`;
  return refusal(404, 'This link no longer works', words);
}

const PRIVATE: PrivateRoutes = {
  ...{ [SIGN_OUT_PATH]: { change: signOut }, ...PROFILE_ROUTES, ...SECOND_FACTOR_ROUTES },
  ...{ ...KEY_ROUTES, ...SESSION_ROUTES },
};

const NOTICES = {
  'signed-out': 'You are signed out.',
  'password-changed': 'Your password has been changed. All other sessions have ended.',
  'key-revoked': 'The key has been revoked. Requests with it are now refused.',
  'key-made-already': 'That form was sent twice. Only one key has been created.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  'account-deleted': 'Your account has been deleted, with its keys, sessions and saved searches.',
  'code-over':
    'Please sign in with your password again. You ran out of time to enter a code, or entered too many wrong ones.',
  'recovery-code-used': 'You signed in with a recovery code. It cannot be used again.',
  'second-factor-on-already': 'That form was sent twice. The second factor is on.',
  'second-factor-off': 'The second factor is off.',
  welcome: 'Your account is ready. Create a key to use the API.',
};

export function addPages(server: FastifyInstance, site: Site): void {
  const context = accountContext(site, NOTICES);
  const opening = (show: PageHandler) => (isReadOnly(context) ? refused(context) : show);
  withForms(server, (scope) => {
    const ofKnown = refuseWhileBusy((request) => context.browsers.of(request).length > 0);
    for (const [path, { show, change, takesPassword = true }] of Object.entries(ENTRANCES)) {
      addPageRead(scope, site, path, entrance(context, opening(visitorShow(context, show))));
      const handler = visitorChange(context, change);
      addAccountForm(scope, context, path, handler, takesPassword ? ofKnown : undefined);
    }
    // The operator gave out the links, so their owners are no strangers.
    const ofInvited = refuseWhileBusy(() => true);
    for (const [path, { show, change }] of Object.entries(LINKS)) {
      addPageRead(scope, site, path, opening(visitorShow(context, show)));
      addAccountForm(scope, context, path, visitorChange(context, change), ofInvited);
    }
    addPrivatePages(scope, context, PRIVATE, ofKnown);
  });
}

function visitorShow(context: AccountContext, show: VisitorHandler): PageHandler {
  return async (visit) => send(context, visit, await show(context, visit));
}

function visitorChange(context: AccountContext, change: VisitorHandler): PageHandler {
  return ownFormOnly(context, async (visit) => {
    context.site.sessions.checkVisitorToken(visit.request, visit.field(TOKEN_FIELD));
    visit.visitorToken();
    return await change(context, visit);
  });
}

function entrance(context: AccountContext, show: PageHandler): PageHandler {
  return (visit) =>
    visit.viewer === null ? show(visit) : send(context, visit, { kind: 'redirect', to: returnPath(visit) });
}

const FULL = 'expected room in the queue for password checks, found it full';
const LINE_IS_FULL = new ServiceError('busy', FULL, { retryAfter: BUSY_RETRY_AFTER });

/** For forms with a password: refuses while the queue is full, before the body is read. */
function refuseWhileBusy(isKnown: (request: FastifyRequest) => boolean): FormOptions['onRequest'] {
  return async (request) => {
    if (hashGate.refuses(isKnown(request) ? 'known' : 'strangers')) throw LINE_IS_FULL;
    return undefined;
  };
}
