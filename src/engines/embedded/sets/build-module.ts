// `npm run kernels`: assembles kernels.wat and writes kernel-module.ts, so that a start needs no assembler. A test
// compares the bytes with the text.

import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const WIDTH = 100;

/** Assembles kernels.wat, in base64. Throws with the place of an error. */
export async function kernelModule(): Promise<string> {
  const text = readFileSync(new URL('kernels.wat', import.meta.url), 'utf8');
  const module = (await wabt()).parseWat('kernels.wat', text);
  module.validate();
  return Buffer.from(module.toBinary({}).buffer).toString('base64');
}

if (import.meta.main) {
  const lines = (await kernelModule()).match(new RegExp(`.{1,${WIDTH}}`, 'g'))!;
  writeFileSync(
    new URL('kernel-module.ts', import.meta.url),
    [
      '// Written by `npm run kernels` from kernels.wat: the module in base64.',
      '',
      '// biome-ignore format: as long as it is wide',
      'export const KERNEL_MODULE = [',
      ...lines.map((line) => `  '${line}',`),
      "].join('');",
      '',
    ].join('\n'),
  );
}
