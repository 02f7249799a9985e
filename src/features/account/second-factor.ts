// The page of the second factor (two-factor authentication): turning it on and off, and its recovery codes.

import { encode } from 'uqr';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import { type Answer, accountPage, type PageAnswer, type PrivateVisit } from '../../http/site/exchange.ts';
import {
  type Faults,
  faults,
  type Html,
  hasFaults,
  html,
  NO_FAULTS,
  submitButton,
} from '../../http/views/html.ts';
import { readableTime } from '../../model/time.ts';
import { PROFILE_PATH, SECOND_FACTOR_PATH, SESSIONS_PATH } from './addresses.ts';
import { CODE_HINT, codeField, passwordForm, WRONG_CODE } from './forms.ts';
import {
  type AccountContext,
  type FormPage,
  type PrivateRoutes,
  tooManyTries,
  tryCode,
  withPassword,
} from './proving.ts';
import { base32, inGroups, otpauthLink, type SecondFactor } from './second-factors.ts';

const TITLE = 'Second factor';

const ISSUER = 'Colloquy';

export const SECOND_FACTOR_ROUTES: PrivateRoutes = {
  [SECOND_FACTOR_PATH]: { show: showSecondFactor, change: changeSecondFactor, takesPassword: true },
};

function showSecondFactor({ credentials, offered }: AccountContext, visit: PrivateVisit): Answer {
  const { accountId, formToken } = visit.viewer;
  const state = credentials.secondFactors.of(accountId);
  if (state !== null) return onPage(visit, state, NO_FAULTS);
  return offPage(visit, offered.of(formToken) ?? offered.make(formToken), NO_FAULTS);
}

/** Each change asks for the password and a code, so that a found browser is not enough. */
async function changeSecondFactor(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const isOn = context.credentials.secondFactors.of(visit.viewer.accountId) !== null;
  return isOn ? changeWhatIsOn(context, visit) : turnOn(context, visit);
}

async function turnOn(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId: account, formToken } = visit.viewer;
  const { offered, credentials } = context;
  const secret = offered.of(formToken);
  if (secret === null) {
    const found = { form: 'The secret you were shown has expired. Use this new one' };
    return offPage(visit, offered.make(formToken), found);
  }
  const form: FormPage = (found) => offPage(visit, secret, found);
  const code = visit.field('code');
  const found = faults({ code: credentials.secondFactors.fits(secret, code) ? undefined : WRONG_CODE });
  if (hasFaults(found)) return form(found);
  return withPassword(context, visit, form, () => {
    const codes = credentials.secondFactors.turnOn(account, secret, code);
    if (codes === null) return form({ code: WRONG_CODE });
    offered.end(formToken);
    return recoveryCodesPage(visit, codes, { security: 'second_factor_on', account });
  });
}

async function changeWhatIsOn(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { accountId: account, email } = visit.viewer;
  const { credentials } = context;
  const { secondFactors } = credentials;
  const wish = visit.field('do');
  // The form that turns it on was sent twice.
  if (wish === 'on') return { kind: 'redirect', to: SECOND_FACTOR_PATH, notice: 'second-factor-on-already' };
  const form: FormPage = (found) => onPage(visit, secondFactors.of(account), found);
  if (wish !== 'codes' && wish !== 'off') return form({ form: 'Choose one of the buttons' });
  return withPassword(context, visit, form, async () => {
    const code = await tryCode(context, visit, account);
    if (code.kind === 'too many') return tooManyTries(code.waitMs, form);
    if (code.kind === 'wrong') {
      const event = { security: 'second_factor_refused', account } as const;
      return { ...form({ code: WRONG_CODE }), event };
    }
    if (wish === 'off') {
      credentials.turnOffSecondFactor(email);
      const event = { security: 'second_factor_off', account } as const;
      return { kind: 'redirect', to: SECOND_FACTOR_PATH, notice: 'second-factor-off', event };
    }
    const codes = secondFactors.renewRecoveryCodes(account);
    if (codes === null) return form(NO_FAULTS);
    return recoveryCodesPage(visit, codes, { security: 'recovery_codes_made', account });
  });
}

function offPage(visit: PrivateVisit, secret: Uint8Array, found: Faults): PageAnswer {
  const { email } = visit.viewer;
  const link = otpauthLink(secret, ISSUER, email);
  const text = base32(secret);
  const body = html`<p>Off. When it is on, signing in takes your password and a code from an authenticator app on your phone or
computer.</p>
<h2>1. Give the app this secret</h2>
<p>Scan the picture with the app, <a href="${link}">open it in an app on this device</a>, or type the secret:</p>
<p>${qrCode(link, 'QR code of the link for the app')}</p>
<p><code class="secret">${inGroups(text, ' ')}</code></p>
<h2>2. Show that it works</h2>
${passwordForm(visit, SECOND_FACTOR_PATH, found, {
  above: html`<input type="hidden" name="do" value="on">${codeField('The 6 digits that the app shows now.', found)}`,
  below: html`<p class="actions">${submitButton('Turn on')}</p>`,
})}`;
  return page(visit, found, body);
}

/** While it is on. `state` null: it was turned off a moment ago. */
function onPage(visit: PrivateVisit, state: SecondFactor | null, found: Faults): PageAnswer {
  const body = html`<p>Signing in takes your password and a code from your authenticator app.</p>
<dl class="facts">
<dt>On since</dt><dd>${state === null ? '–' : `${readableTime(state.since)} UTC`}</dd>
<dt>Recovery codes left</dt><dd>${state?.recoveryCodes ?? 0}</dd>
</dl>
<h2>Change</h2>
${passwordForm(visit, SECOND_FACTOR_PATH, found, {
  above: codeField(CODE_HINT, found),
  below: html`<p class="hint">New recovery codes replace all that are left. Turning the second factor off deletes them and the secret of your app.</p>
<p class="actions"><button class="button" type="submit" name="do" value="codes">Make new recovery codes</button> <button class="danger" type="submit" name="do" value="off">Turn off</button></p>`,
})}`;
  return page(visit, found, body);
}

/** The only page that shows the recovery codes. */
function recoveryCodesPage(visit: PrivateVisit, codes: readonly string[], event: SecurityEvent): PageAnswer {
  const body = html`<h1>Recovery codes</h1>
<p><strong>Store these codes now: they are not shown again.</strong> The second factor is on. If you lose the app, each
of these codes signs you in once in its place. Earlier codes no longer work.</p>
<ol class="codes">
${codes.map(
  (code) => html`<li><code>${code}</code></li>
`,
)}</ol>
<p>Browsers that are signed in stay so. If one of them is not yours, end its <a href="${SESSIONS_PATH}">session</a>.</p>
<p class="actions"><a class="button" href="${SECOND_FACTOR_PATH}">I have stored them</a></p>`;
  return { ...accountPage(visit, PROFILE_PATH, 'Recovery codes', body), event };
}

function page(visit: PrivateVisit, found: Faults, body: Html): PageAnswer {
  return accountPage(visit, PROFILE_PATH, TITLE, html`<h1>${TITLE}</h1>\n${body}`, found);
}

/** A QR code as SVG, dark on light in every theme. `label`: for screen readers. */
export function qrCode(text: string, label: string): Html {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const runs = data.flatMap((modules, y) =>
    runsOf(modules).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`;
}

/** Modules around the code, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4;

function runsOf(modules: readonly boolean[]): [at: number, width: number][] {
  const runs: [number, number][] = [];
  for (const [at, isDark] of modules.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last[0] + last[1] === at) last[1]++;
    else runs.push([at, 1]);
  }
  return runs;
}
