// Whole results of the reference engine: the matches in a list, shaped in the calling thread. The specification as
// code.

import {
  EXPORT_STEP,
  type ExportBlock,
  type ExportHead,
  type ExportRequest,
  type ExportRun,
  type ExportView,
  type OpenShaper,
  type RecordShaper,
} from '../../src/model/export.ts';
import { type Order, type PagePosition, pageRequest, rankingScore } from '../../src/model/pages.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import type { ArrivalTime } from '../../src/model/time.ts';
import { sampleOf } from './matching.ts';
import { comparator } from './order.ts';

const BATCH = 700;

interface ReferenceExport {
  readonly request: ExportRequest;
  /** In any order. */
  readonly matching: readonly StoredRecord[];
  /** See ExportHead. */
  readonly arrival: number;
  readonly view: ExportView;
  readonly fingerprints: Awaited<ReturnType<ExportRun['fingerprints']>>;
  /** Rejects where the engine is closed or its kind cannot be read; then tells which ids are found. */
  readonly look: () => Promise<(id: string) => boolean>;
  /** When a record came in; null: it is not to be told. */
  readonly telling: ((record: StoredRecord) => ArrivalTime) | null;
}

export async function openExport(
  { request, matching, arrival, view, look, fingerprints, telling }: ReferenceExport,
  signal?: AbortSignal,
): Promise<ExportRun> {
  const { sample, order, after, limit, skip = 0, shaper } = request;
  pageRequest(order, after, { limit: 1 });
  const drawn = sample === undefined ? [...matching] : sampleOf(matching, sample);
  const behind = recordsBehind(drawn.sort(comparator(order)), order, after);
  const records = behind.slice(0, limit ?? undefined);
  const head: ExportHead = { total: records.length, matches: matching.length, arrival };
  const { openShaper } = (await import(shaper.url)) as { readonly openShaper: OpenShaper };
  const opened = await openShaper(shaper.options, head, view);
  let isOpen = true;
  const close = () => {
    if (isOpen) opened.close();
    isOpen = false;
  };
  const lookOnce = async () => {
    signal?.throwIfAborted();
    const isFound = await look();
    signal?.throwIfAborted();
    return isFound;
  };
  return {
    head,
    fingerprints: async () => fingerprints,
    blocks: blocksOf(records, skip, { shaper: opened, look: lookOnce, telling, close }),
    [Symbol.asyncDispose]: async () => close(),
  };
}

function recordsBehind(
  ordered: readonly StoredRecord[],
  order: Order,
  after: PagePosition | null,
): readonly StoredRecord[] {
  if (after === null) return ordered;
  const sign = order === 'oldest' ? 1 : -1;
  let inSecond = 0;
  return ordered.filter((record) => {
    const ahead = (record.created - after.second) * sign;
    if ('score' in after) {
      const score = rankingScore(record.score);
      return score < after.score || (score === after.score && ahead > 0);
    }
    return ahead > 0 || (ahead === 0 && after.given !== 'all' && ++inSecond > after.given);
  });
}

interface BlockParts extends Pick<ReferenceExport, 'look' | 'telling'> {
  readonly shaper: RecordShaper;
  readonly close: () => void;
}

async function* blocksOf(
  records: readonly StoredRecord[],
  skip: number,
  { shaper, look, telling, close }: BlockParts,
): AsyncGenerator<ExportBlock> {
  try {
    let withheld = 0;
    let held: readonly StoredRecord[] = [];
    for (let at = Math.min(skip, records.length); ; ) {
      const isFound = await look();
      const anew = held.filter(({ id }) => isFound(id));
      const isLess = anew.length < held.length;
      if (isLess) shaper.held!.forget();
      withheld += held.length - anew.length;
      const toStep = EXPORT_STEP - (at % EXPORT_STEP);
      const batch = records.slice(at, at + Math.min(BATCH, toStep));
      const kept = batch.filter(({ id }) => isFound(id));
      at += batch.length;
      withheld += batch.length - kept.length;
      const isStep = batch.length > 0 && at % EXPORT_STEP === 0;
      const next = isLess ? [...anew, ...kept] : kept;
      const bytes = await shaper.add(next, isStep, telling && next.map(telling));
      const given = [...anew, ...kept];
      held = given.slice(given.length - (shaper.held?.count ?? 0));
      const block = { bytes, records: at - withheld, withheld, ...(isStep && { state: shaper.state() }) };
      if (at === records.length) {
        const end = await shaper.end();
        yield { ...block, bytes: [...bytes, ...end.bytes], report: end.report };
        return;
      }
      if (isStep || bytes.length > 0) yield block;
    }
  } finally {
    close();
  }
}
