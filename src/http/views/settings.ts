// What somebody sets for the pages in one browser, without an account, and the text of the cookie that keeps it.
// Contract 25.20.

import { ADULT_TEXTS } from '../addresses/search.ts';

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
