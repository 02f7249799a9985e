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
import { type Faults, faultSummary, type Html, html, NO_FAULTS, titleWith } from '../../http/views/html.ts';
import { readableTime } from '../../model/time.ts';
import { SESSIONS_PATH, SIGN_IN_PATH } from './addresses.ts';
import { passwordForm } from './forms.ts';
import { type AccountContext, withPassword } from './proving.ts';

/** The page that ends sessions: its path, its heading and button (`what`), and its sentence. */
interface Ending {
  readonly path: string;
  readonly what: string;
  readonly words: Html;
}

export function showSessions({ accounts }: AccountContext, visit: PrivateVisit): Answer {
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
  return { kind: 'page', page: accountPage(visit, SESSIONS_PATH, 'Sessions', body) };
}

/** Asks for the password. null: the account has no such session. */
export function showEnd(context: AccountContext, visit: PrivateVisit): Answer | null {
  const ending = endingOf(context, visit);
  return ending === null ? null : endPage(visit, ending, NO_FAULTS, 200);
}

/** Ending the current session signs out. null: the account has no such session. */
export async function endSession(context: AccountContext, visit: PrivateVisit): Promise<Answer | null> {
  const ending = endingOf(context, visit);
  if (ending === null) return null;
  return withEnding(context, visit, ending, () => {
    const id = idParameter(visit);
    context.accounts.sessions.end(id, visit.viewer.accountId);
    if (id !== visit.viewer.sessionId) return { to: SESSIONS_PATH, notice: 'session-ended' };
    const { sessions } = context.site;
    return {
      ...{ to: SIGN_IN_PATH, notice: 'signed-out' },
      follow: (request, reply) => sessions.forget(request, reply),
    };
  });
}

export function showEndOthers(context: AccountContext, visit: PrivateVisit): Answer {
  return endPage(visit, othersOf(context, visit), NO_FAULTS, 200);
}

export async function endOtherSessions(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  return withEnding(context, visit, othersOf(context, visit), () => {
    context.accounts.sessions.endOthers(visit.viewer.accountId, visit.viewer.sessionId);
    return { to: SESSIONS_PATH, notice: 'sessions-ended' };
  });
}

function withEnding(
  context: AccountContext,
  visit: PrivateVisit,
  ending: Ending,
  end: () => Pick<Answer & { kind: 'redirect' }, 'to' | 'notice' | 'follow'>,
): Promise<Answer> {
  const form = (found: Faults, status: number) => endPage(visit, ending, found, status);
  const event = { security: 'sessions_ended', account: visit.viewer.accountId } as const;
  return withPassword(context, visit, form, () => ({ kind: 'redirect', ...end(), event }));
}

function endingOf({ accounts }: AccountContext, visit: PrivateVisit): Ending | null {
  const { accountId, sessionId } = visit.viewer;
  const session = accounts.sessions.list(accountId).find(({ id }) => id === idParameter(visit));
  if (session === undefined) return null;
  const words = html`<bdi>${browserName(session.agent)}</bdi>, signed in ${dateTimeElement(session.created)} UTC.${
    session.id === sessionId ? ' This is the browser you are using: you will have to sign in again.' : null
  }`;
  return { path: `${SESSIONS_PATH}/${session.id}/end`, what: 'End the session', words };
}

function othersOf({ accounts }: AccountContext, { viewer }: PrivateVisit): Ending {
  const others = accounts.sessions.list(viewer.accountId).length - 1;
  const words = html`${counted(others, 'session')} in other browsers. You stay signed in here.`;
  return { path: `${SESSIONS_PATH}/end-others`, what: 'End all other sessions', words };
}

function endPage(
  visit: PrivateVisit,
  { path, what, words }: Ending,
  found: Faults,
  status: number,
): PageAnswer {
  const below = html`<p class="actions"><button type="submit" class="danger">${what}</button>
<a href="${SESSIONS_PATH}">Cancel</a></p>`;
  const body = html`${faultSummary(found)}
<h1>${what}</h1>
<p>${words}</p>
${passwordForm(visit, path, found, { below })}`;
  return { kind: 'page', status, page: accountPage(visit, SESSIONS_PATH, titleWith(found, what), body) };
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
