import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_SETTINGS, readSettings, SETTINGS, type Settings } from '../../http/views/layout.ts';
import { printSettings } from './settings.ts';

const settings = fc.record(
  {
    times: fc.constantFrom(...SETTINGS.times),
    adult: fc.constantFrom(...SETTINGS.adult),
    density: fc.constantFrom(...SETTINGS.density),
    theme: fc.constantFrom(...SETTINGS.theme),
  },
  { noNullPrototype: true },
);

/** Parts as they should be, nearly so, and of another kind altogether. */
const part = fc.oneof(
  settings.map(printSettings),
  fc.constantFrom(
    ...'times:local theme:dark theme: theme :dark theme:dark:light Theme:dark toString:theme'.split(' '),
    ...'__proto__:dark constructor:shown theme:constructor adult:__proto__'.split(' '),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

describe('settings', () => {
  it('come back from the text of their cookie, which has only what a cookie may contain', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const text = printSettings(given);
        assert.match(text, /^[\w:.]*$/);
        assert.deepEqual(readSettings(text), given);
      }),
    );
  });

  it('of 500 random texts are choices that there are', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const read = readSettings(parts.join('.'));
        assert.deepEqual(Object.keys(read), Object.keys(SETTINGS));
        for (const [name, choices] of Object.entries(SETTINGS)) {
          assert.ok((choices as readonly string[]).includes(read[name as keyof Settings]));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('that are unknown, or unknown choices, change nothing; of two the first counts', () => {
    const rows = [
      [null, {}],
      ['', {}],
      ['theme:dark', { theme: 'dark' }],
      ['sound:loud.theme:dark', { theme: 'dark' }],
      ['theme:dark.theme:light', { theme: 'dark' }],
      ['theme:pink.theme:light', {}],
      ['theme:dark.', { theme: 'dark' }],
      ['theme: dark', {}],
      ['theme:DARK', {}],
      ['times:local.adult:shown.density:compact', { times: 'local', adult: 'shown', density: 'compact' }],
    ] as const;
    for (const [text, expected] of rows) {
      assert.deepEqual(readSettings(text), { ...DEFAULT_SETTINGS, ...expected }, text ?? 'none');
    }
  });
});
