// Samples of each kind, and the words that tell one query from another. Contract 10.6 and 10.7.

import type { FastifyInstance } from 'fastify';
import type { AnalysisContext } from '../../analysis/asking.ts';
import { type DrawnSample, drawSample } from '../../analysis/sample.ts';
import { wordsOf } from '../../analysis/words.ts';
import type { Row } from '../../exporting/columns.ts';
import { FORMATS, type TextFormat } from '../../exporting/formats.ts';
import { openTextForm } from '../../exporting/text-forms.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { analysisPath } from '../addresses/api.ts';
import { expectedBytes } from '../answers/bytes-under-way.ts';
import { ARRIVAL_HEADER } from '../answers/headers.ts';
import { TRAILERS } from '../export-answer.ts';
import {
  SAMPLE_PARAMETERS,
  type SampleTable,
  sampleExample,
  WORDS_PARAMETERS,
  type WordsTable,
  wordsExample,
} from '../operations/sample.ts';
import { type AnalysisEndpoint, addAnalysisRoute, analysisContent } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

interface SampleRouteDeps extends KeyedRouteDeps {
  readonly analysis: AnalysisContext;
  readonly search: SearchService;
}

export function addSampleRoutes(
  server: FastifyInstance,
  { analysis, search, ...deps }: SampleRouteDeps,
): void {
  for (const kind of KINDS) addAnalysisRoute(server, deps, sampleEndpoint(kind, analysis, search));
  for (const kind of KINDS) addAnalysisRoute(server, deps, wordsEndpoint(kind, analysis));
}

const SAMPLE_SCHEMAS: Readonly<Record<Kind, string>> = { post: 'PostSample', comment: 'CommentSample' };

function sampleEndpoint(
  kind: Kind,
  analysis: AnalysisContext,
  search: SearchService,
): AnalysisEndpoint<SampleTable> {
  return {
    path: analysisPath('sample', kind),
    parameters: SAMPLE_PARAMETERS[kind],
    mostBytes: ({ n }) => expectedBytes(n),
    words: {
      operationId: `sample_${kind}s`,
      summary: `A sample of ${kind}s`,
      description: [
        `A random sample of the matching ${kind}s that anybody can draw again: the same seed gives the same records`,
        'on every machine that has them, and a sample lies inside every larger one of its seed.',
      ].join(' '),
    },
    answer: {
      description: 'The records of the sample, or these alone as CSV or NDJSON.',
      content: {
        ...analysisContent(SAMPLE_SCHEMAS[kind], sampleExample(kind), { hasCsv: true }),
        [FORMATS.ndjson.mediaType]: { schema: { type: 'string' } },
      },
      headers: { ...ARRIVAL_HEADER, 'Colloquy-Cut-Cells': TRAILERS['Colloquy-Cut-Cells'] },
    },
    async analyse({ format, under = null, ...rest }, { signal }) {
      const drawn = await drawSample(analysis, search, { kind, under, ...rest }, signal);
      const { answer, dropped, arrival } = drawn;
      return { answer, dropped, arrival, ...(format !== 'json' && { lines: linesOf(kind, drawn, format) }) };
    },
  };
}

/** The records alone, as an export has them. */
function linesOf(kind: Kind, { answer, fields }: DrawnSample, format: TextFormat) {
  const form = openTextForm(format, kind, fields);
  const rows = answer.data as readonly object[] as readonly Row[];
  function* text(): Generator<string> {
    yield form.head;
    for (const row of rows) yield form.line(row);
  }
  const headers = () => (format === 'csv-excel' ? { 'Colloquy-Cut-Cells': String(form.cutCells) } : {});
  return { type: FORMATS[format].mediaType, text: text(), headers };
}

function wordsEndpoint(kind: Kind, analysis: AnalysisContext): AnalysisEndpoint<WordsTable> {
  return {
    path: analysisPath('words', kind),
    parameters: WORDS_PARAMETERS[kind],
    words: {
      operationId: `words_${kind}s`,
      summary: `Distinctive words of ${kind}s`,
      description: [
        `Which words tell the ${kind}s that match one query from those that match another, by samples of both: the`,
        'log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008).',
      ].join(' '),
    },
    answer: {
      description: 'The words that each of the two uses more than the other.',
      content: analysisContent('Words', wordsExample(kind)),
      headers: {},
    },
    async analyse({ under = null, ...rest }, { signal }) {
      return await wordsOf(analysis, { kind, under, ...rest }, signal);
    },
  };
}
