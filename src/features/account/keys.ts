// The page My API: the list of an account's keys, making one, which is shown once, and revoking.

import type { CreatedKey } from '../../accounts/accounts.ts';
import type { KeyRecord } from '../../accounts/secrets.ts';
import { UsageError } from '../../errors.ts';
import { endpointAddress } from '../../http/addresses.ts';
import {
  type Answer,
  accountPage,
  idParameter,
  type PageAnswer,
  type PrivateVisit,
} from '../../http/site/exchange.ts';
import { age, count, counted, dateTimeElement, dayElement } from '../../http/views/format.ts';
import {
  type Faults,
  faults,
  type Html,
  hasFaults,
  html,
  NO_FAULTS,
  nameFault,
  nameField,
  select,
  submitButton,
  tokenField,
} from '../../http/views/html.ts';
import { DAY, unixNow } from '../../model/time.ts';
import { KEYS_PATH } from './addresses.ts';
import { type AccountContext, type PrivateRoutes, refusedFor } from './proving.ts';

export const KEY_ROUTES: PrivateRoutes = {
  [KEYS_PATH]: { show: keysPage, change: createKey },
  [`${KEYS_PATH}/:id/revoke`]: { show: showRevoke, change: revokeKey },
};

/** Answers the form with the key, which stands in no address and is not stored. */
function createKey(context: AccountContext, visit: PrivateVisit): Answer {
  const { viewer } = visit;
  const form = { ...emptyForm(context), name: visit.field('name'), expires: visit.field('expires') };
  const refused = (found: Faults) => keysPage(context, visit, { ...form, faults: found });
  const found = faults({
    name: nameFault(form.name, 'Give the key a name, such as “notebook”'),
    expires: Object.hasOwn(KEY_LIFETIMES, form.expires) ? undefined : 'Choose how long the key is valid',
  });
  if (hasFaults(found)) return refused(found);
  if (!context.usedForms.use(viewer.accountId, visit.field('once'))) {
    return { kind: 'redirect', to: KEYS_PATH, notice: 'key-made-already' };
  }
  const waitMs = context.newKeys.take(visit.caller);
  if (waitMs > 0) return refusedFor(waitMs, 'Too many new keys within an hour', refused);
  const expiresInDays = form.expires === 'never' ? null : Number(form.expires);
  try {
    const created = context.accounts.createKeyFor(viewer.accountId, { name: form.name, expiresInDays });
    const made = keysPage(context, visit, emptyForm(context), created);
    return { ...made, event: { security: 'key_made', account: viewer.accountId, key: created.id } };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refused({ form: 'You have as many keys as an account can have. Revoke one first' });
  }
}

/** Asks for confirmation. null: the account has no such key. */
function showRevoke({ accounts }: AccountContext, visit: PrivateVisit): Answer | null {
  const [keys, id] = [accounts.keys.list(visit.viewer.accountId), idParameter(visit)];
  const key = keys.find((one) => one.id === id && one.revoked === null);
  if (key === undefined) return null;
  const used =
    key.lastUsed === null ? 'It has never been used.' : `It was last used ${age(key.lastUsed, unixNow())}.`;
  const body = html`<h1>Revoke “<bdi>${key.name}</bdi>”?</h1>
<p>${used} Requests with it will be refused from now on. You cannot undo this.</p>
<form method="post" action="${KEYS_PATH}/${key.id}/revoke" class="actions">
${tokenField(visit.viewer.formToken)}<button type="submit" class="danger">Revoke the key</button>
<a href="${KEYS_PATH}">Keep it</a>
</form>`;
  return accountPage(visit, KEYS_PATH, `Revoke “${key.name}”`, body);
}

function revokeKey({ accounts }: AccountContext, visit: PrivateVisit): Answer | null {
  const [key, account] = [idParameter(visit), visit.viewer.accountId];
  if (!accounts.keys.revoke(key, account)) return null;
  const event = { security: 'key_revoked', account, key } as const;
  return { kind: 'redirect', to: KEYS_PATH, notice: 'key-revoked', event };
}

function emptyForm({ usedForms }: AccountContext): KeyForm {
  return { name: '', expires: '365', number: usedForms.newNumber(), faults: NO_FAULTS };
}

function keysPage(
  context: AccountContext,
  visit: PrivateVisit,
  form = emptyForm(context),
  created: CreatedKey | null = null,
): PageAnswer {
  const keys = context.accounts.keys.list(visit.viewer.accountId);
  const now = unixNow();
  const body = html`<h1>My API</h1>
${created === null ? null : createdPanel(created, visit.publicAddress)}
${keyForm(form, visit.viewer.formToken)}
${keyTable(keys, now)}
${limitWords(keys, context.site.accountLimiter?.perMinute ?? null)}`;
  const title = created === null ? 'My API' : 'Key created: My API';
  return accountPage(visit, KEYS_PATH, title, body, form.faults);
}

/** Days; `never`: no expiry. */
export const KEY_LIFETIMES = { 30: '30 days', 90: '90 days', 365: '365 days', never: 'never' };

