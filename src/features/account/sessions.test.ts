import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserName } from './sessions.ts';

describe('the name of a browser', () => {
  const [windows, mac] = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7'];
  const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1';
  const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const phone = 'iPhone; CPU iPhone OS 18_1 like Mac OS X';
  const chrome = 'Chrome/131.0.0.0 Safari/537.36';
  const samsung = 'SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36';
  const cases = [
    [`Mozilla/5.0 (${windows}; rv:133.0) Gecko/20100101 Firefox/133.0`, 'Firefox on Windows'],
    [`Mozilla/5.0 (${mac}) ${webKit} Safari/605.1.15`, 'Safari on macOS'],
    [`Mozilla/5.0 (${phone}) ${webKit} Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${blink} ${chrome}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (${windows}) ${blink} ${chrome} Edg/131.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 14) ${blink} ${samsung}`, 'Samsung Internet on Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', 'unknown'],
    ['\u0000\u202e', 'unknown'],
    ['x'.repeat(200), `${'x'.repeat(80)}…`],
  ] as const;
  for (const [agent, expected] of cases) {
    it(`${expected.slice(0, 40)}: ${agent.slice(0, 40)}`, () => assert.equal(browserName(agent), expected));
  }
});
