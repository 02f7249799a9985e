// `npm run test:long -- page-states [states] [seed]`: on the invented sample, that many random states of pages (500):
// the address leads to a page, which names its canonical address, which leads to the same page. Then eleven tasks, each
// done without script, by what an accessibility tree tells, and by keyboard alone; the steps of each as a table.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { temporaryFolder } from '../helpers.ts';
import { launch, NO_BROWSER, open } from '../page/browser.ts';
import { decode } from '../page/site.ts';
import { STATES } from './page-states/states.ts';
import { Reader, TASKS } from './page-states/tasks.ts';
import { startServer } from './soak/server.ts';

/** Parts of a page of results that lead on to these: the reader skips to them. */
const BEHIND: readonly (readonly [name: RegExp, part: string])[] = [
  [/Last year/, 'timeline'],
  [/Download/, 'download'],
  [/Dark/, 'breakdowns'],
];
/** So many times is Tab pressed for one element. */
const MAX_TABS = 400;

assert.equal(NO_BROWSER, false);
const [states = 500, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
using folder = temporaryFolder();
await using server = await startServer(folder.path);
await using browser = await launch();

const session = await openReader({ javaScriptEnabled: false }, click);
await session.page.goto('/register');
await session.fill(/^Email address/, 'ann@example.org');
await session.fill(/^Password/, 'correct horse battery');
await session.press(/^Create account$/);
assert.match(await session.page.content(), /My API/);
const storageState = await session.page.context().storageState();

let pages = 0;
for (const asked of fc.sample(STATES, { numRuns: states, seed })) {
  const first = await load(asked);
  if (first.canonical === null) {
    assert.match(first.content, /class="problem"/, asked);
    continue;
  }
  const again = await load(first.canonical);
  assert.equal(again.canonical, first.canonical, asked);
  assert.equal(again.content, first.content, `${asked} and ${first.canonical}`);
  pages++;
}
console.log(
  `${states} states, seed ${seed}: ${pages} pages with one address, ${states - pages} that say what is wrong`,
);

const ways: readonly (readonly [string, () => Promise<Reader>])[] = [
  ['without script', () => openReader({ storageState, javaScriptEnabled: false }, click)],
  ['keys pressed', () => openReader({ storageState, acceptDownloads: true }, reachByKeys)],
];
console.log(`\n| task | ${ways.map(([name]) => name).join(' | ')} |\n|---|${'---|'.repeat(ways.length)}`);
for (const [name, start, perform] of TASKS) {
  const steps: number[] = [];
  for (const [way, openOne] of ways) {
    const reader = await openOne();
    await reader.page.goto(start);
    await perform(reader).catch((cause) => {
      throw new Error(`${name}, ${way}, at ${reader.address()}`, { cause });
    });
    steps.push(reader.steps);
    await reader.page.context().close();
  }
  console.log(`| ${name} | ${steps.join(' | ')} |`);
}

/** Path and query of the canonical address, null where none is named; what is shown, without what two may differ in. */
async function load(path: string) {
  const body = await (await session.page.request.get(path)).text();
  const named = /<link rel="canonical" href="https?:\/\/[^/"]+([^"]*)"/.exec(body)?.[1];
  const content = /<main\b[\s\S]*<\/main>/
    .exec(body)![0]
    .replace(/<p class="took">[\s\S]*?<\/p>/g, '')
    .replace(/(return=|name="token" value=")[^"]*/g, '$1')
    // What is suggested where nothing is found: that is what could be counted in time.
    .replace(/<div class="empty">[\s\S]*?(?=<\/section>)/, '');
  return { canonical: named === undefined ? null : decode(named), content };
}

async function openReader(options: BrowserContextOptions, act: Reader['act']): Promise<Reader> {
  const { page } = await open(browser, { baseURL: server.address, ...options });
  return new Reader(page, act);
}

/** A link followed, a field filled, a form sent or a part unfolded. */
async function click(_page: Page, target: Locator, text?: string): Promise<number> {
  if (text === undefined) await target.click();
  else await target.fill(text);
  return 1;
}

/** `j` for what belongs to a result, or a skip link; then Tab up to the element and Enter. A text counts as one key. */
async function reachByKeys(page: Page, target: Locator, text?: string, name = /$^/): Promise<number> {
  let pressed = 0;
  const press = async (key: string) => {
    await page.keyboard.press(key);
    pressed++;
  };
  const tabTo = async (wanted: Locator) => {
    for (let tabs = 0; !(await wanted.evaluate((one) => one === one.ownerDocument.activeElement)); tabs++) {
      assert.ok(tabs < MAX_TABS, `no ${name} within ${MAX_TABS} tabs`);
      await press('Tab');
    }
  };
  if (/Only|Not|Read|Thread/.test(name.source)) await press('j');
  const skip = BEHIND.find(([found]) => found.test(name.source))?.[1];
  if (skip !== undefined && (await page.evaluate('document.activeElement === document.body'))) {
    await tabTo(page.getByRole('link', { name: `Skip to ${skip}` }));
    await press('Enter');
  }
  await tabTo(target);
  if (text === undefined) await press('Enter');
  else {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
    pressed++;
  }
  return pressed;
}
