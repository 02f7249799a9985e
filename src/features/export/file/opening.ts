// How an export into a file begins: from the first record, or behind the part of an earlier run. If what the bytes
// depend on has changed, the part is verified first.

import { StorageError } from '../../../errors.ts';
import { EXPORT_STEP, type ExportBlock, type ExportHead } from '../../../model/export.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import type { ExportPlan, ExportService, ExportSources, OpenExport } from '../export-service.ts';
import { commandOf, type FileState, partOf, writeState } from './file-state.ts';
import { PartFile } from './part-file.ts';

export interface Opening {
  readonly exports: ExportService;
  readonly plan: ExportPlan;
  readonly out: string;
  readonly replaces: boolean;
  readonly version: string;
  readonly signal: AbortSignal | undefined;
}

export interface Opened extends AsyncDisposable {
  readonly run: OpenExport;
  readonly part: PartFile;
  /** Of the part on disk. */
  readonly state: FileState;
  /** null: bytes are appended without verification. */
  readonly compared: ComparedPart | null;
}

/** Starts an empty part; an existing one is overwritten. */
export async function openAnew(opening: Opening): Promise<Opened> {
  const { plan, out, replaces, version } = opening;
  await using held = new AsyncDisposableStack();
  const run = held.use(await opening.exports.open(plan, opening.signal));
  const { head, sources } = run;
  const nothing = { bytes: 0, sha256: '', records: 0, withheld: 0, shaper: null };
  const state = { command: commandOf(plan), replaces, version, sources, head, ...nothing };
  // In this order: a part without a state would be refused as foreign.
  writeState(out, state);
  const part = held.use(PartFile.create(out));
  return opened({ run, part, state, compared: null }, held.move());
}

/** Resumes the part that `before` describes. Throws a StorageError if that is impossible. */
export async function openBehind(opening: Opening, before: FileState): Promise<Opened> {
  const { exports, plan, out, version, signal } = opening;
  if (before.withheld > 0) throw withheldPart(out, before);
  await using held = new AsyncDisposableStack();
  const part = held.use(PartFile.reopen(out, before));
  const atOnce = await openAtOnce(opening, before, part);
  const run = held.use(atOnce ?? (await exports.open(plan, signal)));
  const { head, sources } = run;
  const compared =
    atOnce === null
      ? new ComparedPart(part, before, (where) => otherPart(out, before, { head, sources, version }, where))
      : null;
  return opened({ run, part, state: { ...before, version, sources, head }, compared }, held.move());
}

/** null: what the bytes depend on has changed, or may have. */
async function openAtOnce(
  { exports, plan, version, signal }: Opening,
  before: FileState,
  part: PartFile,
): Promise<OpenExport | null> {
  const sources = await exports.sources(plan);
  const isSame = sources !== null && before.sources !== null && sameSources(sources, before.sources);
  if (!isSame || before.version !== version) return null;
  const resume = { state: before.shaper, part: part.path };
  const run = await exports.open(plan, signal, { skip: before.records, resume });
  if (run.sources !== null && sameSources(sources, run.sources)) return run;
  await run[Symbol.asyncDispose]();
  return null;
}

function opened(parts: Omit<Opened, keyof AsyncDisposable>, held: AsyncDisposableStack): Opened {
  return { ...parts, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

export interface Now {
  readonly head: ExportHead;
  readonly sources: ExportSources | null;
  readonly version: string;
}

function sameSources(a: ExportSources, b: ExportSources): boolean {
  return changesBetween(a, b).length === 0;
}

/** The error for a part that now comes out differently, at the place `where`. */
function otherPart(out: string, before: FileState, now: Now, where: string): StorageError {
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
      'the bytes would differ now; begin again with `--restart`',
  );
}

/** Whether every record of the kind matches: its matches then change exactly as its records do. */
function isEverything({ head, sources }: Pick<Now, 'head' | 'sources'>, kind: Kind): boolean {
  return head.matches === sources?.index[kind].records;
}

/** The error for a part that lacks records removed while it was written. */
function withheldPart(out: string, { withheld }: FileState): StorageError {
  const records = withheld === 1 ? 'record was' : 'records were';
  return new StorageError(
    `\`${partOf(out)}\`: ${number(withheld)} ${records} removed while this part was written, ` +
      'so that it cannot be resumed; begin again with `--restart`',
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

class ComparedPart {
  readonly #part: PartFile;
  readonly #before: FileState;
  readonly #other: (where: string) => Error;
  #at = 0;

  /** `other` makes the error for differing bytes; it gets their place. */
  constructor(part: PartFile, before: FileState, other: (where: string) => Error) {
    this.#part = part;
    this.#before = before;
    this.#other = other;
  }

  /** The bytes behind the part once this block reaches its end; null: not reached yet. */
  take({ bytes, records, withheld, report }: ExportBlock): readonly Uint8Array[] | null {
    const { bytes: end, records: last } = this.#before;
    const rest: Uint8Array[] = [];
    for (const piece of bytes) {
      const inside = piece.subarray(0, Math.max(0, end - this.#at));
      const at = this.#part.firstDifference(inside, this.#at);
      if (at !== null) throw this.#other(`${within(records)}, at byte ${at.toLocaleString('en')},`);
      if (inside.length < piece.length) rest.push(piece.subarray(inside.length));
      this.#at += inside.length;
    }
    const isThere = records === last && withheld === 0 && records % EXPORT_STEP === 0 && this.#at === end;
    // At a step, all bytes before it have come and none behind it, except at the very end.
    if (isThere && (rest.length === 0 || report !== undefined)) return rest;
    if (rest.length > 0 || records + withheld >= last || report !== undefined)
      throw this.#other(within(records));
    return null;
  }
}

function within(records: number): string {
  return `within the first ${records.toLocaleString('en')} records`;
}
