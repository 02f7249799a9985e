import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { REJECTIONS, SKIPS } from '../../src/ingest/normalise/outcome.ts';

const page = readFileSync(new URL('../../docs/importing.md', import.meta.url), 'utf8');

/** Rows of the table under a heading, as cells. */
function tableUnder(heading: string): string[][] {
  const [section = ''] = page.split(`### ${heading}\n`)[1]!.split(/^#/m);
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => line.slice(2, -2).split(' | '));
}

describe('docs/importing.md', () => {
  for (const [heading, reasons] of Object.entries({ Rejected: REJECTIONS, Skipped: SKIPS })) {
    it(`${heading}: every reason with its meaning, in the order of reasons.ts`, () => {
      const meant = Object.entries(reasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]);
      assert.deepEqual(tableUnder(heading), meant);
    });
  }
});
