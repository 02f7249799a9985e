// Checks passwords and codes: the limits that count the attempt, the lane of its hash, and the answers to right, wrong
// and too many attempts.

import { seconds } from '../../http/requests/limits.ts';
import {
  type Answer,
  type ExchangeContext,
  type PageAnswer,
  type PrivateRoute,
  type PrivateVisit,
  type Result,
  tell,
  UsedOnce,
} from '../../http/site/exchange.ts';
import type { Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import type { Faults } from '../../http/views/html.ts';
import { type Attempt, newKeyLimit, PasswordAttempts, registrationLimit } from './attempts.ts';
import { credentialsOf } from './credentials.ts';
import { waitWords } from './forms.ts';
import { AccountBrake, KnownBrowsers, KnownTurns } from './known-browsers.ts';
import type { Lane } from './password.ts';
import { type CodeKind, HalfSessions, OfferedSecrets } from './second-factors.ts';

export type AccountContext = ReturnType<typeof accountContext>;

export function accountContext(site: Site, notices: ExchangeContext['notices']) {
  const { visitors } = site;
  const { accounts, config } = site.archive;
  const credentials = credentialsOf(accounts);
  return {
    ...{ site, accounts, credentials, registration: config.registration, notices },
    passwords: new PasswordAttempts(),
    brake: new AccountBrake(),
    /** For codes of second factors. Its names are no email addresses. */
    codeBrake: new AccountBrake(),
    halves: new HalfSessions(visitors),
    browsers: new KnownBrowsers(credentials, visitors),
    turns: new KnownTurns(),
    registrations: registrationLimit(),
    newKeys: newKeyLimit(),
    usedForms: new UsedOnce(),
    offered: new OfferedSecrets(),
  };
}

export type PrivateRoutes = Readonly<Record<string, PrivateRoute<AccountContext>>>;

export type VisitorHandler = (context: AccountContext, visit: Visit) => Result;

/** A page for everybody. `takesPassword`: whether the change hashes a password; absent: it does. */
export type VisitorRoutes = Readonly<
  Record<
    string,
    { readonly show: VisitorHandler; readonly change: VisitorHandler; readonly takesPassword?: boolean }
  >
>;

export type FormPage = (found: Faults) => PageAnswer;

/** Tries a password at sign-in. `check` null: wrong. */
export function tryToSignIn<T>(
  context: AccountContext,
  { request, network }: Visit,
  email: string,
  check: (lane: Lane) => Promise<T | null>,
): Promise<Attempt<T>> {
  const { accounts, browsers, passwords, brake, turns } = context;
  const accountId = accounts.idOf(email);
  const browser = browsers.of(request).find((known) => known.accountId === accountId);
  // A known browser has its own limit: neither strangers nor its network can lock it out.
  if (browser !== undefined) {
    return passwords.run(email, `browser ${browser.number}`, () => check(turns.laneOf(browser.accountId)));
  }
  return brake.run(email, () => passwords.run(email, network, () => check('strangers')));
}

/**
 * Takes a code of the second factor. The caller knows the password already, so the account is limited whatever the
 * network; a known browser has its own limit. Contract 19.3.
 */
export function tryCode(
  { credentials, browsers, passwords, codeBrake }: AccountContext,
  visit: Visit,
  accountId: number,
): Promise<Attempt<CodeKind>> {
  const name = `account ${accountId}`;
  const check = async () => credentials.secondFactors.take(accountId, visit.field('code'));
  const browser = browsers.of(visit.request).find((known) => known.accountId === accountId);
  if (browser !== undefined) return passwords.run(name, `codes of browser ${browser.number}`, check);
  return codeBrake.run(name, () => passwords.run(name, `codes of ${name}`, check));
}

interface OwnPassword {
  readonly name?: string;
  readonly label?: string;
  /** False: the password is wrong. Absent: it is compared. */
  readonly check?: (password: string, lane: Lane) => Promise<boolean>;
}

/**
 * Asks a signed-in person for the password again, so that a found browser or stolen cookie is not enough (ASVS 7.5.2).
 * Calls `go` if it is right. Each session has its own limit.
 */
export async function withPassword(
  { credentials, passwords, turns }: AccountContext,
  visit: PrivateVisit,
  form: FormPage,
  go: () => Answer | Promise<Answer>,
  { name = 'password', label = 'Password', check }: OwnPassword = {},
): Promise<Answer> {
  const { accountId: account, email, sessionId } = visit.viewer;
  const isRight =
    check ??
    (async (password: string, lane: Lane) => (await credentials.verify(email, password, lane)) !== null);
  const attempt = await passwords.run(email, `session ${sessionId}`, async () =>
    (await isRight(visit.field(name), turns.laneOf(account))) ? true : null,
  );
  switch (attempt.kind) {
    case 'right':
      return await go();
    case 'wrong': {
      const event = { security: 'sign_in_refused', account } as const;
      return { ...form({ [name]: `${label} is not correct` }), event };
    }
    case 'too many':
      return tooManyTries(attempt.waitMs, form);
  }
}

/** The answer to too many wrong passwords: the form again, and how long to wait. */
export function tooManyTries(waitMs: number, form: FormPage): PageAnswer {
  return refusedFor(waitMs, 'Too many failed attempts', form);
}

export function refusedFor(waitMs: number, words: string, form: FormPage): PageAnswer {
  const page = form({ form: `${words}. ${waitWords(waitMs)}` });
  return { ...page, status: 429, retryAfter: seconds(waitMs) };
}

export function signedIn(
  context: AccountContext,
  visit: Visit,
  account: number,
  to: string,
  told: Pick<Answer & { kind: 'redirect' }, 'notice' | 'event'> = {},
): Answer {
  return {
    ...{ kind: 'redirect', to, ...told },
    follow: () => {
      const { request, reply } = visit;
      tell(visit, { security: 'signed_in', account });
      context.site.sessions.start(request, reply, account);
      context.browsers.remember(request, reply, account);
      context.halves.end(request, reply);
    },
  };
}
