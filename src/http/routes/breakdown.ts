// Breakdowns of each kind: what the matches are counted by. Contract 10.

import type { FastifyInstance } from 'fastify';
import type { AnalysisContext } from '../../analysis/asking.ts';
import { type BreakdownAnswer, breakdownOf, breakdownTable } from '../../analysis/breakdown.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type ParameterValues, parameterString } from '../../operation/parameters.ts';
import { analysisPath } from '../addresses/api.ts';
import { breakdownExample } from '../operations/analysis.ts';
import { BREAKDOWN_PARAMETERS, type BreakdownTable } from '../operations/breakdown.ts';
import { type AnalysisEndpoint, addAnalysisRoute, analysisContent, inTable } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

interface BreakdownRouteDeps extends KeyedRouteDeps {
  readonly analysis: AnalysisContext;
}

export function addBreakdownRoutes(server: FastifyInstance, { analysis, ...deps }: BreakdownRouteDeps): void {
  for (const kind of KINDS) addAnalysisRoute(server, deps, breakdownEndpoint(kind, analysis));
}

function breakdownEndpoint(kind: Kind, analysis: AnalysisContext): AnalysisEndpoint<BreakdownTable> {
  return {
    path: analysisPath('breakdown', kind),
    parameters: BREAKDOWN_PARAMETERS[kind],
    words: {
      operationId: `break_down_${kind}s`,
      summary: `Breakdowns of ${kind}s`,
      description: [
        `How many of the matching ${kind}s have each value of a field, commonest first, with the share of each row and`,
        'its mean sentiment; by time too where that is asked for.',
      ].join(' '),
    },
    answer: {
      description: 'Rows of the breakdown, or a table of them: with `by`, a row for each bucket of each.',
      content: analysisContent('Breakdown', breakdownExample(kind), { hasCsv: true }),
      headers: { Link: '`<address>; rel="next"`: the next rows; only where there are some.' },
    },
    async analyse(values, { ownAddress, signal }) {
      const { under = null, format, ...wish } = values;
      const { answer, dropped } = await breakdownOf(analysis, { kind, ...wish, under }, signal);
      const next = nextAddress(kind, answer, values);
      return {
        ...{ answer, dropped },
        ...inTable(format, () => breakdownTable(answer)),
        ...(next === null ? {} : { headers: { Link: `<${ownAddress}${next}>; rel="next"` } }),
      };
    },
  };
}

/** null: there are no more rows. */
function nextAddress(
  kind: Kind,
  { query, field, next, under }: BreakdownAnswer,
  { by, size, normalise, format }: ParameterValues<BreakdownTable>,
): string | null {
  if (next === null) return null;
  const values = {
    ...{ query, field, by, size, normalise, format },
    ...(under === undefined ? {} : { under }),
    after: next,
  };
  return `${analysisPath('breakdown', kind)}?${parameterString<BreakdownTable>(values)}`;
}
