// Parameters that several analyses have: queries of which some may be given at once, what shares are of, the format.

import { NORMALISES, type Normalise } from '../analysis/normalise.ts';
import { ServiceError } from '../errors.ts';
import { Type } from './json-schema.ts';
import { choice, type Parameter } from './parameters.ts';
import { query } from './search-parameters.ts';

/** One query, without an implied window. */
export const analysisQuery: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'Which records, in the query language and with the limits of a search; a `before:` needs an `after:` beside it. ' +
      'If empty, every record.',
    examples: ['cats,/r/aww,-dogs', 'score:100,after:2021-01-01,before:2022-01-01'],
  }),
};

/** Of a parameter that may be given several times: as many as `most`. */
export function severalQueries(most: number): Parameter<readonly string[]> {
  return {
    read: (given, name) => [analysisQuery.read(given, name)],
    readAll: (given, name) => {
      if (given.length <= most) return given;
      throw new ServiceError(
        'too_many_queries',
        `parameter \`${name}\`: expected at most ${most} queries, found ${given.length}`,
      );
    },
    schema: Type.Array(analysisQuery.schema, {
      minItems: 1,
      maxItems: most,
      description: `A query, or up to ${most}: the parameter is then given several times.`,
      examples: [['cats,/r/aww', 'dogs,/r/aww']],
    }),
    documented: { values: `a query, without an implied window; up to ${most} times`, default: 'required' },
  };
}

export const normalise: Parameter<Normalise> = choice(NORMALISES, {
  standard: 'scope',
  code: 'bad_value',
  description: [
    'What shares are of. `scope`: the same query without its words, phrases, prefixes and any-ofs, included or excluded;',
    '`all`: only its dates; `none`: there are no shares. Empty counts as absent.',
  ].join(' '),
  examples: ['all'],
});

export const ANALYSIS_FORMATS = ['json', 'csv', 'csv-excel'] as const;

export type AnalysisFormat = (typeof ANALYSIS_FORMATS)[number];

export const analysisFormat: Parameter<AnalysisFormat> = choice(ANALYSIS_FORMATS, {
  standard: 'json',
  code: 'bad_format',
  description:
    'JSON, or CSV (RFC 4180, LF, a header); `csv-excel`, the same for spreadsheets. Empty counts as absent.',
  examples: ['csv'],
});
