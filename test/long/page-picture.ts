// Takes the pictures of docs/page.md again, from a server that answers from the invented sample:
//
//   node bin/colloquy.mjs serve --data "$(mktemp -d)" --port 8090
//   npm run test:long -- page-picture http://127.0.0.1:8090

import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch, NO_BROWSER, open, PHONE } from '../page/browser.ts';

/** A picture is read beside words, and should be small. */
const DESK = { width: 1200, height: 700 };
const QUERY = encodeURIComponent('first|old -/r/nightlifetales after:2021-01-01');
/** Name of the file → what is in it. */
const PICTURES = {
  page: { path: `/search?query=${QUERY}` },
  'page-dark': { path: '/search?query=battery&kind=comments', colorScheme: 'dark' },
  'page-thread': {
    path: '/search?query=%22heat+pump+too+loud%22&show=titles',
    click: '.results a[href^="/thread/"]',
  },
  'page-compare': { path: '/compare?kind=comments&query=first&query=old&query=last' },
  'page-pictures': { path: '/pictures?query=old&kind=comments' },
  'page-docs': { path: '/docs/reference/search-posts' },
  'page-phone': { path: '/search?query=battery', viewport: PHONE },
} as const;
/** Bytes of each. */
const MAX_BYTES = 150_000;

const [address] = process.argv.slice(2);
if (address === undefined || NO_BROWSER !== false) {
  console.error(NO_BROWSER || 'usage: npm run test:long -- page-picture ADDRESS');
  process.exit(2);
}
const browser = await launch();
for (const [name, picture] of Object.entries(PICTURES)) {
  const { path, click, colorScheme, viewport }: Picture = picture;
  const { page } = await open(browser, {
    viewport: viewport ?? DESK,
    colorScheme: colorScheme ?? 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(address + path, { waitUntil: 'networkidle' });
  if (click !== undefined) {
    await page.locator(click).first().click();
    await page.waitForLoadState('networkidle');
  }
  const file = fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  console.log(`${file}: ${size} bytes${size > MAX_BYTES ? `, more than ${MAX_BYTES}` : ''}`);
}
await browser.close();

interface Picture {
  readonly path: string;
  /** What leads from there to the page of the picture. */
  readonly click?: string;
  readonly colorScheme?: 'dark';
  readonly viewport?: typeof PHONE;
}
