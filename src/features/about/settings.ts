// The settings page and the theme switch in the footer. One cookie stores the settings in the browser. Contract 25.20.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { readReturn, SETTINGS_PAGE, SETTINGS_SAVED } from '../../http/addresses.ts';
import { ownPath } from '../../http/requests/caller.ts';
import { addPageForm, addPageRead, SETTINGS_COOKIE, type Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { type Html, html } from '../../http/views/html.ts';
import {
  chosenBy,
  readSettings,
  SETTINGS,
  type SettingName,
  type Settings,
} from '../../http/views/layout.ts';
import { DAY } from '../../model/time.ts';

const YEAR_SECONDS = 365 * DAY;

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, SETTINGS_PAGE, (visit) => {
    const { frame } = visit;
    const back = readReturn(frame.here);
    const main = settingsPage(frame.settings, back === null ? null : ownPath(back));
    const flash = frame.here === SETTINGS_SAVED ? { flash: 'Your settings are saved.' } : {};
    return visit.send({ title: 'Settings', main, canonical: SETTINGS_PAGE, ...flash });
  });
  addPageForm(server, site, SETTINGS_PAGE, (visit) =>
    keep(visit, () => chosenBy((name) => visit.field(name))),
  );
  addPageForm(server, site, '/theme', (visit) =>
    keep(visit, (now) => chosenBy((name) => (name === 'theme' ? visit.field(name) : now[name]))),
  );
}

/** Saves the settings that `change` returns, and redirects to the page that the form names. */
function keep(visit: Visit, change: (now: Settings) => Settings): FastifyReply {
  visit.checkOrigin();
  const value = printSettings(change(readSettings(visit.cookie(SETTINGS_COOKIE))));
  visit.setCookie({ name: SETTINGS_COOKIE, value, maxAge: value === '' ? 0 : YEAR_SECONDS });
  return visit.redirect(ownPath(visit.field('return')));
}

/** `times:local.theme:dark`, without defaults; empty if all are defaults. */
export function printSettings(settings: Settings): string {
  return Object.entries(SETTINGS)
    .map(([name, [byDefault]]) => ({ name, value: settings[name as SettingName], byDefault }))
    .filter(({ value, byDefault }) => value !== byDefault)
    .map(({ name, value }) => `${name}:${value}`)
    .join('.');
}

interface Words {
  readonly legend: string;
  readonly choices: Readonly<Record<string, readonly [label: string, hint: string]>>;
}

const WORDS: { readonly [Name in SettingName]: Words } = {
  times: {
    legend: 'Times',
    choices: {
      utc: ['UTC', 'as in the API and in files: 2024-01-31, 18:30:00'],
      local: ['Your time zone', 'needs JavaScript; without it, times are in UTC and say so'],
      relative: ['Ages', '3 years ago; the page of a record has the time as well'],
    },
  },
  adult: {
    legend: 'Text from adult communities',
    choices: {
      folded: ['Hidden', 'you open one at a time, or a whole page at once'],
      shown: ['Always shown', 'on every page'],
    },
  },
  density: {
    legend: 'Spacing',
    choices: { roomy: ['Roomy', 'easier to read'], compact: ['Compact', 'more results on one screen'] },
  },
  theme: {
    legend: 'Colours',
    choices: {
      auto: ['Automatic', 'as this device is set'],
      light: ['Light', 'dark text on white'],
      dark: ['Dark', 'light text on black'],
    },
  },
};

/** `back`: path of the page to return to after saving; null: this page. */
export function settingsPage(settings: Settings, back: string | null): Html {
  return html`<h1>Settings</h1>
<p class="lead">They apply to this browser only, with or without an account. One cookie keeps them for a year.
<a href="/privacy">Privacy</a></p>
<form class="settings" method="post" action="${SETTINGS_PAGE}">
<input type="hidden" name="return" value="${back ?? SETTINGS_SAVED}">
${Object.entries(WORDS).map(([name, words]) => choice(name as SettingName, words, settings))}
<p class="moves"><button class="primary" type="submit">Save</button>${back === null ? null : html` <a class="button" href="${back}">Cancel</a>`}</p>
</form>`;
}

function choice(name: SettingName, { legend, choices }: Words, settings: Settings): Html {
  return html`<fieldset><legend>${legend}</legend>
${SETTINGS[name].map((value) => {
  const [label, hint] = choices[value]!;
  const id = `${name}-${value}`;
  return html`<div class="option"><input type="radio" id="${id}" name="${name}" value="${value}" aria-describedby="${id}-hint"${value === settings[name] ? html` checked` : null}><label for="${id}">${label}</label> <span class="hint" id="${id}-hint">${hint}</span></div>`;
})}
</fieldset>`;
}
