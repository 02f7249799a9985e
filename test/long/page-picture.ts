// Takes docs/page.png again, from a server that answers from the invented sample:
//
//   node bin/colloquy.mjs serve --data "$(mktemp -d)" --port 8090
//   node test/long/page-picture.ts http://127.0.0.1:8090

import { fileURLToPath } from 'node:url';
import { DESK, launch, NO_BROWSER, open } from '../page/browser.ts';

const [address, query = 'first|old -/r/nightlifetales after:2022-01-01'] = process.argv.slice(2);
if (address === undefined || NO_BROWSER !== false) {
  console.error(NO_BROWSER || 'usage: node test/long/page-picture.ts ADDRESS [QUERY]');
  process.exit(2);
}
const browser = await launch();
const { page } = await open(browser, { viewport: DESK, colorScheme: 'light', reducedMotion: 'reduce' });
await page.goto(`${address}/search?query=${encodeURIComponent(query)}`, { waitUntil: 'networkidle' });
const path = fileURLToPath(new URL('../../docs/page.png', import.meta.url));
await page.screenshot({ path });
await browser.close();
console.log(path);
