// A page of `top`: score down, then newest first. The bands of scores are walked from the highest, so that only records
// of the scores on the page are looked at.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import { PageBudget, rankingScore, type TopPageRequest } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { SLICES } from '../format/score-bands.ts';
import { arrivalOf, type View } from '../index/view.ts';
import { type Matching, totalOf } from '../matching/matching.ts';
import { RowsAhead } from '../matching/plan.ts';
import type { WordPool } from '../sets/chunk.ts';
import type { MatchPlace } from './match-walk.ts';
import { BandLists, inSlice } from './score-walk.ts';
import { rankKey, type SelectedDoc, TopSelection } from './top-selection.ts';

/** A page with the places that its records were found at, from which more can be told of them. */
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

/** Up to this many matches, looking at all is cheaper than walking the bands. */
const MAX_UNBANDED = 16_384;

/** `scratch` is used and given back. */
export function topPage(
  matching: Matching,
  { after, limit, maxBytes }: TopPageRequest,
  scratch: WordPool,
): PlacedPage {
  const end = after === null ? Infinity : rankKey(after.score, after.second);
  const selection = select(matching, limit, end, scratch);
  const docs = selection.best();
  const records = withinBudget(docs, maxBytes);
  const last = records.at(-1);
  if (last === undefined) return NOWHERE;
  const isShort = records.length < docs.length;
  const next = { score: rankingScore(last.score), second: last.created };
  const hasMore =
    isShort || (selection.isFull && hasMatchBelow(matching, selection, docs, after === null, scratch));
  return { page: { records, next, hasMore, isShort }, places: docs.slice(0, records.length) };
}

/** The records of whole ties, from the first on, that fit; the first tie always does. */
function withinBudget(docs: readonly SelectedDoc[], maxBytes: number | undefined): StoredRecord[] {
  const budget = new PageBudget(maxBytes);
  const records: StoredRecord[] = [];
  const ahead = new RowsAhead();
  /** Records of the ties that fit whole. */
  let whole = 0;
  for (const [i, { segment, doc, key }] of docs.entries()) {
    if (key !== docs[i - 1]?.key) whole = i;
    ahead.look(() => docs.slice(i));
    const record = segment.record(doc);
    if (!budget.fits(record) && whole > 0) return records.slice(0, whole);
    records.push(record);
  }
  return records;
}

/** Whether any match ranks below a selection that is full. */
function hasMatchBelow(
  matching: Matching,
  selection: TopSelection,
  docs: readonly SelectedDoc[],
  isFirst: boolean,
  scratch: WordPool,
): boolean {
  if (selection.hasDropped) return true;
  if (isFirst) return totalOf(matching) > docs.length;
  return select(matching, 1, docs.at(-1)!.key, scratch).isFull;
}

/** The `limit` best matches with keys below `end`, and what ties with the last. */
function select(matching: Matching, limit: number, end: number, scratch: WordPool): TopSelection {
  const segments = matching.segments.map(({ segment }) => segment);
  const selection = new TopSelection(segments, limit, end);
  if (totalOf(matching) <= MAX_UNBANDED) {
    for (const [i, matches] of matching.segments.entries()) {
      for (let chunk = matches.lastChunk; chunk >= matches.firstChunk; chunk--) {
        selection.addAll(i, chunk, matches.chunk(chunk), scratch);
        scratch.releaseAll();
      }
    }
  } else addBySlices(selection, matching, end, scratch);
  return selection;
}

function addBySlices(selection: TopSelection, matching: Matching, end: number, scratch: WordPool): void {
  const lists = new BandLists(matching.pool);
  for (const slice of SLICES) {
    if (rankKey(slice.min, 0) >= end) continue;
    for (const [i, matches] of matching.segments.entries()) {
      for (let chunk = matches.lastChunk; chunk >= matches.firstChunk; chunk--) {
        // uncovered: saves time alone, with more than 65,536 docs in a segment
        if (!selection.canTake(slice, i, chunk)) continue;
        selection.addAll(i, chunk, inSlice(matches, chunk, slice, lists, scratch), scratch);
        scratch.releaseAll();
      }
    }
    if (selection.isFull) return;
  }
}
