// Ways in which the files of one kind of the embedded engine cannot be read.

import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DamageWay } from './engine-damage.ts';

export const INDEX_DAMAGES: readonly DamageWay[] = [
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
