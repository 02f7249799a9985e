// The page of settings: how times, texts for adults, spacing and colours are shown in this browser.

import { SETTINGS_PAGE, SETTINGS_SAVED } from '../addresses/pages.ts';
import { type Html, html } from './html.ts';
import { SETTINGS, type SettingName, type Settings } from './settings.ts';

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
