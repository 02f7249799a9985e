// What the page of the second factor looks like: while it is off, while it is on, and with new recovery codes.

import { inGroups, type SecondFactor } from '../../accounts/second-factors.ts';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import { base32, otpauthLink } from '../../accounts/totp.ts';
import { readableTime } from '../../model/time.ts';
import { submitButton, textField } from '../views/forms.ts';
import { type Html, html } from '../views/html.ts';
import type { Answer, PrivateVisit } from './answer.ts';
import { accountPage, tokenField } from './frame.ts';
import { ownPasswordField } from './own-password.ts';
import { qrCode } from './qr-code.ts';
import { CODE_HINT, type Faults, faultSummary, titleWith } from './words.ts';

type PageAnswer = Answer & { kind: 'page' };

export const SECOND_FACTOR_PATH = '/account/second-factor';

const TITLE = 'Second factor';
/** What apps list the account under. */
const ISSUER = 'Colloquy';

/** While it is off: the secret for the app, and the form that turns it on. */
export function offPage(visit: PrivateVisit, secret: Uint8Array, found: Faults, status: number): PageAnswer {
  const { email } = visit.viewer;
  const link = otpauthLink(secret, ISSUER, email);
  const text = base32(secret);
  return page(
    visit,
    found,
    status,
    html`<p>Off. When it is on, signing in takes your password and a code from an authenticator app on your phone or
computer.</p>
<h2>1. Give the app this secret</h2>
<p>Scan the picture with the app, <a href="${link}">open it in an app on this device</a>, or type the secret:</p>
<p>${qrCode(link, 'QR code of the link for the app')}</p>
<p><code class="secret">${inGroups(text, ' ')}</code></p>
<h2>2. Show that it works</h2>
<form method="post" action="${SECOND_FACTOR_PATH}" class="stack">
${tokenField(visit.formToken)}<input type="hidden" name="do" value="on"><input type="hidden" name="email" value="${email}" autocomplete="username">
${codeField('The 6 digits that the app shows now.', found)}
${ownPasswordField(email, found)}
<p class="actions">${submitButton('Turn on')}</p>
</form>`,
  );
}

/** While it is on. `state` null: it was turned off a moment ago. */
export function onPage(
  visit: PrivateVisit,
  state: SecondFactor | null,
  found: Faults,
  status: number,
): PageAnswer {
  const { email } = visit.viewer;
  return page(
    visit,
    found,
    status,
    html`<p>Signing in takes your password and a code of your authenticator app.</p>
<dl class="facts">
<dt>On since</dt><dd>${state === null ? '–' : `${readableTime(state.since)} UTC`}</dd>
<dt>Recovery codes left</dt><dd>${state?.recoveryCodes ?? 0}</dd>
</dl>
<h2>Change</h2>
<form method="post" action="${SECOND_FACTOR_PATH}" class="stack">
${tokenField(visit.formToken)}<input type="hidden" name="email" value="${email}" autocomplete="username">
${codeField(CODE_HINT, found)}
${ownPasswordField(email, found)}
<p class="hint">New recovery codes replace all that are left. Turning the second factor off forgets them and the secret in your app.</p>
<p class="actions"><button class="button" type="submit" name="do" value="codes">Make new recovery codes</button> <button class="danger" type="submit" name="do" value="off">Turn off</button></p>
</form>`,
  );
}

/** The only time that these codes are seen. */
export function recoveryCodesPage(
  visit: PrivateVisit,
  codes: readonly string[],
  event: SecurityEvent,
): PageAnswer {
  const body = html`<h1>Recovery codes</h1>
<p><strong>Store these codes now: they are not shown again.</strong> The second factor is on. If you lose the app, each
of these codes signs you in once in its place. Codes that were made before do not work any more.</p>
<ol class="codes">
${codes.map(
  (code) => html`<li><code>${code}</code></li>
`,
)}</ol>
<p>Browsers that are signed in stay so. If one of them is not yours, end its <a href="/account/sessions">session</a>.</p>
<p class="actions"><a class="button" href="${SECOND_FACTOR_PATH}">I have stored them</a></p>`;
  return { kind: 'page', page: accountPage(visit, '/account', 'Recovery codes', body), event };
}

function page(visit: PrivateVisit, found: Faults, status: number, body: Html): PageAnswer {
  const main = html`${faultSummary(found)}
<h1>${TITLE}</h1>
${body}`;
  return { kind: 'page', status, page: accountPage(visit, '/account', titleWith(found, TITLE), main) };
}

function codeField(hint: string, found: Faults): Html {
  return textField({
    name: 'code',
    label: 'Code',
    hint,
    autocomplete: 'one-time-code',
    isRequired: true,
    error: found.code,
  });
}
