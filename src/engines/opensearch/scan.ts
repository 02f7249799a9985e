// Every match in an order, batch by batch, in one view. Each batch is a search of its own behind the last record of the
// one before.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Order, PagePosition } from '../../model/order.ts';
import { FIRST_STEP, Steps } from './hit-walk.ts';
import { searchAfter, sortOf } from './pages.ts';
import { type Dsl, type Hit, type Searcher, type SortValue, ViewLost } from './search.ts';
import type { HeldView, Views } from './views.ts';

const BATCH = 1_000;

export interface Scan {
  readonly query: Dsl;
  readonly order: Order;
  /** Goes on behind this place; inside a second, from its start. */
  readonly after: PagePosition | null;
  /** Sort values to go on behind, in place of `after`. */
  readonly behind?: readonly SortValue[] | undefined;
  /** Fields whose values hits come with. Absent: none. */
  readonly fields?: readonly string[];
}

/**
 * Hits in order, at most `BATCH` at once, fewer where they are large. Disposes of the view. Throws an EngineUnavailable
 * where the view is lost and cannot be had again as it was.
 */
export async function* scanHits(
  searcher: Searcher,
  views: Views,
  { view: first, query, order, after, behind: start, fields }: Scan & { readonly view: HeldView },
): AsyncGenerator<readonly Hit[]> {
  const steps = new Steps();
  const held = new Set([first]);
  let pit = first.view.pit;
  let behind = start ?? searchAfter(order, after);
  let size = FIRST_STEP;
  const next = async () => {
    const body = { ...{ query: ahead(query, order, behind), size, sort: sortOf(order) } };
    return await searcher.search(pit!, {
      ...body,
      ...(behind !== undefined && { search_after: behind }),
      ...(fields !== undefined && { docvalue_fields: fields }),
      track_total_hits: false,
    });
  };
  try {
    while (pit !== null) {
      const { hits } = await next().catch(async (error) => {
        if (!(error instanceof ViewLost)) throw error;
        const again = await sameView(views, [...held].at(-1)!, error);
        held.add(again);
        pit = again.view.pit;
        return await next();
      });
      if (hits.length > 0) yield hits;
      if (hits.length < size) return;
      steps.add(hits);
      behind = hits.at(-1)!.sort;
      size = Math.min(BATCH, steps.most());
    }
  } finally {
    for (const view of held) view[Symbol.dispose]();
  }
}

async function sameView(views: Views, lost: HeldView, cause: ViewLost): Promise<HeldView> {
  try {
    return await views.holdSame(lost);
  } catch (error) {
    throw new EngineUnavailable((error as Error).message, { cause });
  }
}

/** With what lies before the place left out by its time too, so that it is not looked at again. */
function ahead(query: Dsl, order: Order, behind: readonly SortValue[] | undefined): Dsl {
  if (order === 'top' || behind === undefined) return query;
  const range = { created: order === 'newest' ? { lte: behind[0] } : { gte: behind[0] } };
  return { bool: { filter: [query, { range }] } };
}
