// Ways in which the files of one kind of the embedded engine cannot be read.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PAGE_BYTES } from '../src/engines/embedded/format/segment-file.ts';
import type { Kind } from '../src/model/record.ts';
import { partsOf } from './corruption.ts';
import type { FolderDamage } from './engine-harness.ts';

export const INDEX_DAMAGES: readonly FolderDamage[] = [
  {
    name: 'its database is missing beside its files',
    apply: (folder, kind) => rmSync(join(folder, `${kind}s.db`)),
  },
  {
    name: 'its database is none',
    apply: (folder, kind) => writeFileSync(join(folder, `${kind}s.db`), 'no database\n'.repeat(1_000)),
  },
  {
    name: 'a file of it is cut',
    apply: (folder, kind) => {
      const [file] = readdirSync(join(folder, `${kind}s`));
      truncateSync(join(folder, `${kind}s`, file!), 1_000);
    },
  },
  {
    name: 'a newer version wrote it',
    apply: (folder, kind) => {
      const database = new DatabaseSync(join(folder, `${kind}s.db`));
      database.exec('UPDATE state SET format = 99');
      database.close();
    },
  },
];

/** Pages that hold texts and lists and nothing else: what the opening of a file reads is as it was. */
export const LATE_DAMAGE: FolderDamage = {
  name: 'pages of a file of it are changed',
  isLate: true,
  apply: (folder, kind) => damagePages(folder, kind, 'records', 'postings'),
};

/** Of a column that is larger than two pages: what reads whole columns finds it on opening. */
export const COLUMN_DAMAGE: FolderDamage = {
  name: 'pages of a column of a file of it are changed',
  isLate: true,
  apply: (folder, kind) => damagePages(folder, kind, 'place', 'place'),
};

/** All pages but the first of the file that lie within these sections and those between. */
function damagePages(folder: string, kind: Kind, from: string, to: string): void {
  const [file] = readdirSync(join(folder, `${kind}s`));
  const path = join(folder, `${kind}s`, file!);
  const parts = partsOf(path);
  const section = (wanted: string) => parts.find(({ name }) => name === wanted)!;
  const { offset, length } = section(to);
  const begin = Math.max(PAGE_BYTES, Math.ceil(section(from).offset / PAGE_BYTES) * PAGE_BYTES);
  const end = Math.floor((offset + length) / PAGE_BYTES) * PAGE_BYTES;
  assert.ok(end > begin, 'a page behind the first one');
  const bytes = readFileSync(path);
  for (let at = begin; at < end; at++) bytes[at]! ^= 0xff;
  writeFileSync(path, bytes);
}
