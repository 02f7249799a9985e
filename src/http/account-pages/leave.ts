// Leaving, and taking one's data along: the export of an account as a file, and its deletion.

import { KIND_NAMES } from '../../model/record.ts';
import { SIGN_IN_PATH } from '../addresses/pages.ts';
import { counted } from '../views/format.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import type { Answer, PageAnswer, PrivateVisit } from './answer.ts';
import { type Faults, faultSummary, NO_FAULTS, ownPasswordField, titleWith } from './forms.ts';
import { accountPage, tokenField } from './frame.ts';
import { tooManyTries, tryAgain } from './sign-in.ts';

const PATH = '/account/delete';

/** Everything that is stored about the person, without secrets, which are not stored. Times in Unix seconds. */
export function exportAccount({ accounts }: AccountContext, { viewer }: PrivateVisit): Answer {
  const { email, created, secondFactor, keys, sessions, saved } = accounts.exportAccount(viewer.accountId)!;
  const file = {
    email,
    created,
    second_factor: secondFactor && { since: secondFactor.since, recovery_codes: secondFactor.recoveryCodes },
    keys: keys.map((key) => ({
      id: key.id,
      name: key.name,
      created: key.created,
      last_used: key.lastUsed,
      expires: key.expires,
      revoked: key.revoked,
      requests_today: key.requestsToday,
    })),
    sessions: sessions.map((session) => ({
      id: session.id,
      browser: session.agent,
      created: session.created,
      last_used: session.lastUsed,
    })),
    saved: saved.map(({ id, name, kind, query, order, created: since, seen, feed }) => ({
      ...{ id, name, kind: KIND_NAMES[kind], query, order_by: order, created: since, seen, feed },
    })),
  };
  return {
    kind: 'file',
    name: 'colloquy-account.json',
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(file, null, 2)}\n`,
  };
}

export function showLeave(context: AccountContext, visit: PrivateVisit): Answer {
  return form(context, visit, NO_FAULTS, 200);
}

/** Asks for the password: somebody who finds a signed-in browser must not be able to do this. */
export async function deleteAccount(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { viewer, field } = visit;
  const attempt = await tryAgain(context, visit, (lane) =>
    context.accounts.verify(viewer.email, field('password'), lane),
  );
  switch (attempt.kind) {
    case 'right':
      context.accounts.removeAccount(viewer.email);
      return {
        ...{ kind: 'redirect', to: SIGN_IN_PATH, notice: 'account-deleted', session: 'end' },
        forgotten: viewer.accountId,
        event: { security: 'account_removed', account: viewer.accountId },
      };
    case 'wrong':
      return {
        ...form(context, visit, { password: 'Password is not correct' }, 400),
        event: { security: 'sign_in_refused', account: viewer.accountId },
      };
    case 'too many':
      return tooManyTries(attempt.waitMs, (found, status) => form(context, visit, found, status));
  }
}

function form({ accounts }: AccountContext, visit: PrivateVisit, found: Faults, status: number): PageAnswer {
  const { email, keys, sessions, saved } = accounts.exportAccount(visit.viewer.accountId)!;
  const body = html`${faultSummary(found)}
<h1>Export or delete my account</h1>
<section aria-labelledby="export">
<h2 id="export">Export</h2>
<p>Everything we store about you, as a JSON file: your address, your keys' names and times, your sessions, the
searches that you saved. We never store others.</p>
<p><a class="button" href="/account/export" download>Download my data</a></p>
</section>
<section aria-labelledby="delete">
<h2 id="delete">Delete</h2>
<p>Your account is deleted for good, at once, with its ${counted(keys.length, 'key')},
${counted(sessions.length, 'session')} and ${counted(saved.length, 'saved search', 'saved searches')}. Programs that use your keys will be refused, and feeds end.</p>
<form method="post" action="${PATH}" class="stack">
${tokenField(visit.formToken)}<input type="hidden" name="email" value="${email}" autocomplete="username">
${ownPasswordField(email, found)}
<p class="actions"><button type="submit" class="danger">Delete my account</button></p>
</form>
</section>`;
  const title = titleWith(found, 'Export or delete my account');
  return { kind: 'page', status, page: accountPage(visit, PATH, title, body) };
}
