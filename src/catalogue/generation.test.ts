import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { test } from '../../test/catalogue-fixtures.ts';
import { NO_SOURCE_FACTS, temporaryFolder } from '../../test/helpers.ts';
import { Catalogue } from './catalogue.ts';

describe('generation of what is known of communities', () => {
  const claim = { name: 'Energy', nsfw: true, time: 5, id: 'abc' };
  const SILENT = { name: 'silent', nsfw: null, id: '' };
  const IMPORT = { file: 'f', checksum: '', where: null, counts: {}, started: 1, finished: 2 };
  // Each on top of those before it.
  const steps: readonly [rule: string, rises: boolean, change: (catalogue: Catalogue) => void][] = [
    ['a word of the operator', true, (catalogue) => catalogue.setNsfw('energy', true)],
    ['the same word again', false, (catalogue) => catalogue.setNsfw('ENERGY', true)],
    ['the word taken back', true, (catalogue) => catalogue.setNsfw('energy', null)],
    ['a claim of records', true, (catalogue) => catalogue.recordClaims([claim])],
    ['the same claim again', false, (catalogue) => catalogue.recordClaims([claim])],
    ['a newer claim of the same', false, (all) => all.recordClaims([{ ...claim, time: 6 }])],
    ['a newer claim of another', true, (all) => all.recordClaims([{ ...claim, time: 7, nsfw: false }])],
    ['an id from a dump', true, (catalogue) => catalogue.dumpClaims([{ ...claim, nsfw: null, id: 'abd' }])],
    ['a name of which nothing is said', false, (all) => all.dumpClaims([{ ...claim, ...SILENT }])],
    ['a new community', true, (catalogue) => catalogue.dumpClaims([{ ...claim, name: 'solar' }])],
    ['an import', false, (catalogue) => catalogue.addImports([{ ...IMPORT, ...NO_SOURCE_FACTS }])],
    ['a setting', false, (catalogue) => catalogue.setKeepsOriginals(true)],
  ];

  test('rises with what answers show, and with nothing else', async ({ catalogue, other }) => {
    assert.equal(catalogue.generation(), 0);
    for (const [rule, rises, change] of steps) {
      const before = catalogue.generation();
      change(other);
      const after = catalogue.generation();
      assert.equal(after > before, rises, rule);
      assert.ok(after >= before, rule);
    }
  });

  it('a missing catalogue that is only read has no path and is at 0', async () => {
    using folder = temporaryFolder();
    await using catalogue = Catalogue.openToRead(folder.path);
    assert.deepEqual([catalogue.path, catalogue.generation()], [null, 0]);
  });
});

describe('snapshot of what is known', () => {
  test('stays as it was, in a name that it never looked up too, whatever others write', async (place) => {
    const { catalogue } = place;
    catalogue.setNsfw('energy', true);
    await using snapshot = Catalogue.openSnapshot({ path: catalogue.path!, isReadOnly: false });
    catalogue.setNsfw('energy', false);
    catalogue.setNsfw('solar', true);
    const known = snapshot.knowledgeOf(['energy', 'solar', 'Energy']);
    const said = [...known].map(([name, { operator }]) => `${name} ${operator}`);
    assert.deepEqual(said, ['energy true', 'Energy true']);
    await using later = Catalogue.openSnapshot({ path: catalogue.path!, isReadOnly: false });
    assert.equal(later.knowledgeOf(['energy', 'solar']).size, 2);
  });
});
