import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { test } from '../../test/catalogue-fixtures.ts';
import { NO_SOURCE_FACTS, temporaryFolder } from '../../test/helpers.ts';
import type { CommunityClaim, CommunityKnowledge } from '../model/community.ts';
import { Catalogue } from './catalogue.ts';

/** What is known of one community. */
function known(catalogue: Catalogue, name: string): CommunityKnowledge | undefined {
  return catalogue.knowledgeOf([name]).get(name);
}

describe('catalogue: communities', () => {
  test('the words of operator, records and dumps are kept apart; case plays no part', async ({
    catalogue,
  }) => {
    for (const [operator, record, dump] of [
      [true, false, null],
      [null, true, false],
      [false, null, true],
    ] as const) {
      const name = `Energy${dump}`;
      catalogue.dumpClaims([{ name: name.toLowerCase(), nsfw: dump, time: 0, id: '' }]);
      catalogue.recordClaims([{ name, nsfw: record, time: 5, id: '' }]);
      catalogue.setNsfw(name.toUpperCase(), operator);
      assert.deepEqual(known(catalogue, name.toLowerCase()), { operator, record, dump, id: '' });
    }
  });

  test('a name of which nothing is said is absent, also once the operator took a word back', async (place) => {
    const { catalogue } = place;
    catalogue.recordClaims([{ name: 'silent', nsfw: null, time: 5, id: '' }]);
    catalogue.setNsfw('energy', true);
    assert.deepEqual([...catalogue.knowledgeOf(['silent', 'energy', 'other']).keys()], ['energy']);
    catalogue.setNsfw('energy', null);
    assert.equal(catalogue.knowledgeOf(['silent', 'energy', 'other']).size, 0);
  });

  test("a dump's id comes before a record's, and either stands without a word on nsfw", async (place) => {
    const { catalogue } = place;
    catalogue.recordClaims([{ name: 'energy', nsfw: null, time: 5, id: 'abc' }]);
    assert.deepEqual(known(catalogue, 'energy'), { operator: null, record: null, dump: null, id: 'abc' });
    catalogue.dumpClaims([{ name: 'energy', nsfw: null, time: 0, id: 'abcd' }]);
    assert.equal(known(catalogue, 'energy')?.id, 'abcd');
  });

  test('what another process writes shows at once', async ({ catalogue: server, other: commandLine }) => {
    assert.equal(known(server, 'energy'), undefined);
    commandLine.setNsfw('energy', true);
    assert.equal(known(server, 'energy')?.operator, true);
    commandLine.setNsfw('energy', false);
    assert.equal(known(server, 'energy')?.operator, false);
  });

  test('a batch with a claim that cannot be kept changes nothing', async ({ catalogue }) => {
    const bad = { name: 'b', nsfw: true, time: Number.NaN, id: '' };
    assert.throws(() => catalogue.recordClaims([{ name: 'a', nsfw: true, time: 1, id: '' }, bad]));
    assert.deepEqual([catalogue.knowledgeOf(['a', 'b']).size, catalogue.generation()], [0, 0]);
  });

  const names = fc.constantFrom('a', 'B', 'b');
  const nsfw = fc.constantFrom(true, false, null);
  const ids = fc.constantFrom('', 'x', 'yy', 'zz');
  const times = fc.integer({ min: 0, max: 3 });
  const claim: fc.Arbitrary<CommunityClaim> = fc.record({ name: names, nsfw, time: times, id: ids });

  it('any order, split and repetition of imports gives the same knowledge', async () => {
    using folder = temporaryFolder();
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(claim, { maxLength: 8 }),
      fc.array(claim, { maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (records, dumps, random) => {
        const knowledge = async (steps: readonly ((catalogue: Catalogue) => void)[]) => {
          await using catalogue = Catalogue.open(join(folder.path, String(round++)));
          for (const step of steps) step(catalogue);
          return [...catalogue.knowledgeOf(['a', 'b'])];
        };
        const whole = await knowledge([(all) => all.recordClaims(records), (all) => all.dumpClaims(dumps)]);
        const single = [
          ...records.map((claim) => (catalogue: Catalogue) => catalogue.recordClaims([claim])),
          ...dumps.map((claim) => (catalogue: Catalogue) => catalogue.dumpClaims([claim])),
        ];
        const shuffled = [...single, ...single]
          .map((step) => ({ step, place: random.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ step }) => step);
        assert.deepEqual(await knowledge(shuffled), whole);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});

describe('catalogue: imports and settings', () => {
  it('imports are listed in the order in which they were added', async () => {
    using folder = temporaryFolder();
    const done = { file: 'a/RC_2005-12.zst', checksum: 'abc', where: null, started: 1, finished: 2 };
    const published = { name: 'RC_2005-12.zst', sha256: 'ab12', bytes: 2 ** 40 };
    const found = { format: 'ndjson.zst', kind: 'comments', first: 0, last: 4_294_967_295 } as const;
    const entries = [
      { ...done, ...published, ...found, counts: { read: 3, rejected: { bad_json: 1 } } },
      { ...done, ...NO_SOURCE_FACTS, where: '/r/energy,solar', counts: {}, finished: null },
    ];
    {
      await using catalogue = Catalogue.open(folder.path);
      assert.deepEqual(catalogue.listImports(), []);
      catalogue.addImports(entries.slice(0, -1));
      catalogue.addImports(entries.slice(-1));
    }
    await using again = Catalogue.open(folder.path);
    assert.deepEqual(again.listImports(), entries);
  });

  test('a folder keeps originals once it is told to', async ({ catalogue, other }) => {
    assert.equal(catalogue.keepsOriginals(), false);
    other.setKeepsOriginals(true);
    assert.equal(catalogue.keepsOriginals(), true);
    other.setKeepsOriginals(false);
    assert.equal(catalogue.keepsOriginals(), false);
  });
});
