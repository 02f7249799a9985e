// The files of the project, for tests that look at them.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the project, with a slash at the end. */
export const project = fileURLToPath(new URL('../', import.meta.url));

/** A file of the project. */
export function read(path: string): string {
  return readFileSync(`${project}${path}`, 'utf8');
}

export function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}
