// The parameters of breakdowns.

import type { Normalise } from '../../analysis/asking.ts';
import {
  type AskedField,
  BROKEN_DOWN_BY,
  DEFAULT_ROWS,
  MAX_ROWS,
  ROW_STEPS,
  type RowStep,
} from '../../analysis/breakdown.ts';
import type { Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { type AnalysisFormat, analysisFormat } from '../../operation/operation.ts';
import { choice, type Parameter, wholeNumber } from '../../operation/parameters.ts';
import { analysisQuery, normalise, under } from '../../operation/shared.ts';

function fieldOf(kind: Kind): Parameter<AskedField> {
  return choice(BROKEN_DOWN_BY[kind], {
    standard: 'subreddit',
    code: 'bad_value',
    description: [
      'What the matches are counted by. `domain`: of posts their own, of comments each they link to. `score`: bands;',
      '`sentiment`, of comments alone: `negative` to −0.05, `positive` from 0.05, `neutral` between, `unrated`;',
      '`weekday_hour`: `1-00` (Monday, UTC) to `7-23`: these three give all of their rows. `copies`: texts that stand',
      'at least twice, of 2,000,000 matches at the most. Empty counts as absent.',
    ].join(' '),
    examples: ['domain'],
  });
}

const by: Parameter<RowStep> = choice(ROW_STEPS, {
  standard: 'none',
  code: 'bad_value',
  description: [
    'Counts each row by time too, in buckets that long, in UTC; weeks begin on Monday. Buckets that are not empty are',
    'given, at most 100,000 of them in all rows. Not with `field=copies`. Empty counts as absent.',
  ].join(' '),
  examples: ['month'],
});

const size: Parameter<number> = wholeNumber({
  from: 1,
  to: MAX_ROWS,
  standard: DEFAULT_ROWS,
  unit: 'rows',
  code: 'bad_value',
  description: 'Number of rows; `score`, `sentiment` and `weekday_hour` always give all of theirs.',
  examples: [1000],
});

/** As given; null: absent or empty. analysis/breakdown.ts reads it, by the field. */
const after: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.Unsafe({
      type: ['integer', 'string'],
      minimum: 0,
      maximum: 999_999_999,
      pattern: '^\\d{0,9}$',
      description:
        'The `next` of the last answer, for the rows after it. If empty or absent, the first rows.',
      examples: [100],
    }),
  ),
  documented: { values: 'the `next` of the answer before', default: 'the first rows' },
};

/** Of an endpoint; what only one has is optional. */
export interface BreakdownTable {
  readonly query: Parameter<string>;
  readonly field: Parameter<AskedField>;
  readonly by: Parameter<RowStep>;
  readonly size: Parameter<number>;
  readonly after: Parameter<string | null>;
  readonly normalise: Parameter<Normalise>;
  readonly format: Parameter<AnalysisFormat>;
  readonly under?: Parameter<string | null>;
  readonly [name: string]: Parameter<unknown>;
}

const common = (kind: Kind) => ({
  ...{ query: analysisQuery, field: fieldOf(kind), by, size, after, normalise, format: analysisFormat },
});

/** Of each endpoint. */
export const BREAKDOWN_PARAMETERS: Readonly<Record<Kind, BreakdownTable>> = {
  post: common('post'),
  comment: { ...common('comment'), under },
};
