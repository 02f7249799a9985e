import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReferenceEngine } from '../src/engines/reference/reference-engine.ts';
import { engineConformance } from './engine-conformance.ts';
import { folderHarness } from './engine-harness.ts';

engineConformance(
  folderHarness('reference engine', openReferenceEngine, [
    {
      name: 'a byte of its journal is another',
      apply: (folder, kind) => {
        const path = join(folder, `${kind}s.ndjson`);
        const bytes = readFileSync(path);
        bytes[500]! ^= 1;
        writeFileSync(path, bytes);
      },
    },
  ]),
);
