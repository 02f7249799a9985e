// The end of an import: small segments are merged, while whoever imported reads the report.

import type { SearchEngine } from '../model/engine.ts';
import type { MergeStep } from '../model/maintaining.ts';

/** Merging is broken off then: what is left of it is done when the folder is served. */
const MAX_MERGING_MS = 120_000;

/** Who merges fewer records is told nothing: it takes less than a second. */
const MIN_TOLD_RECORDS = 50_000;

/** About as many records are merged in a second, on a machine that is not new. */
const RECORDS_A_SECOND = 100_000;

/** Merges what an import wrote, and tells so, on standard error. Aborting `stopped` breaks it off without harm. */
export async function mergeImported(
  engine: SearchEngine,
  stopped: AbortSignal,
  tell: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<void> {
  const started = performance.now();
  let merged = 0;
  const onMerge = ({ segments, records }: MergeStep) => {
    if (segments > 1 && records >= MIN_TOLD_RECORDS) {
      tell(toldBefore(segments, records, merged === 0));
      merged += records;
    }
  };
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(MAX_MERGING_MS)]);
  await engine.maintain({ signal, onMerge });
  if (merged === 0) return;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  tell(
    signal.aborted
      ? `Merging was broken off after ${seconds} s. Nothing is lost: a server goes on with it.`
      : `Merged in ${seconds} s.`,
  );
}

function toldBefore(segments: number, records: number, isFirst: boolean): string {
  const seconds = Math.ceil(records / RECORDS_A_SECOND);
  const what = `${segments} segments with ${records.toLocaleString('en')} records, about ${seconds} s`;
  return isFirst
    ? `Merging ${what}: queries are faster afterwards. Ctrl-C breaks it off without harm.`
    : `Merging ${what}.`;
}
