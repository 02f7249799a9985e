// The page of settings, which one cookie keeps in this browser, and the choice of theme below every page. Contract
// 25.20.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readReturn, SETTINGS_PAGE, SETTINGS_SAVED } from '../../http/addresses/pages.ts';
import { checkOrigin, ownPath } from '../../http/request-checks.ts';
import { addPageForm, addPageRead, formField } from '../../http/site/page-paths.ts';
import {
  frameOf,
  readPlainCookie,
  SETTINGS_COOKIE,
  sendPage,
  sendRedirect,
  setPlainCookie,
} from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import {
  chosenBy,
  printSettings,
  readSettings,
  type Settings,
  settingsPage,
} from '../../http/views/settings-page.ts';
import { DAY } from '../../model/time.ts';

const YEAR_SECONDS = 365 * DAY;

export function addSettingsPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, SETTINGS_PAGE, async (request, reply) => {
    const frame = await frameOf(site, request);
    const back = readReturn(frame.here);
    const main = settingsPage(frame.settings, back === null ? null : ownPath(back));
    const flash = frame.here === SETTINGS_SAVED ? { flash: 'Your settings are saved.' } : {};
    const page = { title: 'Settings', main, canonical: SETTINGS_PAGE, ...flash };
    return sendPage(site, request, reply, frame, page);
  });
  addPageForm(server, SETTINGS_PAGE, async (request, reply) =>
    keep(site, request, reply, () => chosenBy((name) => formField(request, name))),
  );
  addPageForm(server, '/theme', async (request, reply) =>
    keep(site, request, reply, (now) =>
      chosenBy((name) => (name === 'theme' ? formField(request, name) : now[name])),
    ),
  );
}

/** Keeps what `change` makes of the settings so far, and leads back to the page that the form names. */
function keep(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  change: (now: Settings) => Settings,
): FastifyReply {
  checkOrigin(request, site.visitors.of(request).ownAddress);
  const value = printSettings(change(readSettings(readPlainCookie(site, request, SETTINGS_COOKIE))));
  const maxAge = value === '' ? 0 : YEAR_SECONDS;
  setPlainCookie(site, request, reply, { name: SETTINGS_COOKIE, value, maxAge });
  return sendRedirect(site, reply, ownPath(formField(request, 'return')));
}
