// Ways in which the files of one kind of the reference engine cannot be read.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderDamage } from './engine-harness.ts';

export const REFERENCE_DAMAGES: readonly FolderDamage[] = [
  {
    name: 'a byte of its journal is another',
    apply: (folder, kind) => {
      const path = join(folder, `${kind}s.ndjson`);
      const bytes = readFileSync(path);
      bytes[500]! ^= 1;
      writeFileSync(path, bytes);
    },
  },
];
