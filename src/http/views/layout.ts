// The frame of every page: head, header with navigation, notices, footer with the choice of theme. What somebody has
// set for pages in one browser, without an account (contract 25.20).

import type { SessionOwner } from '../../accounts/secrets.ts';
import { ADULT_TEXTS, leadingBack, settingsAddress } from '../addresses.ts';
import { type Html, html } from './html.ts';
import { visibleText } from './record-text.ts';

export interface Frame {
  /** Who is signed in; null: a visitor. */
  readonly viewer: Pick<SessionOwner, 'accountId' | 'email'> | null;
  readonly settings: Settings;
  /** Path and query string of this page, to return to after signing in or choosing a theme. */
  readonly here: string;
  /** The address at which people reach the server, without a slash at its end. */
  readonly publicAddress: string;
  readonly isSample: boolean;
  /** Entries of the header between the first and the last. */
  readonly navigation: readonly { readonly section: string; readonly path: string; readonly name: string }[];
  /** Entries of the header for whoever is signed in. */
  readonly own: readonly { readonly path: string; readonly name: string }[];
  /** How people sign in, each from the path that leads on; null: nobody can. */
  readonly entrance: FrameEntrance | null;
  readonly canRegister: boolean;
  readonly assets: PageAssets;
}

export interface FrameEntrance {
  /** The path of the page to sign in, which leads on to a path of this site (`leadingBack`). */
  readonly signIn: string;
  readonly register: string;
  /** Where signing in leads by itself. */
  readonly home: { readonly path: string; readonly name: string };
  /** The path behind their own name. */
  readonly profile: string;
}

export interface PageAssets {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  /** The icon itself, for the header: a browser asks for it once. */
  readonly mark: Html;
}

export interface Page {
  /** The title, without the name of the service. */
  readonly title: string;
  readonly main: Html;
  readonly canonical?: string;
  /** Paths of its feeds, by media type; absent: it has none. */
  readonly feeds?: Readonly<Record<string, string>>;
  /** Whether search engines may list it; told them by a header. */
  readonly isListed?: boolean;
  /** A notice above the page about what has just been done. */
  readonly flash?: string;
  /** Which entry of the header this page is: its feature, or its path in an account. */
  readonly section?: string;
  /** Parts of the page that skip links lead to, by id and name, the main one first; absent: the content as a whole. */
  readonly skips?: readonly SkipTarget[];
  /** Class of `main`: `wide` is more than a column. */
  readonly mainClass?: string;
}

/** Ids of parts of pages; what has one can take the focus. */
export type SkipTarget = 'results' | 'totals' | 'timeline' | 'breakdowns' | 'download';

/** What a browser draws the empty page with, until it has the stylesheet. */
const SCHEMES: Readonly<Record<Theme, string>> = { auto: 'light dark', light: 'light', dark: 'dark' };

export function layout(frame: Frame, page: Page): Html {
  const looks = LOOKS.filter((name) => frame.settings[name] !== DEFAULT_SETTINGS[name]);
  return html`<!doctype html>
<html lang="en"${looks.map((name) => html` data-${name}="${frame.settings[name]}"`)}>
<head>
<meta charset="utf-8">
<title>${visibleText(page.title)} – Colloquy</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${SCHEMES[frame.settings.theme]}">
<link rel="stylesheet" href="${frame.assets.style}">
${page.canonical === undefined ? null : html`<link rel="canonical" href="${frame.publicAddress + page.canonical}">`}
${Object.entries(page.feeds ?? {}).map(
  ([type, path]) => html`<link rel="alternate" type="${type}" href="${path}">
`,
)}<link rel="icon" href="${frame.assets.icon}" type="image/svg+xml">
${page.isListed ? SEARCH_LINK : null}<script type="module" src="${frame.assets.script}"></script>
</head>
<body>
${(page.skips ?? [null]).map((part) => html`<a class="skip" href="#${part ?? 'main'}">Skip to ${part ?? 'content'}</a>`)}
${header(frame, page.section)}
${frame.isSample ? html`${sampleNotice()}\n` : null}${page.flash === undefined ? null : html`<p class="flash" role="status">${page.flash}</p>\n`}<main id="main" tabindex="-1"${page.mainClass === undefined ? null : html` class="${page.mainClass}"`}>
${page.main}
</main>
${footer(frame)}
</body>
</html>
`;
}

