import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { purgeFields, purgeWords, textWords } from './feature.ts';

describe('what `remove` says of the text', () => {
  const cases = [
    [null, { purged: false, purge_scheduled: false }, /within 24 hours .* now: colloquy remove --purge$/],
    [{ erased: 'now' }, { purged: true, purge_scheduled: false }, null],
    [{ erased: 'scheduled' }, { purged: false, purge_scheduled: true }, /text is erased later/],
  ] as const;
  for (const [purge, fields, words] of cases) {
    it(`purge: ${purge?.erased ?? 'none'}`, () => {
      assert.deepEqual(purgeFields(purge), fields);
      const said = textWords(purge, 'colloquy remove --purge');
      if (words === null) assert.equal(said, null);
      else assert.match(said!, words);
    });
  }

  it('a purge alone never says that nothing is left where it is scheduled', () => {
    assert.equal(purgeWords({ erased: 'now' }, 'data'), 'no file in data contains removed texts any more');
    assert.match(purgeWords({ erased: 'scheduled' }, 'data'), /^removed texts are erased later/);
  });
});
