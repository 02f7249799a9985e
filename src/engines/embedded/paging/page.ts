// A page of records in any order. Contract 4.1 and 4.3.

import type { PageRequest } from '../../../model/pages.ts';
import type { Matching } from '../matching/matching.ts';
import type { WordPool } from '../sets/chunk.ts';
import { NOWHERE, type PlacedPage, timePage } from './time-walk.ts';
import { topPage } from './top-page.ts';

/** `scratch` is used and given back. */
export function pageOf(matching: Matching, request: PageRequest, scratch: WordPool): PlacedPage {
  if (request.limit === 0) return NOWHERE;
  return request.order === 'top' ? topPage(matching, request, scratch) : timePage(matching, request);
}
