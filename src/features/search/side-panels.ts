// What stands around the list of results: the timeline above it; breakdowns, the timeline's table and what to copy
// beside it. Where all of that leads.

import { startOfLast } from '../../analysis/time-range.ts';
import {
  firstPage,
  ofKind,
  type SearchState,
  searchAddress,
  searchAddresses,
} from '../../http/addresses/search.ts';
import { breakdownAddress, picturesAddress, timelineFileAddress } from '../../http/addresses/tables.ts';
import { copyPanel } from '../../http/views/api-examples.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import { type Preset, type TimelineLinks, timelinePanel, timelineTable } from '../../http/views/timeline.ts';
import type { Breakdown, NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import {
  rowItem,
  rowQueries,
  since,
  wider,
  withoutDates,
  writeQuery,
  writtenBetween,
  writtenItems,
} from '../../search/edit-query.ts';
import { communityPanel, domainPanel, type RowLinks } from './breakdowns.ts';
import type { PageResult } from './service.ts';

interface BesideResults {
  readonly state: SearchState;
  readonly result: PageResult;
  /** What the shares of the timeline are of, in canonical form; null: it shows counts. */
  readonly shareOf: string | null;
}

/** The timeline, above the list, and its table, beside it; null if nothing of the kind shown matches. */
export function timelineParts(view: BesideResults): { readonly across: Html; readonly table: Html } | null {
  const { kind } = view.state;
  if (view.result.totals[kind] === 0) return null;
  const { timelines } = view.result;
  const links = timelineLinks(view);
  const across = timelinePanel(kind, timelines, links);
  const table = timelineTable(kind, timelines, links);
  return across && table && { across, table };
}

/** Where the timeline leads. */
function timelineLinks({ state, result, shareOf }: BesideResults): TimelineLinks {
  const items = writtenItems(result.interpretation);
  const address = searchAddresses(firstPage(state));
  const here = (edited: typeof items) => address(writeQuery(edited));
  const broader = wider(items);
  const { step, buckets } = result.timelines[state.kind] ?? { step: 'year', buckets: [] };
  const narrowed = writtenBetween(items);
  return {
    buckets: buckets.map(({ start }) => address(narrowed(start, nextBucket(step, start)))),
    wider: broader && here(broader),
    presets: presets(items, result.range, here),
    shareOf,
    other: searchAddress({ ...firstPage(state), timeline: shareOf === null ? 'share' : 'count' }),
    file: timelineFileAddress(state),
    pictures: picturesAddress(state),
  };
}

/** The last year and the last five years that the index has records of, where it has more, and all of it. */
function presets(
  items: ReturnType<typeof writtenItems>,
  range: PageResult['range'],
  here: (edited: typeof items) => string,
): readonly Preset[] {
  const now = here(items);
  const preset = (name: string, words: string, edited: typeof items) => {
    const address = here(edited);
    return { name, words, address: address === now ? null : address };
  };
  const lasts = ([1, 5] as const).flatMap((years) => {
    const start = range === null ? null : startOfLast(years, range);
    if (start === null) return [];
    const name = years === 1 ? 'Last year' : `${years} years`;
    return [
      preset(
        name,
        `The last ${years === 1 ? 'year' : `${years} years`} of the archive, from ${readableDay(start)}`,
        since(items, start),
      ),
    ];
  });
  return [...lasts, preset('All time', 'Whatever the date', withoutDates(items))];
}

/** `table`: that of the timeline. */
export function sidePanels(frame: Frame, view: BesideResults, table: Html | null): Html {
  const { state, result } = view;
  const items = writtenItems(result.interpretation);
  const narrowed = {
    post: searchAddresses(ofKind(firstPage(state), 'post')),
    comment: searchAddresses(ofKind(firstPage(state), 'comment')),
  };
  const total = result.totals[state.kind] ?? 0;
  const rows = (kind: Kind, field: NameField) =>
    breakdownAddress({ query: state.query, kind, field, prefix: '', page: 1 });
  const links = (field: NameField, breakdown: Breakdown | null) =>
    rowLinks(field, items, {
      include: narrowed[state.kind],
      exclude: narrowed[state.kind],
      leavesNothing: holdingAll(breakdown, total),
    });
  const queries = rowQueries(items, 'community');
  const inCommunity = (kind: Kind, name: string) => {
    const item = rowItem('community', name);
    return item === null ? null : narrowed[kind](queries.including(item));
  };
  return html`${domainPanel({
    breakdown: result.domains,
    times: result.times,
    total,
    all: rows(state.kind, 'domain'),
    ...links('domain', result.domains),
  })}
${communityPanel({
  kind: state.kind,
  breakdowns: result.communities,
  times: result.times,
  include: inCommunity,
  exclude: links('community', result.communities[state.kind]).exclude,
  all: { post: rows('post', 'community'), comment: rows('comment', 'community') },
})}
${table}
${copyPanel({
  publicAddress: frame.publicAddress,
  address: searchAddress({ ...state, trail: [] }),
  query: result.interpretation.echo,
  order: state.order,
})}`;
}

/** Whether nothing would be found without a row: it holds all of the `total` matches. */
export function holdingAll(breakdown: Breakdown | null, total: number): RowAddresses['leavesNothing'] {
  if (total === 0) return () => true;
  const rows = breakdown?.rows.filter(({ count }) => count === total) ?? [];
  const names = new Set(rows.map(({ name }) => name));
  return (name) => names.has(name);
}

interface RowAddresses {
  /** Address of the same search, with the query that a row narrows to. */
  readonly include: (query: string) => string;
  /** Address of the same search, with the query that excludes a row. */
  readonly exclude: (query: string) => string;
  /** Whether nothing would be found without the row. */
  readonly leavesNothing: (name: string) => boolean;
}

/** Where the rows of a breakdown lead. */
export function rowLinks(
  field: NameField,
  items: Parameters<typeof rowQueries>[0],
  { include, exclude, leavesNothing }: RowAddresses,
): RowLinks {
  const queries = rowQueries(items, field === 'community' ? 'community' : 'site');
  return {
    include: (name) => {
      const item = rowItem(field, name);
      return item === null ? null : include(queries.including(item));
    },
    exclude: (name) => {
      if (leavesNothing(name)) return null;
      const item = rowItem(field, name);
      const query = item === null ? null : queries.excluding(item);
      return query === null ? null : exclude(query);
    },
  };
}
