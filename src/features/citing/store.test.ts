import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { test } from '../../../test/catalogue-fixtures.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { copyDatabase } from '../../sqlite/database.ts';
import { citationsOf, type KeptCitation, MAX_CITATIONS_OF_ACCOUNT } from './store.ts';

function citation(id: string, time: number, note: string | null = null): KeptCitation {
  return {
    id,
    answer: { query: 'solar', kinds: { posts: { total: 0, months: [] } } },
    origin: {
      ...{ time, note, sources: [{ name: 'RS_2020-01.zst', sha256: null, where: null }] },
      index: { posts: { fingerprint: '0'.repeat(16), records: 0 } },
      software: { colloquy: '1.2', tokenizer: 1, unicode: '17.0' },
    },
    place: { engine: 'embedded', arrivals: { posts: 3 }, removal: 1 },
  };
}

describe('citations in the catalogue', () => {
  test('the first one stays, but for a note that it lacks', async ({ catalogue }) => {
    const citations = citationsOf(catalogue);
    assert.deepEqual(citations.keep(citation('a', 5)), citation('a', 5));
    assert.deepEqual(citations.keep(citation('a', 9, 'Table 2')), citation('a', 5, 'Table 2'));
    assert.deepEqual(citations.keep(citation('a', 9, 'Table 3')), citation('a', 5, 'Table 2'));
    citations.keep(citation('b', 7));
    assert.deepEqual(citations.all(), [citation('b', 7), citation('a', 5, 'Table 2')]);
    assert.equal(citations.get('c'), null);
    assert.deepEqual([citations.remove('a'), citations.remove('a')], [true, false]);
    assert.deepEqual(citations.all(), [citation('b', 7)]);
  });

  test('one account has a share of them, and they go at once where the operator says so', async (place) => {
    const citations = citationsOf(place.catalogue);
    for (let i = 0; i < MAX_CITATIONS_OF_ACCOUNT; i++) citations.keep(citation(`a${i}`, 5), 1);
    assert.throws(() => citations.keep(citation('b', 5), 1), /fewer than 500 citations of one account/);
    citations.keep(citation('a0', 5), 1);
    citations.keep(citation('b', 5), 2);
    citations.keep(citation('c', 5));
    assert.deepEqual([citations.removeOf(1), citations.removeOf(1)], [500, 0]);
    const left = citations.all().map(({ id }) => id);
    assert.deepEqual(left, ['b', 'c']);
  });

  test('are copied with the catalogue', async ({ catalogue, folder }) => {
    citationsOf(catalogue).keep(citation('a', 5));
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    await copyDatabase(catalogue.database, join(copy, 'catalogue.db'));
    await using other = Catalogue.openToRead(copy);
    assert.deepEqual(citationsOf(other).get('a'), citation('a', 5));
  });
});
