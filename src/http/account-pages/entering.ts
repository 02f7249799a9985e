// What follows a right password, or a password that a one-time link has set: a session, or the question for the code of
// the second factor.

import type { AccountContext } from './account-context.ts';
import type { Answer } from './answer.ts';
import type { NoticeCode } from './notices.ts';

export const CODE_PATH = '/sign-in/code';

/** `returnTo`: where to go when signed in, a path of this site. */
export function enter(
  { accounts }: AccountContext,
  accountId: number,
  returnTo: string,
  notice?: NoticeCode,
): Answer & { kind: 'redirect' } {
  const told = notice === undefined ? {} : { notice };
  if (accounts.secondFactors.of(accountId) === null) {
    return { kind: 'redirect', to: returnTo, ...told, session: { start: accountId } };
  }
  const half = { accountId, passwordMark: accounts.passwordMark(accountId), returnTo };
  return { kind: 'redirect', to: CODE_PATH, ...told, half };
}
