// What the index covers.

import type { FastifyInstance } from 'fastify';
import type { CoverageAnswer, CoverageService } from '../../analysis/coverage.ts';
import { COVERAGE_PATH } from '../addresses/api.ts';
import { COVERAGE_PARAMETERS } from '../operations/coverage.ts';
import { addAnalysisRoute, analysisContent } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

interface CoverageRouteDeps extends KeyedRouteDeps {
  readonly coverage: CoverageService;
}

export function addCoverageRoute(server: FastifyInstance, { coverage, ...deps }: CoverageRouteDeps): void {
  addAnalysisRoute(server, deps, {
    path: COVERAGE_PATH,
    parameters: COVERAGE_PARAMETERS,
    words: {
      operationId: 'coverage',
      summary: 'What the index covers',
      description: [
        'Records by month or day and what they lack, days without any between busy ones, which file each import',
        'took, with its checksum, and when records were removed: "nobody said it" can so be told from "it was never',
        'imported".',
      ].join(' '),
    },
    answer: { description: 'The coverage.', content: analysisContent('Coverage', EXAMPLE), headers: {} },
    async analyse({ subreddit: subreddits, step }, { signal }) {
      return { answer: await coverage.answer({ subreddits, step }, signal) };
    },
  });
}

const JANUARY = 1_609_459_200;

export const EXAMPLE: CoverageAnswer = {
  ...{ type: 'coverage', kind: null, query: null, index: null, step: 'month' },
  kinds: {
    posts: {
      ...{ index: { fingerprint: '0000000000000000', records: 0 }, records: 0, first: null, last: null },
      ...{ months: [], gaps: [], subreddits: [{ ...nothingOf('aww'), months: [] }] },
    },
    comments: {
      index: { fingerprint: '9a0364b9e99bb480', records: 5678 },
      ...{ records: 5678, first: JANUARY + 12, last: JANUARY + 2_600_000 },
      months: [
        {
          ...{ start: JANUARY, records: 5678, communities: 12, withdrawn: 310, unrated: 805 },
          score_at_capture: 0.0125,
        },
      ],
      gaps: [{ from: JANUARY + 864_000, to: JANUARY + 1_036_800 }],
      subreddits: [
        {
          ...{ name: 'aww', records: 40, first: JANUARY + 12, last: JANUARY + 2_500_000 },
          months: [{ start: JANUARY, records: 40 }],
        },
      ],
    },
  },
  sources: [
    {
      file: 'RC_2021-01.zst',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      ...{ bytes: 1_234_567, format: 'ndjson.zst', kind: 'comments' },
      ...{ first: JANUARY + 12, last: JANUARY + 2_600_000, where: null },
      counts: { read: 5680, added: 5678, replaced: 0, unchanged: 0, skipped: { promoted: 2 }, rejected: {} },
      ...{ started: 1_700_000_000, finished: 1_700_000_004 },
    },
  ],
  removals: { number: 1, dates: [1_700_100_000] },
};

function nothingOf(name: string) {
  return { name, records: 0, first: null, last: null };
}
