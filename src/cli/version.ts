// Which program this is, and what runs it.

import { readFileSync } from 'node:fs';

export function programVersion(): { readonly colloquy: string; readonly node: string } {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return { colloquy: version, node: process.versions.node };
}
