// The browsers in which an account is signed in, and ending their sessions.

import type { SessionRecord } from '../../accounts/session-store.ts';
import { readableTime } from '../../model/time.ts';
import { SIGN_IN_PATH } from '../addresses/pages.ts';
import { dateTimeElement } from '../views/format.ts';
import { type Html, html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, idParameter, type PrivateVisit } from './answer.ts';
import { browserName } from './browser-name.ts';
import { accountPage, tokenField } from './frame.ts';

const PATH = '/account/sessions';

export function showSessions({ accounts }: AccountContext, visit: PrivateVisit): Answer {
  const sessions = accounts.listSessions(visit.viewer.accountId).toReversed();
  const others = sessions.filter(({ id }) => id !== visit.viewer.sessionId);
  const body = html`<h1>Sessions</h1>
<p>The browsers you are signed in with. A session ends after 30 days without use, and after 180 days at the latest.</p>
<table class="ledger">
<caption class="unseen">Sessions; times in UTC</caption>
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in (UTC)</th><th scope="col">Last used (UTC, to the hour)</th><td></td></tr></thead>
<tbody>
${sessions.map((session) => row(session, visit))}</tbody>
</table>
${
  others.length === 0
    ? null
    : html`<form method="post" action="${PATH}/end-others" class="actions">${tokenField(visit.formToken)}<button class="button" type="submit">End all other sessions</button></form>`
}`;
  return { kind: 'page', page: accountPage(visit, PATH, 'Sessions', body) };
}

/** Ending the current session signs out. null: the account has no such session. */
export function endSession({ accounts }: AccountContext, visit: PrivateVisit): Answer | null {
  const id = idParameter(visit);
  if (!accounts.endSession(id, visit.viewer.accountId)) return null;
  if (id !== visit.viewer.sessionId) return { kind: 'redirect', to: PATH, notice: 'session-ended' };
  return { kind: 'redirect', to: SIGN_IN_PATH, notice: 'signed-out', session: 'end' };
}

export function endOtherSessions({ accounts }: AccountContext, { viewer }: PrivateVisit): Answer {
  for (const { id } of accounts.listSessions(viewer.accountId)) {
    if (id !== viewer.sessionId) accounts.endSession(id, viewer.accountId);
  }
  return { kind: 'redirect', to: PATH, notice: 'sessions-ended' };
}

function row({ id, agent, created, lastUsed }: SessionRecord, { viewer, formToken }: PrivateVisit): Html {
  const name = browserName(agent);
  return html`<tr>
<th scope="row"><bdi>${name}</bdi>${id === viewer.sessionId ? html` <span class="badge">this one</span>` : null}</th>
<td data-label="Signed in">${dateTimeElement(created)}</td>
<td data-label="Last used">${dateTimeElement(lastUsed)}</td>
<td class="act"><form method="post" action="${PATH}/${id}/end">${tokenField(formToken)}<button class="button" type="submit" aria-label="End the session of ${name}, signed in ${readableTime(created)}">End</button></form></td>
</tr>
`;
}
