// The files that describe an edition, beside its files with records.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditionFile } from '../edition.ts';
import { card } from './card.ts';
import { croissant } from './croissant.ts';
import type { Described } from './described.ts';
import { dataPackage } from './frictionless.ts';

/** Writes them, and returns every file of the edition in the order in which they are listed. */
export function writeDescriptions(folder: string, described: Described): readonly EditionFile[] {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const own = [
    writeText(folder, 'README.md', card(described)),
    writeText(folder, 'datapackage.json', json(dataPackage(described))),
    writeText(folder, 'croissant.json', json(croissant(described))),
  ];
  const files = [...described.edition.files, ...own];
  const sums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  return [...files, writeText(folder, 'SHA256SUMS', sums)];
}

function writeText(folder: string, name: string, text: string): EditionFile {
  const bytes = Buffer.from(text);
  writeFileSync(join(folder, name), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, bytes: bytes.length, sha256, content: null };
}
