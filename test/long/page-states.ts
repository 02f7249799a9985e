// `npm run test:long -- page-states [states] [seed]`: on the invented sample, that many random states of pages (500):
// the address leads to a page, which names its canonical address, which leads to the same page. Then twelve tasks, each
// done without script, by keyboard alone and by the accessibility tree, with the steps that each takes as a table.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { temporaryFolder } from '../helpers.ts';
import { launch, NO_BROWSER } from '../page/browser.ts';
import { openKeyboardReader, openTreeReader } from './page-states/browser-readers.ts';
import { PlainReader } from './page-states/plain-reader.ts';
import type { Reader } from './page-states/reader.ts';
import { STATES } from './page-states/states.ts';
import { TASKS } from './page-states/tasks.ts';
import { startServer } from './soak/server.ts';

const [states = 500, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
using folder = temporaryFolder();
await using server = await startServer(folder.path);
const { address } = server;
const session = new PlainReader(address);
await session.register('ann@example.org', 'correct horse battery');

let pages = 0;
for (const asked of fc.sample(STATES, { numRuns: states, seed })) {
  const first = await session.load(asked);
  const canonical = first.canonical();
  if (canonical === null) {
    assert.match(first.body, /class="problem"/, asked);
    continue;
  }
  const again = await session.load(canonical);
  assert.equal(again.canonical(), canonical, asked);
  assert.equal(steady(again.content()), steady(first.content()), `${asked} and ${canonical}`);
  pages++;
}
console.log(
  `${states} states, seed ${seed}: ${pages} pages with one address, ${states - pages} that say what is wrong`,
);

/** Without what is suggested where nothing is found: that is what could be counted in time. */
function steady(content: string): string {
  return content.replace(/<div class="empty">[\s\S]*?(?=<\/section>)/, '');
}

assert.equal(NO_BROWSER, false);
const browser = await launch();
const ways: readonly (readonly [string, () => Promise<Reader>])[] = [
  ['without script', async () => session.anew()],
  ['keys pressed', () => openKeyboardReader(browser, address, session.cookie)],
  ['by the tree', () => openTreeReader(browser, address, session.cookie)],
];
console.log(`\n| task | ${ways.map(([name]) => name).join(' | ')} |\n|---|${'---|'.repeat(ways.length)}`);
try {
  for (const { name, start, perform } of TASKS) {
    const steps: number[] = [];
    for (const [way, open] of ways) {
      await using reader = await open();
      await reader.visit(start);
      await perform(reader).catch((error: Error) => {
        error.message = `${name}, ${way}: ${error.message}`;
        throw error;
      });
      steps.push(reader.steps);
    }
    console.log(`| ${name} | ${steps.join(' | ')} |`);
  }
} finally {
  await browser.close();
}
