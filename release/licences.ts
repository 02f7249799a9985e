// The licences of the packages that ours includes: which are allowed, and all their texts in one file.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, type RuntimePackage } from './lock-file.ts';

/** SPDX names. All allow others to use, change and redistribute the code, if its notice stays with it. */
export const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PSF-2.0',
];

/** Packages that name their licence in package.json but include no text of it. */
const WITHOUT_TEXT: readonly string[] = ['abstract-logging'];

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** `name version: licence` of each package whose licence is not allowed. */
export function refusedLicences(packages: readonly RuntimePackage[]): string[] {
  return packages
    .filter(({ license = '' }) => !ALLOWED_LICENCES.includes(license))
    .map(({ name, version, license }) => `${name} ${version}: ${license ?? 'no licence'}`);
}

/**
 * THIRD-PARTY-NOTICES.txt: each package with its licence and the text, which is printed once if several have the same.
 * `own`: notices of files that are part of Colloquy, by the name of their source. Throws if a text is missing.
 */
export function thirdPartyNotices(
  project: string,
  packages: readonly RuntimePackage[],
  own: Readonly<Record<string, string>>,
): string {
  const byText = new Map<string, string[]>();
  const add = (text: string, title: string) => {
    const titles = byText.get(text) ?? [];
    if (!titles.includes(title)) byText.set(text, [...titles, title]);
  };
  for (const [name, text] of Object.entries(own)) add(text.trim(), name);
  for (const entry of packages) {
    add(licenceText(project, entry, packages), `${entry.name} ${entry.version} (${entry.license})`);
  }
  const parts = [...byText].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`);
  const head =
    'Colloquy contains or uses the work of others. Their licences, each behind what is under it.\n';
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceText(project: string, entry: RuntimePackage, packages: readonly RuntimePackage[]): string {
  // Only the Node of one platform is installed; all of one version have the same licence.
  const places = isNode(entry) ? packages.filter(isNode).map(({ place }) => place) : [entry.place];
  const place = places.find((candidate) => existsSync(join(project, candidate)));
  if (place === undefined) throw new Error(`${entry.name} is not installed: run \`npm ci\` first`);
  const files = readdirSync(join(project, place)).filter((file) => LICENCE_FILE.test(file));
  if (files.length > 0) {
    return files
      .sort()
      .map((file) =>
        readFileSync(join(project, place, file), 'utf8')
          .replaceAll('\r\n', '\n')
          .trim(),
      )
      .join('\n\n');
  }
  if (!WITHOUT_TEXT.includes(entry.name))
    throw new Error(`${entry.name} ${entry.version} has no file with its licence`);
  const { author } = JSON.parse(readFileSync(join(project, place, 'package.json'), 'utf8'));
  return `By ${typeof author === 'string' ? author : author.name}. Its package.json names the licence; it has no file with the text.`;
}
