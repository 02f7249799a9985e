// The page of what the index covers.

import type { FastifyInstance } from 'fastify';
import { type CoverageService, readCommunityNames } from '../../analysis/coverage.ts';
import { COVERAGE_PAGE } from '../addresses/pages.ts';
import { readFirst } from '../addresses/written.ts';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, type Site, sendPage } from '../site/respond.ts';
import { coveragePage } from '../views/coverage-page.ts';
import { turnOf } from './page-turn.ts';
import { limitSearches } from './search-limits.ts';

export function addCoveragePage(server: FastifyInstance, site: Site, coverage: CoverageService): void {
  addPageRead(server, COVERAGE_PAGE, async (request, reply) => {
    const frame = await frameOf(site, request);
    limitSearches(site, request, frame);
    using turn = await turnOf(site, request, reply, frame);
    const asked =
      readFirst(request.raw.url ?? '')
        .get('subreddit')
        ?.trim() ?? '';
    const subreddits = asked === '' ? [] : readCommunityNames(asked, 'parameter `subreddit`');
    const kinds = await coverage.kinds({ step: 'month', subreddits }, turn.signal);
    const main = coveragePage({ kinds, ...coverage.provenance(), asked });
    const page = {
      ...{ title: 'Coverage', main, canonical: COVERAGE_PAGE, mainClass: 'wide' },
      section: 'coverage',
    } as const;
    return await sendPage(site, request, reply, frame, page);
  });
}
