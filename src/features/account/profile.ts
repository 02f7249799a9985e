// The pages for the profile, a new password, the export of an account as a file, and its deletion.

import { type Answer, accountPage, type PrivateVisit } from '../../http/site/exchange.ts';
import { counted } from '../../http/views/format.ts';
import {
  type Faults,
  faults,
  hasFaults,
  html,
  NO_FAULTS,
  submitButton,
  tokenField,
} from '../../http/views/html.ts';
import { readableTime } from '../../model/time.ts';
import { DELETE_PATH, EXPORT_PATH, PROFILE_PATH, SECOND_FACTOR_PATH, SIGN_IN_PATH } from './addresses.ts';
import { keptByFeatures } from './credentials.ts';
import {
  listed,
  newPasswordFault,
  newPasswordField,
  passwordField,
  passwordForm,
  usernameField,
} from './forms.ts';
import { type AccountContext, type FormPage, type PrivateRoutes, signedIn, withPassword } from './proving.ts';

export const PROFILE_ROUTES: PrivateRoutes = {
  [PROFILE_PATH]: { show: profilePage, change: changePassword, takesPassword: true },
  [EXPORT_PATH]: { show: exportAccount },
  [DELETE_PATH]: {
    show: async (context, visit) => (await leavePage(context, visit))(NO_FAULTS),
    ...{ change: deleteAccount, takesPassword: true },
  },
};

/** Every session ends, including this one; the browser gets a new one. */
async function changePassword(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId, email } = visit.viewer;
  const next = visit.field('next');
  const form = (found: Faults) => profilePage(context, visit, found);
  const found = faults({ next: newPasswordFault(next, email) });
  if (hasFaults(found)) return form(found);
  const changed = () => signedIn(context, visit, accountId, PROFILE_PATH, { notice: 'password-changed' });
  return withPassword(context, visit, form, changed, {
    ...{ name: 'current', label: 'Current password' },
    check: (current, lane) => context.credentials.changePassword(accountId, { current, next }, lane),
  });
}

function profilePage({ credentials }: AccountContext, visit: PrivateVisit, found: Faults = NO_FAULTS) {
  const { email, created, secondFactor } = credentials.exportAccount(visit.viewer.accountId)!;
  const body = html`<h1>Profile</h1>
<dl class="facts">
<dt>Email address</dt><dd><bdi>${email}</bdi></dd>
<dt>Account created</dt><dd>${readableTime(created)} UTC</dd>
<dt>Second factor</dt><dd>${secondFactor === null ? 'off' : 'on'} – <a href="${SECOND_FACTOR_PATH}">${secondFactor === null ? 'turn it on' : 'change it'}</a></dd>
</dl>
<h2>Change password</h2>
<form method="post" action="${PROFILE_PATH}" class="stack">
${tokenField(visit.viewer.formToken)}${usernameField(email)}
${passwordField('current', 'Current password', found)}
${newPasswordField('next', 'New password', found)}
<p class="hint">All your other sessions will end. Your keys will keep working.</p>
<p class="actions">${submitButton('Change password')}</p>
</form>`;
  return accountPage(visit, PROFILE_PATH, 'Profile', body, found);
}

/** Everything that is stored about the person. Times in Unix seconds. */
async function exportAccount(context: AccountContext, { viewer }: PrivateVisit): Promise<Answer> {
  const { email, created, secondFactor, keys, sessions } = context.credentials.exportAccount(
    viewer.accountId,
  )!;
  const file = {
    email,
    created,
    second_factor: secondFactor && { since: secondFactor.since, recovery_codes: secondFactor.recoveryCodes },
    keys: keys.map(({ id, name, created: made, lastUsed, expires, revoked, requestsToday }) => ({
      ...{ id, name, created: made, last_used: lastUsed, expires, revoked, requests_today: requestsToday },
    })),
    sessions: sessions.map(({ id, agent, created: made, lastUsed }) => ({
      ...{ id, browser: agent, created: made, last_used: lastUsed },
    })),
    ...Object.fromEntries((await keptOf(context, viewer)).map(({ name, list }) => [name, list])),
  };
  return {
    kind: 'file',
    name: 'colloquy-account.json',
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(file, null, 2)}\n`,
  };
}

async function keptOf({ accounts, site }: AccountContext, { accountId }: PrivateVisit['viewer']) {
  return (await keptByFeatures(site.features)).flatMap(({ name, words, list }) =>
    list === undefined ? [] : [{ name, words, list: list(accounts, accountId) }],
  );
}

async function deleteAccount(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId: account, email } = visit.viewer;
  const { credentials, browsers, site } = context;
  return withPassword(context, visit, await leavePage(context, visit), () => {
    credentials.removeAccount(email);
    return {
      ...{ kind: 'redirect', to: SIGN_IN_PATH, notice: 'account-deleted' },
      event: { security: 'account_removed', account },
      follow: () => {
        const { request, reply } = visit;
        browsers.forget(request, reply, account);
        site.sessions.forget(request, reply);
      },
    };
  });
}

async function leavePage(context: AccountContext, visit: PrivateVisit): Promise<FormPage> {
  const { keys, sessions } = context.credentials.exportAccount(visit.viewer.accountId)!;
  const kept = (await keptOf(context, visit.viewer)).map(({ words, list }) => counted(list.length, ...words));
  const all = listed([counted(keys.length, 'key'), counted(sessions.length, 'session'), ...kept]);
  return (found) => {
    const body = html`<h1>Export or delete my account</h1>
<section aria-labelledby="export">
<h2 id="export">Export</h2>
<p>Everything we store about you, as a JSON file: your address, your keys' names and times, your sessions
and your saved searches. We store no other searches.</p>
<p><a class="button" href="${EXPORT_PATH}" download>Download my data</a></p>
</section>
<section aria-labelledby="delete">
<h2 id="delete">Delete</h2>
<p>Your account is deleted immediately and for good, with its ${all}. Programs that use your keys will be refused, and your feeds will end.</p>
${passwordForm(visit, DELETE_PATH, found, {
  below: html`<p class="actions"><button type="submit" class="danger">Delete my account</button></p>`,
})}
</section>`;
    return accountPage(visit, DELETE_PATH, 'Export or delete my account', body, found);
  };
}
