// Whether an export may go on behind what another run wrote, and what has changed where it may not.

import { StorageError } from '../../errors.ts';
import type { ExportHead } from '../../model/export.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { ExportSources } from '../export-service.ts';
import { type FileState, partOf } from './file-state.ts';

/** What a later run finds. */
export interface Now {
  readonly head: ExportHead;
  readonly sources: ExportSources | null;
  readonly version: string;
}

export function sameSources(a: ExportSources, b: ExportSources): boolean {
  return changesBetween(a, b).length === 0;
}

/** The error of a part that comes out otherwise now; `where` it does. */
export function otherPart(out: string, before: FileState, now: Now, where: string): StorageError {
  const { kind } = before.command;
  const changes = [
    ...(before.version === now.version ? [] : [`written by ${before.version}, now ${now.version}`]),
    ...(before.head.matches === now.head.matches || (isEverything(before, kind) && isEverything(now, kind))
      ? []
      : [`${number(before.head.matches)} matches then, ${number(now.head.matches)} now`]),
    ...(before.sources === null || now.sources === null ? [] : changesBetween(before.sources, now.sources)),
  ];
  const told = changes.length === 0 ? '' : ` (${changes.join('; ')})`;
  return new StorageError(
    `\`${partOf(out)}\`: the index has changed since this part was written${told}: ${where} ` +
      'the bytes would be others now; begin again with `--restart`',
  );
}

/** Whether every record of the kind matches, so that the number of either tells both. */
function isEverything({ head, sources }: Pick<Now, 'head' | 'sources'>, kind: Kind): boolean {
  return head.matches === sources?.index[kind].records;
}

/** The error of a part in which records lack that a removal took away while it was written. */
export function withheldPart(out: string, { withheld }: FileState): StorageError {
  const records = withheld === 1 ? 'record was' : 'records were';
  return new StorageError(
    `\`${partOf(out)}\`: ${number(withheld)} ${records} removed while this part was written, ` +
      'so that nothing can go on behind it; begin again with `--restart`',
  );
}

function changesBetween(a: ExportSources, b: ExportSources): string[] {
  return [
    ...(a.permalinkBase === b.permalinkBase
      ? []
      : [`links began with ${a.permalinkBase}, now with ${b.permalinkBase}`]),
    ...(a.generation === b.generation ? [] : ['other things are known of communities']),
    ...KINDS.filter((kind) => a.index[kind].fingerprint !== b.index[kind].fingerprint).map((kind) => {
      const [then, now] = [a.index[kind].records, b.index[kind].records];
      return then === now ? `other ${kind}s` : `${number(then)} ${kind}s then, ${number(now)} now`;
    }),
  ];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