/** How browsers add the search to theirs: from the pages that people begin at. */
const SEARCH_LINK = html`<link rel="search" type="application/opensearchdescription+xml" title="Colloquy" href="/opensearch.xml">
`;

const LOOKS = ['theme', 'times', 'density'] as const;

function header(frame: Frame, section: Page['section']): Html {
  const { viewer, here, entrance, canRegister, navigation, own, assets } = frame;
  const current = (name: Page['section']) => (name === section ? html` aria-current="page"` : null);
  return html`<header class="top">
<a class="brand" href="/">${assets.mark}Colloquy</a>
<nav aria-label="Main">
<a href="/"${current('search')}>Search</a>
${navigation.map(({ section: of, path, name }) => html`<a href="${path}"${current(of)}>${name}</a>\n`)}
</nav>
${
  entrance === null
    ? null
    : html`<nav class="account" aria-label="Account">
${
  viewer === null
    ? html`<a href="${leadingBack(entrance.signIn, here)}">Sign in</a>${canRegister ? html` <a class="strong" href="${leadingBack(entrance.register, here)}">Register</a>` : null}`
    : html`${own.map(({ path, name }) => html`<a href="${path}"${current(path)}>${name}</a> `)}<a href="${entrance.profile}"${current(entrance.profile)} class="who">${viewer.email}</a>`
}
</nav>`
}
</header>`;
}

/**
 * What signing in is good for: links to do it, or to register, that lead back here, then `to` what; nothing where
 * nobody can. `isInviting`: says how little it takes.
 */
export function signInTo(
  { entrance, here, canRegister }: Frame,
  to: Html | string,
  { isInviting = false } = {},
): Html | null {
  if (entrance === null) return null;
  const register = canRegister
    ? html` or <a href="${leadingBack(entrance.register, here)}">register</a>`
    : null;
  return html`<a href="${leadingBack(entrance.signIn, here)}">Sign in</a>${register} to ${to}${isInviting && canRegister ? ' It is free and takes a minute.' : null}`;
}

function sampleNotice(): Html {
  return html`<aside class="notice" aria-label="Sample data"><p><strong>These records are invented.</strong> Nothing has been imported yet; the first import replaces this sample: <code>node bin/colloquy.mjs import FILE</code></p></aside>`;
}

function footer({ settings, here }: Frame): Html {
  return html`<footer class="bottom">
<nav aria-label="About this site">
<a href="/about">About</a> <a href="/privacy">Privacy</a> <a href="/about#removal">Removal requests</a> <a href="/status">Status</a> <a href="${settingsAddress(here)}" rel="nofollow">Settings</a> <a href="/about#keys" data-shortcuts>Shortcuts</a>
</nav>
<form class="theme" method="post" action="/theme" aria-label="Theme">
<input type="hidden" name="return" value="${here}">
${SETTINGS.theme.map((name) => html`<button name="theme" value="${name}" aria-pressed="${name === settings.theme ? 'true' : 'false'}">${THEME_NAMES[name]}</button>`)}
</form>
</footer>`;
}

const THEME_NAMES: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

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

/** The settings in the text of a cookie. What it does not say, or says of nothing that there is, is the default. */
export function readSettings(text: string | null): Settings {
  const pairs = (text ?? '').split('.').map((part) => part.split(':'));
  return chosenBy((name) => pairs.find((pair) => pair.length === 2 && pair[0] === name)?.[1]);
}
