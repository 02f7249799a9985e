// `npm run kernels`: assembles kernels.wat into kernels.wasm, so that a start needs no assembler. A test compares the
// bytes with the text.

import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

/** Assembles kernels.wat. Throws with the place of an error. */
export async function kernelModule(): Promise<Uint8Array> {
  const text = readFileSync(new URL('kernels.wat', import.meta.url), 'utf8');
  const module = (await wabt()).parseWat('kernels.wat', text);
  module.validate();
  return module.toBinary({}).buffer;
}

if (import.meta.main) writeFileSync(new URL('kernels.wasm', import.meta.url), await kernelModule());
