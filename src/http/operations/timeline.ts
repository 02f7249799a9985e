// The parameters of timelines and counts.

import {
  ASKED_STEPS,
  type AskedStep,
  MAX_COUNTED,
  MAX_SERIES,
  MEASURES,
  type Measure,
} from '../../analysis/timeline.ts';
import type { Kind } from '../../model/record.ts';
import { type AnalysisFormat, analysisFormat } from '../../operation/operation.ts';
import { choice, type Parameter } from '../../operation/parameters.ts';
import { normalise, severalQueries, since, under } from '../../operation/shared.ts';

const step: Parameter<AskedStep> = choice(ASKED_STEPS, {
  standard: 'auto',
  code: 'bad_value',
  description: [
    'How long a bucket is, in UTC; weeks begin on Monday. `auto`: the finest from `day` on with at most 60 buckets. At',
    'most 10,000 buckets. Empty counts as absent.',
  ].join(' '),
  examples: ['month'],
});

function measureOf(kind: Kind): Parameter<Measure> {
  return choice(MEASURES[kind], {
    standard: 'count',
    code: 'bad_value',
    description: [
      'What a bucket has beside its count: the mean of the scores, or of the sentiment of comments. Empty counts',
      'as absent.',
    ].join(' '),
    examples: ['score'],
  });
}

/** Of an endpoint; what only one has is optional. */
export interface TimelineTable extends CountsTable {
  readonly step: Parameter<AskedStep>;
  readonly measure: Parameter<Measure>;
  readonly format: Parameter<AnalysisFormat>;
}

function timelineOf(kind: Kind): TimelineTable {
  const query = severalQueries(MAX_SERIES);
  return { query, step, measure: measureOf(kind), normalise, format: analysisFormat, since };
}

/** Of each endpoint. */
export const TIMELINE_PARAMETERS: Readonly<Record<Kind, TimelineTable>> = {
  post: timelineOf('post'),
  comment: { ...timelineOf('comment'), under },
};

/** Of an endpoint; what only one has is optional. */
export interface CountsTable {
  readonly query: Parameter<readonly string[]>;
  readonly normalise: typeof normalise;
  readonly since: typeof since;
  readonly under?: Parameter<string | null>;
  readonly [name: string]: Parameter<unknown>;
}

const counts = { query: severalQueries(MAX_COUNTED), normalise, since };

/** Of each endpoint. */
export const COUNTS_PARAMETERS: Readonly<Record<Kind, CountsTable>> = {
  post: counts,
  comment: { ...counts, under },
};
