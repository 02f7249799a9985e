// The header `Colloquy-Dropped`: a list of display strings (RFC 9651, 3.3.8), which can contain any text.

import { Buffer } from 'node:buffer';
import type { Dropped } from '../search/language/dropped.ts';

/** How many texts the header lists at most, and after how many characters each is cut. */
const MAX_TOLD = 20;
const MAX_CHARACTERS = 60;

/** `%"C++", %"caf%c3%a9#"`: each as it was written; null if nothing was dropped. */
export function droppedHeader(dropped: readonly Dropped[]): string | null {
  if (dropped.length === 0) return null;
  return dropped
    .slice(0, MAX_TOLD)
    .map(({ written }) => displayString([...written].slice(0, MAX_CHARACTERS).join('')))
    .join(', ');
}

function displayString(text: string): string {
  const bytes = [...Buffer.from(text.toWellFormed())].map((byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x22 && byte !== 0x25;
    return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  });
  return `%"${bytes.join('')}"`;
}
