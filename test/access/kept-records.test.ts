// What features keep of records outside of the index: each that keeps something in the data folder says what a removal
// does to it, and where it says that no record is kept, none is.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { allFeatures } from '../archive.ts';
import { temporaryFolder } from '../helpers.ts';
import { furnish } from './world.ts';

const FEATURES = fileURLToPath(new URL('../../src/features/', import.meta.url));

/** Whether a source of the feature names a path of its own in the data folder. */
function writesFiles(name: string): boolean {
  return readdirSync(join(FEATURES, name), { recursive: true, encoding: 'utf8' }).some(
    (file) =>
      /\.ts$/.test(file) &&
      /\bjoin\((?:\w+\.)*dataFolder, '/.test(readFileSync(join(FEATURES, name, file), 'utf8')),
  );
}

/** Every table by its name, with its rows as text. */
function tablesIn(file: string): Record<string, string> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const rowsOf = (name: string) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all());
    return Object.fromEntries(names.map(({ name }) => [String(name), rowsOf(String(name))]));
  } finally {
    database.close();
  }
}

describe('what features keep in the data folder', async () => {
  const features = await allFeatures();

  it('each that has tables or files there says what a removal does to them', () => {
    const keeping = features.filter(
      ({ name, tables, files }) => tables !== undefined || files !== undefined || writesFiles(name),
    );
    const silent = keeping.filter(({ onRemoval }) => onRemoval === undefined).map(({ name }) => name);
    assert.deepEqual(silent, []);
    assert.ok(keeping.length >= 4, 'accounts, saved searches, citations and data sets');
    const reached = keeping.filter(({ onRemoval }) => typeof onRemoval === 'function');
    const reachedNames = reached.map(({ name }) => name);
    assert.deepEqual(reachedNames, ['export']);
  });

  it('no text of a record stands in a table, of those that keep none or of others', async () => {
    using folder = temporaryFolder();
    await furnish(folder.path);
    const files = ['accounts.db', 'catalogue.db'].map((name) => tablesIn(join(folder.path, name)));
    const tables: Record<string, string> = Object.assign({}, ...files);
    for (const name of ['saved_searches', 'citations', 'datasets']) assert.notEqual(tables[name], '[]', name);
    const content = Object.values(tables).join('\n');
    const texts = [
      ...POSTS.flatMap(({ title, selftext }) => [title, selftext]),
      ...COMMENTS.map(({ body }) => body),
    ];
    const long = texts.filter((text) => text.length >= 12);
    assert.ok(long.length > 10);
    const kept = long.filter((text) => content.includes(JSON.stringify(text).slice(1, -1)));
    assert.deepEqual(kept, []);
  });
});