const SOON_DAYS = 14;

interface KeyForm {
  readonly name: string;
  readonly expires: string;
  readonly number: string;
  readonly faults: Faults;
}

function keyForm({ name, expires, number, faults }: KeyForm, formToken: string): Html {
  return html`<section aria-labelledby="new-key">
<h2 id="new-key">New key</h2>
<form method="post" action="${KEYS_PATH}" class="row">
${tokenField(formToken)}<input type="hidden" name="once" value="${number}">
${nameField(name, faults)}
${select('Expires', 'expires', KEY_LIFETIMES, expires)}
${submitButton('Create key')}
</form>
</section>`;
}

/** The only place that shows a key. The field has the focus, so that the key can be copied by keyboard. */
function createdPanel({ name, key }: CreatedKey, publicAddress: string): Html {
  const example = `curl -H "Authorization: Bearer ${key}" \\
  "${publicAddress}${endpointAddress('post', { query: 'cat' })}"`;
  return html`<section class="created" role="status" aria-labelledby="created">
<h2 id="created">Key “<bdi>${name}</bdi>” created</h2>
<p><strong>Copy it now. You will not see it again.</strong></p>
<div class="example secret"><label for="new-key-text">Your key</label>
<input id="new-key-text" readonly value="${key}" spellcheck="false" autocomplete="off" autofocus>
<button type="button" class="copy" hidden data-copy aria-label="Copy the key">Copy</button></div>
<div class="example"><h3>Try it</h3><button type="button" class="copy" hidden data-copy aria-label="Copy the example">Copy</button><pre tabindex="0" aria-label="Example request"><code>${example}</code></pre></div>
<p><a class="button" href="${KEYS_PATH}">I have stored it</a></p>
</section>`;
}

/** Valid keys, the newest first; then invalid ones, folded. */
function keyTable(keys: readonly KeyRecord[], now: number): Html {
  const newestFirst = keys.toReversed();
  const live = newestFirst.filter((key) => isLive(key, now));
  const past = newestFirst.filter((key) => !isLive(key, now));
  return html`<section aria-labelledby="your-keys">
<h2 id="your-keys">Your keys</h2>
${live.length === 0 ? html`<p>No keys yet. Create one above, and send it with every request: <code>Authorization: Bearer …</code> <a href="/docs">API documentation</a></p>` : table(live, now, 'Valid keys')}
${past.length === 0 ? null : html`<details class="past"><summary>${counted(past.length, 'key that is no longer valid', 'keys that are no longer valid')}</summary>${table(past, now, 'Keys that are no longer valid')}</details>`}
</section>`;
}

/** `requestsPerMinute` null: no limit. */
function limitWords(keys: readonly KeyRecord[], requestsPerMinute: number | null): Html {
  const today = keys.reduce((sum, key) => sum + key.requestsToday, 0);
  const limit =
    requestsPerMinute === null
      ? 'There is no limit on requests.'
      : `Your keys and your searches here can make ${count(requestsPerMinute)} requests a minute in all.`;
  return html`<p class="hint">${limit} Your keys have made ${counted(today, 'request')} today (UTC). <a href="/docs/limits">How limits work</a></p>`;
}

function table(keys: readonly KeyRecord[], now: number, caption: string): Html {
  return html`<table class="ledger">
<caption class="unseen">${caption}; times in UTC</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Starts with</th><th scope="col">Created</th><th scope="col">Last used (UTC)</th><th scope="col">Expires</th><th scope="col" class="number">Requests today</th><td></td></tr></thead>
<tbody>
${keys.map((key) => row(key, now))}</tbody>
</table>`;
}

function row(key: KeyRecord, now: number): Html {
  return html`<tr>
<th scope="row"><bdi>${key.name}</bdi></th>
<td data-label="Starts with"><code>${key.start}</code></td>
<td data-label="Created">${dayElement(key.created)}</td>
<td data-label="Last used">${key.lastUsed === null ? 'never' : dateTimeElement(key.lastUsed)}</td>
<td data-label="Expires">${expiry(key, now)}</td>
<td data-label="Requests today" class="number">${count(key.requestsToday)}</td>
<td class="act">${isLive(key, now) ? html`<a class="button" href="${KEYS_PATH}/${key.id}/revoke" aria-label="Revoke ${key.name}">Revoke</a>` : null}</td>
</tr>
`;
}

function expiry({ expires, revoked }: KeyRecord, now: number): Html {
  if (revoked !== null) return html`revoked ${dayElement(revoked)}`;
  if (expires === null) return html`never`;
  if (expires <= now) return html`expired ${dayElement(expires)}`;
  const days = Math.floor((expires - now) / DAY);
  if (days >= SOON_DAYS) return dayElement(expires);
  return html`<strong class="soon">${days === 0 ? 'within a day' : `in ${counted(days, 'day')}`}</strong> ${dayElement(expires)}`;
}

function isLive({ expires, revoked }: KeyRecord, now: number): boolean {
  return revoked === null && (expires === null || expires > now);
}
