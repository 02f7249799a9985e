// The way of every attempt at a code of a second factor: who counts it. Whoever gets here knows the password, so what
// was right before tells nothing, and the account is braked whatever the network. Contract 19.3.

import type { CodeKind } from '../../accounts/second-factors.ts';
import type { AccountContext } from './account-context.ts';
import type { Visit } from './answer.ts';
import type { Attempt } from './attempts.ts';

/** Uses the code up if it is right. A browser that has signed in before is counted by itself. */
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
