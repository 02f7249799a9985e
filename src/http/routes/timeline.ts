// Timelines and counts of each kind: how many records match, when, and what share that is. Contract 10.2 and 10.3.

import type { FastifyInstance } from 'fastify';
import type { AnalysisContext } from '../../analysis/asking.ts';
import { countsOf, timelineOf, timelineTable } from '../../analysis/timeline.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { analysisPath } from '../addresses/api.ts';
import { ARRIVAL_HEADER } from '../answers/headers.ts';
import { countsExample, timelineExample } from '../operations/analysis.ts';
import {
  COUNTS_PARAMETERS,
  type CountsTable,
  TIMELINE_PARAMETERS,
  type TimelineTable,
} from '../operations/timeline.ts';
import { type AnalysisEndpoint, addAnalysisRoute, analysisContent, inTable } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

interface AnalysisRouteDeps extends KeyedRouteDeps {
  readonly analysis: AnalysisContext;
}

export function addTimelineRoutes(server: FastifyInstance, { analysis, ...deps }: AnalysisRouteDeps): void {
  for (const kind of KINDS) addAnalysisRoute(server, deps, timelineEndpoint(kind, analysis));
}

export function addCountsRoutes(server: FastifyInstance, { analysis, ...deps }: AnalysisRouteDeps): void {
  for (const kind of KINDS) addAnalysisRoute(server, deps, countsEndpoint(kind, analysis));
}

function timelineEndpoint(kind: Kind, analysis: AnalysisContext): AnalysisEndpoint<TimelineTable> {
  return {
    path: analysisPath('timeline', kind),
    parameters: TIMELINE_PARAMETERS[kind],
    words: {
      operationId: `timeline_${kind}s`,
      summary: `Timelines of ${kind}s`,
      description: [
        `How many ${kind}s match by hour, day, week, month, quarter or year, for up to 8 queries over the same buckets,`,
        'empty ones included: from the bounds of the queries, else from the first match of all to the last. With the',
        'share of each bucket, and with the mean of scores or sentiment where that is asked for.',
      ].join(' '),
    },
    answer: {
      description: 'The timelines, or a table of them: a row a bucket.',
      content: analysisContent('Timeline', timelineExample(kind), { hasCsv: true }),
      headers: ARRIVAL_HEADER,
    },
    async analyse({ query: queries, format, under = null, since, step, measure, normalise }, { signal }) {
      const wish = { kind, queries, under, since, step, measure, normalise };
      const { answer, ...told } = await timelineOf(analysis, wish, signal);
      return { answer, ...told, ...inTable(format, () => timelineTable(answer, wish)) };
    },
  };
}

function countsEndpoint(kind: Kind, analysis: AnalysisContext): AnalysisEndpoint<CountsTable> {
  return {
    path: analysisPath('counts', kind),
    parameters: COUNTS_PARAMETERS[kind],
    words: {
      operationId: `count_${kind}s`,
      summary: `Counts of ${kind}s`,
      description: `How many ${kind}s match each of up to 50 queries, and what share that is.`,
    },
    answer: {
      description: 'The counts, all of one view.',
      content: analysisContent('Counts', countsExample(kind)),
      headers: ARRIVAL_HEADER,
    },
    async analyse({ query: queries, under = null, since, normalise }, { signal }) {
      return await countsOf(analysis, { kind, queries, under, since, normalise }, signal);
    },
  };
}
