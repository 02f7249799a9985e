import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from 'uqr';
import { qrCode } from './second-factor.ts';
import { newTotpSecret, otpauthLink } from './second-factors.ts';

describe('a QR code as SVG', () => {
  for (const account of ['a@b.org', 'ann@example.org', `${'long.'.repeat(40)}name@example.org`]) {
    it(`is dark where the code is, for an address of ${account.length} characters`, () => {
      const link = otpauthLink(newTotpSecret(), 'Colloquy', account);
      const { size, data } = encode(link, { ecc: 'M', border: 4 });
      const svg = qrCode(link, 'a "label"').toString();
      assert.match(svg, new RegExp(`aria-label="a &quot;label&quot;" viewBox="0 0 ${size} ${size}"`));
      const drawn = data.map((modules) => modules.map(() => false));
      for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
        for (let at = 0; at < Number(width); at++) drawn[Number(y)]![Number(x) + at] = true;
      }
      assert.deepEqual(drawn, data);
      assert.ok(!data.slice(0, 4).flat().includes(true));
      assert.doesNotMatch(svg, /style=|<script/);
    });
  }
});
