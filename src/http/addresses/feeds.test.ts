import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tagHost } from './feeds.ts';

it('the host of a tag is in lower case, without a port; an address of IPv6 is none', () => {
  const cases: readonly [string | null, string | null][] = [
    ['https://Search.Example.org:8443/colloquy', 'search.example.org'],
    ['http://192.0.2.1:8080', '192.0.2.1'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['http://[2001:db8::1]:8080', null],
    [null, null],
  ];
  for (const [url, host] of cases) assert.equal(tagHost(url), host, `${url}`);
});
