// The page that compares searches, and its table. Contract 24.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnalysisQuery, readQuery } from '../../analysis/asking.ts';
import { COMPARED_QUERIES, compareOf } from '../../analysis/compare.ts';
import { compareTable } from '../../analysis/compare-table.ts';
import { ServiceError } from '../../errors.ts';
import {
  COMPARE_FILE,
  COMPARE_PAGE,
  type CompareState,
  compareAddress,
  readCompareState,
} from '../addresses/tables.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import { noteRefusal, problemHeaders } from '../answers/problems.ts';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, sendPage } from '../site/respond.ts';
import type { Site } from '../site/site.ts';
import { compareFaults, compareForm, comparePage, type QueryFault } from '../views/analysis/compare-page.ts';
import type { Frame, Page } from '../views/layout.ts';
import { limitSearches, sendTable, turnOf } from './page-turn.ts';

export function addComparePages(server: FastifyInstance, site: Site): void {
  addPageRead(server, COMPARE_PAGE, (request, reply) => answer(site, request, reply, 'page'));
  addPageRead(server, COMPARE_FILE, (request, reply) => answer(site, request, reply, 'file'));
}

async function answer(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  form: 'page' | 'file',
): Promise<FastifyReply> {
  const state = readCompareState(request.raw.url ?? '');
  const frame = await frameOf(site, request);
  const { queries, faults } = readAll(state.queries);
  if (faults.length > 0) return await sendFaults(site, request, reply, frame, state, faults);
  if (queries.length < COMPARED_QUERIES.from) {
    if (form === 'file') throw tooFew(queries.length);
    const page = { title: 'Compare searches', main: compareForm(state), canonical: compareAddress(state) };
    return await sendPage(site, request, reply, frame, { ...page, mainClass: 'wide' });
  }
  limitSearches(site, request, frame);
  using turn = await turnOf(site, request, reply, frame);
  try {
    const wish = { kind: state.kind, queries, words: state.words };
    const compared = await compareOf(site.analysis, wish, turn.signal);
    if (form === 'file') {
      const name = `${LIST_NAMES[state.kind]}-compared.csv`;
      return await sendTable(request, reply, name, compareTable(compared.answer));
    }
    return await sendPage(site, request, reply, frame, {
      title: `${state.queries.join(' · ')} – compared`,
      main: comparePage({ state, queries, ...compared }),
      canonical: compareAddress(state),
      ...{ section: 'search', skips: ['totals'], mainClass: 'wide' },
    });
  } catch (error) {
    const number = error instanceof ServiceError ? error.position?.query : undefined;
    if (!(error instanceof ServiceError) || number === undefined) throw error;
    return await sendFaults(site, request, reply, frame, state, [{ number, error }]);
  }
}

function readAll(texts: readonly string[]): { queries: AnalysisQuery[]; faults: QueryFault[] } {
  const queries: AnalysisQuery[] = [];
  const faults: QueryFault[] = [];
  for (const [number, text] of texts.entries()) {
    try {
      queries.push(readQuery(text));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ number, error });
    }
  }
  return { queries, faults };
}

function tooFew(found: number): ServiceError {
  const { from, to } = COMPARED_QUERIES;
  return new ServiceError(
    'missing_query',
    `parameter \`q\`: expected ${from} to ${to} queries, found ${found}`,
  );
}

function sendFaults(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  state: CompareState,
  faults: readonly QueryFault[],
): Promise<FastifyReply> {
  const { error } = faults[0]!;
  noteRefusal(request, error);
  reply.headers(problemHeaders(error));
  const page: Page = {
    ...{ title: 'Error: a search to compare', main: compareFaults(state, faults) },
    mainClass: 'wide',
  };
  return sendPage(site, request, reply, frame, page, { status: error.status });
}
