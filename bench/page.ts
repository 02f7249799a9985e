// What a page of 25 results weighs and how soon it is read: bytes, where the first result begins, height of the list,
// and the largest contentful paint on a slow phone.
// Run: npm run bench -- page --data FOLDER [--checkout FOLDER] [--query WORDS]… [--loads N]   (Chromium in /usr/bin)
// FOLDER is an index with records. --checkout measures another commit's code on it. The words are asked of posts and of
// comments; absent: those in QUERIES. N loads of each page (default 20) are with an empty cache.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    checkout: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    query: { type: 'string', multiple: true },
    loads: { type: 'string', default: '20' },
  },
});

const QUERIES = ['solar', 'the', 'game', 'solar power', '/r/askreddit', 'before:2013-01-01 after:2010-01-01'];

/** Lighthouse's slow 4G, in bytes a second and milliseconds; its processor is four times as slow. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const SLOWER = 4;
const DESK = { width: 1350, height: 940 };
const PHONE = { width: 360, height: 640 };

if (values.data === undefined) console.log('expected --data FOLDER');
else await measure(values.data);

async function measure(data: string): Promise<void> {
  const program = `${values.checkout}/bin/colloquy.mjs`;
  const server = spawn(process.execPath, [program, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Visitors get as many results as somebody who is signed in, and each load comes from another address.
    env: {
      ...process.env,
      COLLOQUY_VISITOR_RESULTS: '25',
      COLLOQUY_LOG_REQUESTS: 'off',
      COLLOQUY_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const base = await addressOf(server.stdout!);
    console.log(
      'page | bytes | gzip | first result at | list at 1,350 px | LCP ms: least, median, p75, most',
    );
    console.log('---|--:|--:|--:|--:|--:');
    for (const query of values.query ?? QUERIES) {
      for (const list of ['', '&kind=comments']) {
        const path = `/search?query=${encodeURIComponent(query)}${list}`;
        const body = await (await fetch(base + path)).text();
        const first = body.indexOf('<article>');
        if (first === -1) continue;
        const [height, count] = await listOf(browser, base + path);
        const paints = await paintsOf(browser, base + path);
        const at = (share: number) => paints[Math.floor((paints.length - 1) * share)]!.toFixed(0);
        console.log(
          [
            ...[path, Buffer.byteLength(body), gzipSync(body, { level: 6 }).length],
            ...[Buffer.byteLength(body.slice(0, first)), `${height} px of ${count}`],
            [at(0), at(0.5), at(0.75), at(1)].join(', '),
          ].join(' | '),
        );
      }
    }
  } finally {
    await browser.close();
    server.kill();
  }
}

/** The address that the server says it listens at. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  for await (const bytes of output) {
    said += String(bytes);
    const address = /http:\/\/\S+/.exec(said)?.[0];
    if (address !== undefined) {
      output.resume();
      return address;
    }
  }
  throw new Error(`the server ended: ${said}`);
}

/** Height in pixels, and how many results. */
async function listOf(browser: Browser, url: string): Promise<readonly [height: number, count: number]> {
  const page = await browser.newPage({ viewport: DESK });
  await page.goto(url);
  const found = await page.evaluate(`(() => {
    const list = document.querySelector('.results');
    return [Math.round(list.getBoundingClientRect().height), list.children.length];
  })()`);
  await page.close();
  return found as [number, number];
}

/** Milliseconds from the beginning of the navigation, sorted; each in a browser context of its own. */
async function paintsOf(browser: Browser, url: string): Promise<number[]> {
  const paints: number[] = [];
  for (let load = 0; load < Number(values.loads); load++) {
    const extraHTTPHeaders = { 'x-forwarded-for': `10.0.0.${load % 250}` };
    const context = await browser.newContext({ viewport: PHONE, extraHTTPHeaders });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW_4G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.goto(url, { waitUntil: 'load' });
    const paint = await page.evaluate(`new Promise((resolve) => {
      let last = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) last = entry.startTime;
      }).observe({ type: 'largest-contentful-paint', buffered: true });
      setTimeout(() => resolve(last), 300);
    })`);
    paints.push(paint as number);
    await context.close();
  }
  return paints.sort((a, b) => a - b);
}
