// Exports as the libraries of the field read them: all formats and compressions, with texts that readers stumble over.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMPRESSIONS, compressionsOf, FORMATS, type Format } from '../../src/features/export/parameters.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { columnsOf } from '../../src/operation/text-forms.ts';
import { FIELD_NAMES } from '../../src/search/presenter.ts';
import { AWKWARD_TEXTS, EVIDENCE, manyComments, presented, shape, viewWith } from '../export-shaping.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('read.py', import.meta.url));

/** A Python that has the libraries: `.ci/run` makes one. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? '';

const LIBRARIES = {
  python: ['zstandard'],
  pyarrow: ['pyarrow'],
  pandas: ['pandas', 'pyarrow', 'zstandard'],
  polars: ['polars'],
  duckdb: ['duckdb'],
};

/** Ids and numbers that look like something else. */
const AWKWARD_IDS = '1e5 007 null nan NA inf true 0x1f -1 _ 1_000 2020-01-01'.split(' ');

const RECORDS: Readonly<Record<Kind, readonly StoredRecord[]>> = {
  comment: [
    ...AWKWARD_IDS.map((id, i) => comment({ id, score: -i, sentiment: i / 7, post: i % 2 === 0 ? '' : id })),
    ...AWKWARD_TEXTS.map((body, i) =>
      comment({ id: `t${i}`, body, retrieved: i % 3 === 0 ? 0 : 1_700_000_000 }),
    ),
    comment({ id: 'long', body: `${'long, "long"\n'.repeat(4_000)}😀`, score: -2_147_483_647, created: 0 }),
    comment({ id: 'high', score: 2_147_483_647, created: 4_294_967_295, community: 'energy' }),
    ...manyComments(2_000),
  ],
  post: [
    ...AWKWARD_IDS.map((id) => post({ id, title: id, url: null })),
    ...AWKWARD_TEXTS.map((text, i) =>
      post({ id: `t${i}`, title: text, selftext: `${text}${text}`, domain: text }),
    ),
    post({ id: 'adult', community: 'energy', adult: true }),
    ...manyComments(2_000).map(({ id, created, score }) => post({ id, created, score, title: `t ${id}` })),
  ],
};

const skip = PYTHON === '' && 'COLLOQUY_PYTHON names no Python';

describe('exports as others read them', { skip }, async () => {
  const folder = ofTests(temporaryFolder());
  await writeExports(folder.path);

  for (const [library, modules] of Object.entries(LIBRARIES)) {
    it(library, { skip: lacking(modules) }, async () => {
      const { stdout, stderr } = await run(PYTHON, [program, library, folder.path]).catch((error) => error);
      assert.equal(`${stdout}${stderr}`, '\n');
    });
  }
});

/** Why a test cannot run, where there is a Python; false: it can. */
function lacking(modules: readonly string[]): string | false {
  if (PYTHON === '') return false;
  const missing = modules.filter((name) => {
    try {
      const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
      execFileSync(PYTHON, ['-c', find]);
      return false;
    } catch {
      return true;
    }
  });
  return missing.length === 0 ? false : `${PYTHON} lacks ${missing.join(', ')}`;
}

async function writeExports(folder: string): Promise<void> {
  const expected: Record<string, unknown> = {};
  for (const kind of KINDS) {
    const fields = [...FIELD_NAMES[kind]];
    expected[kind] = {
      columns: Object.fromEntries(columnsOf(kind, fields).map(({ name, type }) => [name, type])),
      records: presented(RECORDS[kind], fields),
    };
    for (const format of Object.keys(FORMATS) as Format[]) {
      for (const compress of compressionsOf(format)) {
        const options = { kind, fields, format, compress, about: { query: 'solar,panel' } };
        const { bytes } = await shape(RECORDS[kind], options, { view: viewWith(EVIDENCE), stepEvery: 500 });
        const ending = format === 'csv-excel' ? 'excel.csv' : FORMATS[format].extension;
        writeFileSync(join(folder, `${kind}.${ending}${COMPRESSIONS[compress].extension}`), bytes);
      }
    }
  }
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected));
}
