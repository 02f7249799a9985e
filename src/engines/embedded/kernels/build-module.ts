// `npm run kernels`: assembles kernel-text.ts and writes kernel-module.ts, so that no start pays for it. A
// test sees that the bytes are those of the text.

import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { assemble } from './assembler.ts';
import { kernelText } from './kernel-text.ts';

const WIDTH = 100;
const base64 = Buffer.from(assemble(kernelText())).toString('base64');
const lines = base64.match(new RegExp(`.{1,${WIDTH}}`, 'g'))!;
writeFileSync(
  new URL('kernel-module.ts', import.meta.url),
  [
    '// Written by `npm run kernels` from kernel-text.ts: the module in base64.',
    '',
    '// biome-ignore format: as long as it is wide',
    'export const KERNEL_MODULE = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n'),
);
