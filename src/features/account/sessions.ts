// The page of an account's sessions, and ending them.

import type { SessionRecord } from '../../accounts/secrets.ts';
import {
  type Answer,
  accountPage,
  idParameter,
  type PageAnswer,
  type PrivateVisit,
} from '../../http/site/exchange.ts';
import { counted, dateTimeElement } from '../../http/views/format.ts';
import { type Faults, type Html, html, NO_FAULTS } from '../../http/views/html.ts';
import { readableTime } from '../../model/time.ts';
import { SESSIONS_PATH, SIGN_IN_PATH } from './addresses.ts';
import { passwordForm } from './forms.ts';
import { type AccountContext, type PrivateRoutes, withPassword } from './proving.ts';

/** The page that ends sessions: its path, its heading and button (`what`), its sentence, and what it does. */
interface Ending {
  readonly path: string;
  readonly what: string;
  readonly words: Html;
  readonly end: () => Pick<Answer & { kind: 'redirect' }, 'to' | 'notice' | 'follow'>;
}

function showSessions({ accounts }: AccountContext, visit: PrivateVisit): Answer {
  const sessions = accounts.sessions.list(visit.viewer.accountId).toReversed();
  const body = html`<h1>Sessions</h1>
<p>The browsers you are signed in with. A session ends after 30 days without use, and after 180 days at the latest.</p>
<table class="ledger">
<caption class="unseen">Sessions; times in UTC</caption>
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in (UTC)</th><th scope="col">Last used (UTC, to the hour)</th><td></td></tr></thead>
<tbody>
${sessions.map((session) => row(session, visit))}</tbody>
</table>
${
  sessions.length === 1
    ? null
    : html`<p class="actions"><a class="button" href="${SESSIONS_PATH}/end-others">End all other sessions</a></p>`
}`;
  return accountPage(visit, SESSIONS_PATH, 'Sessions', body);
}

/** Asks for the password, and ends the sessions. null: the account has no such session. */
function endingBy(of: (context: AccountContext, visit: PrivateVisit) => Ending | null) {
  return {
    show(context: AccountContext, visit: PrivateVisit): Answer | null {
      const ending = of(context, visit);
      return ending && endPage(visit, ending);
    },
    async change(context: AccountContext, visit: PrivateVisit): Promise<Answer | null> {
      const ending = of(context, visit);
      if (ending === null) return null;
      const form = (found: Faults) => endPage(visit, ending, found);
      const event = { security: 'sessions_ended', account: visit.viewer.accountId } as const;
      return withPassword(context, visit, form, () => ({ kind: 'redirect', ...ending.end(), event }));
    },
    takesPassword: true,
  };
}

/** Ending the current session signs out. */
const ONE_SESSION = endingBy(({ accounts, site }, visit) => {
  const { accountId, sessionId } = visit.viewer;
  const session = accounts.sessions.list(accountId).find(({ id }) => id === idParameter(visit));
  if (session === undefined) return null;
  const { id, agent, created } = session;
  const isThis = id === sessionId;
  return {
    ...{ path: `${SESSIONS_PATH}/${id}/end`, what: 'End the session' },
    words: html`<bdi>${browserName(agent)}</bdi>, signed in ${dateTimeElement(created)} UTC.${
      isThis ? ' This is the browser you are using: you will have to sign in again.' : null
    }`,
    end() {
      accounts.sessions.end(id, accountId);
      if (!isThis) return { to: SESSIONS_PATH, notice: 'session-ended' };
      const follow = () => site.sessions.forget(visit.request, visit.reply);
      return { to: SIGN_IN_PATH, notice: 'signed-out', follow };
    },
  };
});

const OTHER_SESSIONS = endingBy(({ accounts }, { viewer: { accountId, sessionId } }) => ({
  ...{ path: `${SESSIONS_PATH}/end-others`, what: 'End all other sessions' },
  words: html`${counted(accounts.sessions.list(accountId).length - 1, 'session')} in other browsers. You stay signed in here.`,
  end() {
    accounts.sessions.endOthers(accountId, sessionId);
    return { to: SESSIONS_PATH, notice: 'sessions-ended' };
  },
}));

export const SESSION_ROUTES: PrivateRoutes = {
  [SESSIONS_PATH]: { show: showSessions },
  [`${SESSIONS_PATH}/:id/end`]: ONE_SESSION,
  [`${SESSIONS_PATH}/end-others`]: OTHER_SESSIONS,
};

function endPage(visit: PrivateVisit, { path, what, words }: Ending, found = NO_FAULTS): PageAnswer {
  const below = html`<p class="actions"><button type="submit" class="danger">${what}</button>
<a href="${SESSIONS_PATH}">Cancel</a></p>`;
  const body = html`<h1>${what}</h1>
<p>${words}</p>
${passwordForm(visit, path, found, { below })}`;
  return accountPage(visit, SESSIONS_PATH, what, body, found);
}

function row({ id, agent, created, lastUsed }: SessionRecord, { viewer }: PrivateVisit): Html {
  const name = browserName(agent);
  return html`<tr>
<th scope="row"><bdi>${name}</bdi>${id === viewer.sessionId ? html` <span class="badge">this one</span>` : null}</th>
<td data-label="Signed in">${dateTimeElement(created)}</td>
<td data-label="Last used">${dateTimeElement(lastUsed)}</td>
<td class="act"><a class="button" href="${SESSIONS_PATH}/${id}/end" aria-label="End the session of ${name}, signed in ${readableTime(created)}">End</a></td>
</tr>
`;
}

/** Guesses a name, such as "Firefox on Windows". Unknown browsers: the text itself, cut; empty: `unknown`. */
export function browserName(agent: string): string {
  const browser = nameIn(BROWSERS, agent);
  const system = nameIn(SYSTEMS, agent);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const visible = agent.replace(/\p{C}+/gu, ' ').trim();
  if (visible === '') return 'unknown';
  return visible.length <= MAX_LENGTH ? visible : `${visible.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

/** The first that matches counts, since most browsers also name those they want to be taken for. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ .*Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_LENGTH = 80;

function nameIn(known: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return known.find(([pattern]) => pattern.test(agent))?.[1];
}
