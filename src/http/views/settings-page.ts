// What somebody sets for the pages in one browser, without an account: the choices, the text of the cookie that
// keeps them, and the page that shows them. Contract 25.20.

import { SETTINGS_PAGE, SETTINGS_SAVED } from '../addresses/pages.ts';
import { ADULT_TEXTS } from '../addresses/search.ts';
import { type Html, html } from './html.ts';

/** The choices of each setting; the first is the default. */
export const SETTINGS = {
  /** How times are told: in UTC, in the browser's own time zone, or as ages. */
  times: ['utc', 'local', 'relative'],
  /** Texts of communities for adults: folded until they are asked for, or shown. */
  adult: ADULT_TEXTS,
  density: ['roomy', 'compact'],
  theme: ['auto', 'light', 'dark'],
} as const;

export type SettingName = keyof typeof SETTINGS;

export type Settings = { readonly [Name in SettingName]: (typeof SETTINGS)[Name][number] };

export type Theme = Settings['theme'];

export const DEFAULT_SETTINGS = chosenBy(() => null);

/** Of what `given` names for each setting; the default where that is none of its choices. */
export function chosenBy(given: (name: SettingName) => string | null | undefined): Settings {
  const entries = Object.entries(SETTINGS).map(([name, choices]) => {
    const wanted = given(name as SettingName);
    return [name, choices.find((choice) => choice === wanted) ?? choices[0]];
  });
  return Object.fromEntries(entries) as Settings;
}

/** `times:local.theme:dark`, without defaults; empty where everything is one. */
export function printSettings(settings: Settings): string {
  return Object.entries(SETTINGS)
    .map(([name, [byDefault]]) => ({ name, value: settings[name as SettingName], byDefault }))
    .filter(({ value, byDefault }) => value !== byDefault)
    .map(({ name, value }) => `${name}:${value}`)
    .join('.');
}

/** The settings in the text of a cookie. What it does not say, or says of nothing that there is, is the default. */
export function readSettings(text: string | null): Settings {
  const given = new Map<string, string>();
  for (const part of (text ?? '').split('.')) {
    const [name = '', value = '', ...more] = part.split(':');
    if (more.length === 0 && !given.has(name)) given.set(name, value);
  }
  return chosenBy((name) => given.get(name));
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
    legend: 'Texts of communities for adults',
    choices: {
      folded: ['Folded', 'each opens by itself, or all of a page at once'],
      shown: ['Always shown', 'on every page'],
    },
  },
  density: {
    legend: 'Spacing',
    choices: {
      roomy: ['Roomy', 'easier to read'],
      compact: ['Compact', 'more results on one screen'],
    },
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

/** `back`: path of the page to return to once the form is sent; null: stay here. */
export function settingsPage(settings: Settings, back: string | null): Html {
  return html`<h1>Settings</h1>
<p class="lead">For this browser alone, with or without an account. They are kept in one cookie, for a year.
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
