// Chromium for the tests of the page: where it is, and pages that remember what they loaded.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The first one has no windows and tabs, and takes a third of the processor time of the others. */
const EXECUTABLE = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

/** The reason to skip; false where there is a browser. */
export const NO_BROWSER: string | false =
  EXECUTABLE === undefined
    ? 'no Chromium on this machine (Debian: apt-get install chromium-headless-shell)'
    : false;

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE!, args: FLAGS });
}

export const DESK = { width: 1350, height: 940 };
export const TABLET = { width: 768, height: 1024 };
export const PHONE = { width: 390, height: 844 };

/** What went wrong in a page, and what it asked for. */
export interface Watched {
  readonly page: Page;
  /** Addresses of all requests, in their order. */
  readonly requests: string[];
  /** Errors of scripts and of the content policy. */
  readonly errors: string[];
}

/** A page in a context of its own; both end with the browser. */
export async function open(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: DESK, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A page with status 400 is no fault of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
  });
  return { page, requests, errors };
}

/** Opens pages in one browser of all tests of the suite that asks for it. */
export function browserOfTests(): (options?: BrowserContextOptions) => Promise<Watched> {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  return (options) => open(browser, options);
}

/** The least width, in pixels, of each part that the style sheets make of all widths. */
const LEAST_WIDTHS = `[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).flatMap((rule) =>
  [...(rule.conditionText ?? '').matchAll(/(max|min)-width: ([\\d.]+)rem/g)].map(([, bound, rem]) =>
    16 * rem + (bound === 'max' ? 1 : 0)))`;

/**
 * What is wider than its window, of 320 to 1,440 pixels: at the ends and where the style sheets begin anew; and at 320
 * with the spacing of WCAG 2.2, 1.4.12.
 */
export async function sidewaysWidths(page: Page): Promise<string[]> {
  const isWide = (): Promise<boolean> => page.evaluate('document.documentElement.scrollWidth > innerWidth');
  const least: number[] = await page.evaluate(LEAST_WIDTHS);
  if (least.length === 0) throw new Error('expected style sheets that ask for a width, found none');
  const wide: string[] = [];
  for (const width of new Set([1440, ...least, 320])) {
    // A low window is painted in a third of the time.
    await page.setViewportSize({ width, height: 60 });
    if (await isWide()) wide.push(`sideways at ${width}`);
  }
  // By the browser's own hand, since the policy of the page forbids foreign styles.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: .12em !important;' +
      ' word-spacing: .16em !important } p { margin-bottom: 2em !important }');
    document.adoptedStyleSheets = [sheet];
  }`);
  if (await isWide()) wide.push('sideways at 320, spaced out');
  await page.evaluate('document.adoptedStyleSheets = []');
  return wide;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Of the rules of axe-core. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What a theme can change: it sets nothing but colours. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];
/** What a width can change on nearly every page. */
const RULES_OF_PLACE = ['target-size', 'scrollable-region-focusable'];

interface Look {
  readonly viewport: typeof DESK;
  readonly colorScheme: 'light' | 'dark';
  /** Tags or names of rules. */
  readonly rules: readonly string[];
}

/** COLLOQUY_TEST_AXE=all: every rule of every element in three widths and both themes. A width has no colours. */
const IS_THOROUGH = process.env.COLLOQUY_TEST_AXE === 'all';
export const LOOKS: readonly Look[] = IS_THOROUGH
  ? (['light', 'dark'] as const).flatMap((colorScheme) =>
      [DESK, TABLET, PHONE].map((viewport) => ({ viewport, colorScheme, rules: TAGS })),
    )
  : [
      { viewport: DESK, colorScheme: 'light', rules: TAGS },
      { viewport: TABLET, colorScheme: 'light', rules: RULES_OF_PLACE },
      { viewport: PHONE, colorScheme: 'dark', rules: [...RULES_OF_PLACE, ...RULES_OF_COLOUR] },
    ];

/**
 * Takes away what has two siblings like it before it, with the same elements, classes and attributes: rules and colours
 * are the same. What scrolls stays as it is, and so do forms, which tests fill in afterwards.
 */
const THINNED = `(() => {
  const shapeOf = (element) => [element.localName, ...element.classList, ...element.getAttributeNames(),
    '(', ...[...element.children].map(shapeOf), ')'].join(' ');
  const thin = (parent) => {
    if (parent.matches('form') || /auto|scroll/.test(getComputedStyle(parent).overflow)) return;
    for (const alike of Object.values(Object.groupBy(parent.children, shapeOf)))
      for (const [i, element] of alike.entries())
        if (i > 1 && element.firstElementChild && !element.matches('td, th')) element.remove();
        else thin(element);
  };
  thin(document.body);
})()`;

/** Chains of elements by theme, whose text was looked at on one of the pages so far. */
const LOOKED_AT = { light: new Set<string>(), dark: new Set<string>() };

/**
 * Marks what has a text or is a field below a chain of elements that is not `known`, by names, classes and attributes:
 * below the same chain colours are the same. Returns these chains.
 */
const MARKED = `((known) => {
  const chains = new Set(known);
  const mark = (element, above) => {
    const names = element.getAttributeNames().filter((name) => name !== 'data-marked');
    const chain = [above, element.localName, ...element.classList, ...names].join(' ');
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const isNew = (hasText || element.matches('input, select')) && element.checkVisibility() && !chains.has(chain);
    element.toggleAttribute('data-marked', isNew);
    if (isNew) chains.add(chain);
    for (const child of element.children) mark(child, chain + ' >');
  };
  mark(document.body, [...document.styleSheets].map(({ href }) => href).join());
  return [...chains];
})`;

/**
 * Rule and element of each, in every look. The page is opened without motion, else colours are looked at on their way
 * from one theme to the other.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  // The policy of our pages forbids foreign scripts: axe comes by the debugger, not as an element.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  if (!IS_THOROUGH) {
    await page.evaluate(THINNED);
    await page.evaluate(`axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-marked]' }] })`);
  }
  const found: string[] = [];
  for (const { viewport, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    if (!IS_THOROUGH && rules !== RULES_OF_PLACE) {
      const known = JSON.stringify([...LOOKED_AT[colorScheme]]);
      LOOKED_AT[colorScheme] = new Set(await page.evaluate<string[]>(`${MARKED}(${known})`));
    }
    // Of what passes, elements are not described.
    const violations: string[] = await page.evaluate(`
      axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 150))))`);
    found.push(...violations.map((one) => `${viewport.width} ${colorScheme} ${one}`));
  }
  return found;
}
