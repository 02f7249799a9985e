// Which kernels a thread works with.

import type { Kernels } from './kernels.ts';
import { TYPESCRIPT_KERNELS } from './typescript-kernels.ts';
import { wasmKernels } from './wasm-kernels.ts';

export type KernelChoice = 'webassembly' | 'typescript';

/**
 * Those of WebAssembly come with memory of their own; where they cannot be had, it is TypeScript after all.
 */
export function chooseKernels(choice: KernelChoice): Kernels {
  return (choice === 'webassembly' ? wasmKernels() : null) ?? TYPESCRIPT_KERNELS;
}
