// A page with the places that its records were found at, from which more can be told of them.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import { arrivalOf, type View } from '../index/view.ts';
import type { MatchPlace } from './match-walk.ts';

export interface PlacedPage {
  readonly page: Page;
  /** Of each of its records. */
  readonly places: readonly MatchPlace[];
}

export const NOWHERE: PlacedPage = { page: EMPTY_PAGE, places: [] };

/** Numbers of the commits that brought in what stands there. The places are of this view. */
export function arrivalsAt(view: View, places: readonly MatchPlace[]): readonly number[] {
  const sources = new Map(view.segments.map((source) => [source.segment, source]));
  return places.map(({ segment, doc }) => arrivalOf(sources.get(segment)!, doc));
}
