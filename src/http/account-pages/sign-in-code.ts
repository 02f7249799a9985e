// The second page of signing in, for accounts with a second factor: the code of the app, or a recovery code.

import { KEYS_PATH, signInAddress } from '../addresses/pages.ts';
import { submitButton, textField } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, PageAnswer, Visit } from './answer.ts';
import {
  CODE_HINT,
  type Faults,
  faultSummary,
  NO_FAULTS,
  titleWith,
  WRONG_CODE,
  waitWords,
} from './forms.ts';
import { formPage, tokenField } from './frame.ts';
import { CODE_PATH, tooManyTries, tryCode } from './sign-in.ts';

export function showCode({ halves }: AccountContext, visit: Visit): Answer {
  return halves.of(visit.request) === null ? over(KEYS_PATH) : form(visit, NO_FAULTS, 200);
}

export async function takeCode(context: AccountContext, visit: Visit): Promise<Answer> {
  const { accounts, halves } = context;
  const half = halves.of(visit.request);
  if (half === null) return over(KEYS_PATH);
  const { accountId, returnTo } = half;
  const isStill = accounts.passwordMark(accountId) === half.passwordMark;
  if (!isStill || accounts.secondFactors.of(accountId) === null) return over(returnTo);
  const attempt = await tryCode(context, visit, accountId);
  switch (attempt.kind) {
    case 'right': {
      const entered = { kind: 'redirect', to: returnTo, session: { start: accountId } } as const;
      if (attempt.value === 'code') return entered;
      const event = { security: 'recovery_code_used', account: accountId } as const;
      return { ...entered, notice: 'recovery-code-used', event };
    }
    case 'wrong': {
      const event = { security: 'second_factor_refused', account: accountId } as const;
      if (!halves.noteWrong(visit.request)) return { ...over(returnTo), event };
      const wait = attempt.waitMs === 0 ? '' : `. ${waitWords(attempt.waitMs)}`;
      return { ...form(visit, { code: `${WRONG_CODE}${wait}` }, 400), event };
    }
    case 'too many':
      return tooManyTries(attempt.waitMs, (found, status) => form(visit, found, status));
  }
}

function form({ formToken }: Visit, found: Faults, status: number): PageAnswer {
  const body = html`${faultSummary(found)}
<h1>Enter your code</h1>
<p>Your password is right. This account also asks for a code.</p>
<form method="post" action="${CODE_PATH}" class="stack">
${tokenField(formToken)}${textField({
  name: 'code',
  label: 'Code',
  hint: CODE_HINT,
  autocomplete: 'one-time-code',
  isRequired: true,
  hasFocus: true,
  error: found.code,
})}
<p class="actions">${submitButton('Sign in')}</p>
</form>
<p class="hint">Lost both your app and your recovery codes? The operator can turn the second factor off.</p>`;
  return { kind: 'page', status, page: formPage(titleWith(found, 'Enter your code'), body) };
}

/** The password is asked for again. */
function over(returnTo: string): Answer & { kind: 'redirect' } {
  return { kind: 'redirect', to: signInAddress(returnTo), notice: 'code-over' };
}
