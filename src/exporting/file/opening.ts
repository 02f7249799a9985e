// How an export into a file begins: from the first record, behind the part of an earlier run at once, or
// behind it once it has come out the same again.

import type { ExportPlan, ExportService, OpenExport } from '../export-service.ts';
import { ComparedPart } from './compared-part.ts';
import { commandOf, type FileState, writeState } from './file-state.ts';
import { PartFile } from './part-file.ts';
import { otherPart, sameSources, withheldPart } from './what-changed.ts';

export interface Opening {
  readonly exports: ExportService;
  readonly plan: ExportPlan;
  readonly out: string;
  readonly replaces: boolean;
  readonly version: string;
  readonly signal: AbortSignal | undefined;
}

/** An export whose bytes have a place. */
export interface Opened extends AsyncDisposable {
  readonly run: OpenExport;
  readonly part: PartFile;
  /** Of the part as it stands. */
  readonly state: FileState;
  /** null: bytes go to the part at once. */
  readonly compared: ComparedPart | null;
}

/** An empty part, whatever was there. */
export async function openAnew(opening: Opening): Promise<Opened> {
  const { plan, out, replaces, version } = opening;
  await using held = new AsyncDisposableStack();
  const run = held.use(await opening.exports.open(plan, opening.signal));
  const { head, sources } = run;
  const nothing = { bytes: 0, sha256: '', records: 0, withheld: 0, shaper: null };
  const state = { command: commandOf(plan), replaces, version, sources, head, ...nothing };
  // In this order: a part without a state would be none of ours.
  writeState(out, state);
  const part = held.use(PartFile.create(out));
  return opened({ run, part, state, compared: null }, held.move());
}

/** Behind the part that `before` tells of. Throws a StorageError where that cannot be. */
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
