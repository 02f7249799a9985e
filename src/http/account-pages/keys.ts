// My API, the keys of an account: making one, the only page that ever shows it, the list, revoking.

import type { CreatedKey } from '../../accounts/accounts.ts';
import type { KeyRecord } from '../../accounts/key-store.ts';
import { UsageError } from '../../errors.ts';
import { KEYS_PATH } from '../addresses/pages.ts';
import { callerName } from '../caller-name.ts';
import { seconds } from '../limit.ts';
import { age } from '../views/format.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, idParameter, type PrivateVisit } from './answer.ts';
import { accountPage, tokenField } from './frame.ts';
import { createdPanel, KEY_LIFETIMES, type KeyForm, keyForm, keyTable, limitWords } from './key-views.ts';
import {
  type Faults,
  faultSummary,
  faults,
  hasFaults,
  NO_FAULTS,
  nameFault,
  titleWith,
  waitWords,
} from './words.ts';

export function showKeys(context: AccountContext, visit: PrivateVisit): Answer {
  return keysPage(context, visit, emptyForm(context), 200);
}

/** The answer to the form itself shows the key: it is in no address, and is not stored. */
export function createKey(context: AccountContext, visit: PrivateVisit): Answer {
  const { field, viewer } = visit;
  const form = { ...emptyForm(context), name: field('name'), expires: field('expires') };
  const refused = (found: Faults, status: number) =>
    keysPage(context, visit, { ...form, faults: found }, status);
  const found = faults({
    name: nameFault(form.name, 'Give the key a name, such as “notebook”'),
    expires: lifetimeFault(form.expires),
  });
  if (hasFaults(found)) return refused(found, 400);
  if (!context.usedForms.use(viewer.accountId, field('once'))) {
    return { kind: 'redirect', to: KEYS_PATH, notice: 'key-made-already' };
  }
  const waitMs = context.newKeys.take(callerName(viewer));
  if (waitMs > 0) {
    const words = `Too many new keys within an hour. ${waitWords(waitMs)}`;
    return { ...refused({ form: words }, 429), retryAfter: seconds(waitMs) };
  }
  const expiresInDays = form.expires === 'never' ? null : Number(form.expires);
  try {
    const created = context.accounts.createKeyFor(viewer.accountId, { name: form.name, expiresInDays });
    const made = keysPage(context, visit, emptyForm(context), 200, created);
    return { ...made, event: { security: 'key_made', account: viewer.accountId, key: created.id } };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refused({ form: 'You have as many keys as an account can have. Revoke one first' }, 400);
  }
}

/** Asks again before revoking, and says when the key was last used. null: the account has no such key. */
export function showRevoke({ accounts, time }: AccountContext, visit: PrivateVisit): Answer | null {
  const key = liveKey(accounts.listKeys(visit.viewer.accountId), idParameter(visit));
  if (key === null) return null;
  const used =
    key.lastUsed === null ? 'It has never been used.' : `It was last used ${age(key.lastUsed, time())}.`;
  const body = html`<h1>Revoke “<bdi>${key.name}</bdi>”?</h1>
<p>${used} Requests with it will be refused from now on. You cannot undo this.</p>
<form method="post" action="${KEYS_PATH}/${key.id}/revoke" class="actions">
${tokenField(visit.formToken)}<button type="submit" class="danger">Revoke the key</button>
<a href="${KEYS_PATH}">Keep it</a>
</form>`;
  return { kind: 'page', page: accountPage(visit, KEYS_PATH, `Revoke “${key.name}”`, body) };
}

export function revokeKey({ accounts }: AccountContext, visit: PrivateVisit): Answer | null {
  const [key, account] = [idParameter(visit), visit.viewer.accountId];
  if (!accounts.revokeKey(key, account)) return null;
  const event = { security: 'key_revoked', account, key } as const;
  return { kind: 'redirect', to: KEYS_PATH, notice: 'key-revoked', event };
}

function liveKey(keys: readonly KeyRecord[], id: number): KeyRecord | null {
  return keys.find((key) => key.id === id && key.revoked === null) ?? null;
}

function emptyForm({ usedForms }: AccountContext): KeyForm {
  return { name: '', expires: '365', number: usedForms.newNumber(), faults: NO_FAULTS };
}

function lifetimeFault(expires: string): string | undefined {
  return KEY_LIFETIMES.some(({ value }) => value === expires)
    ? undefined
    : 'Choose how long the key is valid';
}

function keysPage(
  context: AccountContext,
  visit: PrivateVisit,
  form: KeyForm,
  status: number,
  created: CreatedKey | null = null,
): Answer & { kind: 'page' } {
  const keys = context.accounts.listKeys(visit.viewer.accountId);
  const now = context.time();
  const body = html`${faultSummary(form.faults)}
<h1>My API</h1>
${created === null ? null : createdPanel(created, context.site.visitors.of(visit.request).ownAddress)}
${keyForm(form, visit.formToken)}
${keyTable(keys, now)}
${limitWords(keys, context.requestsPerMinute)}`;
  const title = created === null ? titleWith(form.faults, 'My API') : 'Key created: My API';
  return { kind: 'page', status, page: accountPage(visit, KEYS_PATH, title, body) };
}
