// The profile: the account's address, and changing the password.

import { readableTime } from '../../model/time.ts';
import { submitButton, textField } from '../views/forms.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, PageAnswer, PrivateVisit } from './answer.ts';
import {
  type Faults,
  faultSummary,
  faults,
  hasFaults,
  NO_FAULTS,
  newPasswordFault,
  newPasswordField,
  titleWith,
} from './forms.ts';
import { accountPage, tokenField } from './frame.ts';
import { SECOND_FACTOR_PATH } from './second-factor.ts';
import { tooManyTries, tryAgain } from './sign-in.ts';

export function showProfile(context: AccountContext, visit: PrivateVisit): Answer {
  return form(context, visit, NO_FAULTS, 200);
}

/** Every session ends, including this one; the browser gets a new one. */
export async function changePassword(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { viewer, field } = visit;
  const next = field('next');
  const found = faults({ next: newPasswordFault(next, viewer.email) });
  if (hasFaults(found)) return form(context, visit, found, 400);
  const attempt = await tryAgain(context, visit, async (lane) => {
    const wish = { current: field('current'), next, keptSession: null, lane };
    return (await context.accounts.changePassword(viewer.accountId, wish)) ? viewer.accountId : null;
  });
  switch (attempt.kind) {
    case 'right':
      return {
        kind: 'redirect',
        to: '/account',
        notice: 'password-changed',
        session: { start: attempt.value },
      };
    case 'wrong':
      return {
        ...form(context, visit, { current: 'Current password is not correct' }, 400),
        event: { security: 'sign_in_refused', account: viewer.accountId },
      };
    case 'too many':
      return tooManyTries(attempt.waitMs, (found, status) => form(context, visit, found, status));
  }
}

function form({ accounts }: AccountContext, visit: PrivateVisit, found: Faults, status: number): PageAnswer {
  const { email, created, secondFactor } = accounts.exportAccount(visit.viewer.accountId)!;
  const body = html`${faultSummary(found)}
<h1>Profile</h1>
<dl class="facts">
<dt>Email address</dt><dd><bdi>${email}</bdi></dd>
<dt>Account made</dt><dd>${readableTime(created)} UTC</dd>
<dt>Second factor</dt><dd>${secondFactor === null ? 'off' : 'on'} – <a href="${SECOND_FACTOR_PATH}">${secondFactor === null ? 'turn it on' : 'change it'}</a></dd>
</dl>
<h2>Change password</h2>
<form method="post" action="/account" class="stack">
${tokenField(visit.formToken)}<input type="hidden" name="email" value="${email}" autocomplete="username">
${textField({
  name: 'current',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
  isRequired: true,
  error: found.current,
})}
${newPasswordField('next', 'New password', found)}
<p class="hint">All your other sessions will end. Your keys will keep working.</p>
<p class="actions">${submitButton('Change password')}</p>
</form>`;
  return {
    kind: 'page',
    status,
    page: accountPage(visit, '/account', titleWith(found, 'Profile'), body),
  };
}
