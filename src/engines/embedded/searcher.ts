// Answers questions from a view, in the thread that calls it: the whole answer from one set of matches.

import type { Answer, Question } from '../../model/engine.ts';
import type { Order } from '../../model/order.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { breakdownOf, NameTable } from './breakdown.ts';
import { WordPool } from './chunk.ts';
import { Deadline } from './deadline.ts';
import { matchQuery, totalOf } from './matching.ts';
import { pageOf, scanByScore, scanByTime } from './page.ts';
import { timelineOf } from './timeline.ts';
import type { View } from './view.ts';

/** Records of a batch of a scan. */
export const SCAN_BATCH = 1000;

export class Searcher {
  readonly #pool = new WordPool();
  readonly #scratch = new WordPool();
  readonly #tables = new Map<string, NameTable>(
    KINDS.flatMap((kind) => [
      [`${kind} community`, new NameTable('community')] as const,
      [`${kind} domain`, new NameTable('domain')] as const,
    ]),
  );

  /** Throws `query_timeout`, `prefix_too_broad`. */
  ask(view: View, question: Omit<Question, 'timeoutMs'>, deadline: Deadline): Answer {
    try {
      const matching = matchQuery(view, question.query, this.#pool, deadline);
      return {
        total: totalOf(matching),
        ...(question.page && { page: pageOf(matching, question.page, this.#scratch) }),
        ...(question.breakdowns && {
          breakdowns: question.breakdowns.map((request) =>
            breakdownOf(matching, request, this.#table(view.kind, request.field), this.#scratch),
          ),
        }),
        ...(question.timeline && { timeline: timelineOf(matching) }),
      };
    } finally {
      this.#pool.releaseAll();
      this.#scratch.releaseAll();
    }
  }

  /** Every match in the order asked for; memory of its own, so that questions may come in between. */
  *scan(view: View, query: Query, order: Order): Generator<readonly StoredRecord[]> {
    const matching = matchQuery(view, query, new WordPool(), Deadline.never());
    if (order === 'top') yield* scanByScore(matching, SCAN_BATCH, new WordPool());
    else yield* scanByTime(matching, order, SCAN_BATCH);
  }

  #table(kind: Kind, field: string): NameTable {
    return this.#tables.get(`${kind} ${field}`)!;
  }
}
