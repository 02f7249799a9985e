// The parameters of the coverage.

import { MAX_COMMUNITIES, readCommunityNames } from '../analysis/coverage.ts';
import { COVERAGE_STEPS } from '../model/coverage.ts';
import { Type } from './json-schema.ts';
import { choice, type Parameter } from './parameters.ts';

/** In lower case, each once. */
const subreddit: Parameter<readonly string[]> = {
  read: (given, name) => (given ? readCommunityNames(given, `parameter \`${name}\``) : []),
  schema: Type.Optional(
    Type.String({
      maxLength: MAX_COMMUNITIES * 130,
      description:
        `Names of communities, separated by commas, at most ${MAX_COMMUNITIES}, in any case, with or without \`r/\`: ` +
        'of each, the first record, the last, and its months. If empty or absent, none.',
      examples: ['cats', 'cats,dogs'],
    }),
  ),
  documented: { values: `names, separated by commas, at most ${MAX_COMMUNITIES}`, default: 'none' },
};

const step = choice(COVERAGE_STEPS, {
  standard: 'month',
  code: 'bad_value',
  description: 'What is counted by, in UTC. Empty counts as absent.',
  examples: ['day'],
});

export const COVERAGE_PARAMETERS = { subreddit, step } as const;

export type CoverageTable = typeof COVERAGE_PARAMETERS;
