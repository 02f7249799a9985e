// Ways in which the files of one kind of the embedded engine cannot be read.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PAGE_BYTES } from '../src/engines/embedded/format/page-sums.ts';
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
  apply: (folder, kind) => {
    const [file] = readdirSync(join(folder, `${kind}s`));
    const path = join(folder, `${kind}s`, file!);
    const { offset, length } = partsOf(path).find(({ name }) => name === 'postings')!;
    const end = Math.floor((offset + length) / PAGE_BYTES) * PAGE_BYTES;
    assert.ok(end > PAGE_BYTES, 'a page behind the first one');
    const bytes = readFileSync(path);
    for (let at = PAGE_BYTES; at < end; at++) bytes[at]! ^= 0xff;
    writeFileSync(path, bytes);
  },
};
