// The way of every attempt at a password: who counts it, and in which lane its hash waits.

import type { Lane } from '../../accounts/gate.ts';
import type { AccountContext } from './account-context.ts';
import type { PrivateVisit, Visit } from './answer.ts';
import type { Attempt } from './attempts.ts';

/** Whether `check` (null: wrong) finds the password of a sign-in right. */
export function tryToSignIn<T>(
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
