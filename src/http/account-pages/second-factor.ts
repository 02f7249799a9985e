// The second factor of an account: turning it on and off, and its recovery codes.

import type { AccountContext } from './account-context.ts';
import type { Answer, PrivateVisit } from './answer.ts';
import type { Attempt } from './attempts.ts';
import { tryCode } from './code-try.ts';
import { tryAgain } from './password-try.ts';
import { tooManyTries } from './refusal.ts';
import { offPage, onPage, recoveryCodesPage, SECOND_FACTOR_PATH } from './second-factor-views.ts';
import { type Faults, faults, hasFaults, NO_FAULTS, WRONG_CODE } from './words.ts';

type PageAnswer = Answer & { kind: 'page' };
type Form = (found: Faults, status: number) => PageAnswer;

export function showSecondFactor({ accounts, offered }: AccountContext, visit: PrivateVisit): Answer {
  const { accountId, formToken } = visit.viewer;
  const state = accounts.secondFactors.of(accountId);
  if (state === null) {
    return offPage(visit, offered.of(formToken) ?? offered.make(formToken), NO_FAULTS, 200);
  }
  return onPage(visit, state, NO_FAULTS, 200);
}

/** Each change asks for the password and a code: somebody who finds a signed-in browser must not be able to do it. */
export async function changeSecondFactor(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const isOn = context.accounts.secondFactors.of(visit.viewer.accountId) !== null;
  return isOn ? changeWhatIsOn(context, visit) : turnOn(context, visit);
}

async function turnOn(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId, formToken } = visit.viewer;
  const { secondFactors } = context.accounts;
  const secret = context.offered.of(formToken);
  if (secret === null) {
    const found = { form: 'The secret that you were shown is too old. Use this new one' };
    return offPage(visit, context.offered.make(formToken), found, 400);
  }
  const form: Form = (found, status) => offPage(visit, secret, found, status);
  const code = visit.field('code');
  const found = faults({ code: secondFactors.fits(secret, code) ? undefined : WRONG_CODE });
  if (hasFaults(found)) return form(found, 400);
  const password = await tryPassword(context, visit);
  if (password.kind !== 'right') return passwordRefused(password, visit, form);
  const codes = secondFactors.turnOn(accountId, secret, code);
  if (codes === null) return form({ code: WRONG_CODE }, 400);
  context.offered.end(formToken);
  return recoveryCodesPage(visit, codes, { security: 'second_factor_on', account: accountId });
}

async function changeWhatIsOn(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId, email } = visit.viewer;
  const { accounts } = context;
  const { secondFactors } = accounts;
  // The form that turns it on, sent twice.
  if (visit.field('do') === 'on') {
    return { kind: 'redirect', to: SECOND_FACTOR_PATH, notice: 'second-factor-on-already' };
  }
  const form: Form = (found, status) => onPage(visit, secondFactors.of(accountId), found, status);
  const wish = visit.field('do');
  if (wish !== 'codes' && wish !== 'off') return form({ form: 'Choose what to do with the buttons' }, 400);
  const password = await tryPassword(context, visit);
  if (password.kind !== 'right') return passwordRefused(password, visit, form);
  const code = await tryCode(context, visit, accountId);
  if (code.kind === 'too many') return tooManyTries(code.waitMs, form);
  if (code.kind === 'wrong') {
    const event = { security: 'second_factor_refused', account: accountId } as const;
    return { ...form({ code: WRONG_CODE }, 400), event };
  }
  if (wish === 'off') {
    accounts.turnOffSecondFactor(email);
    const event = { security: 'second_factor_off', account: accountId } as const;
    return { kind: 'redirect', to: SECOND_FACTOR_PATH, notice: 'second-factor-off', event };
  }
  const codes = secondFactors.renewRecoveryCodes(accountId);
  if (codes === null) return form(NO_FAULTS, 200);
  return recoveryCodesPage(visit, codes, { security: 'recovery_codes_made', account: accountId });
}

function tryPassword(context: AccountContext, visit: PrivateVisit): Promise<Attempt<number>> {
  return tryAgain(context, visit, (lane) =>
    context.accounts.verify(visit.viewer.email, visit.field('password'), lane),
  );
}

function passwordRefused(
  attempt: Exclude<Attempt<number>, { kind: 'right' }>,
  { viewer }: PrivateVisit,
  form: Form,
): Answer {
  if (attempt.kind === 'too many') return tooManyTries(attempt.waitMs, form);
  return {
    ...form({ password: 'Password is not correct' }, 400),
    event: { security: 'sign_in_refused', account: viewer.accountId },
  };
}
