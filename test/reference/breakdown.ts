// Breakdowns of the matching records, queries beside each other, and what records say of communities. The specification
// as code.

import {
  COPY_NAME_CHARACTERS,
  type Compared,
  type ComparedRequest,
  type CopiesFound,
  inOrderOfAll,
  isScale,
  MAX_CELLS,
  MAX_COPIED,
  SCALES,
  type ScaleField,
  scoreBand,
  sentimentPlace,
  weekdayHour,
} from '../../src/model/analyses.ts';
import type { CommunityEvidence } from '../../src/model/community.ts';
import {
  type Breakdown,
  type BreakdownBucket,
  type BreakdownField,
  type BreakdownRequest,
  type BreakdownRow,
  beginsWith,
} from '../../src/model/engine.ts';
import { EngineLimit } from '../../src/model/engine-errors.ts';
import { foldedText, textHash } from '../../src/model/hash.ts';
import { leastId } from '../../src/model/pages.ts';
import { breakdownDomains } from '../../src/model/query.ts';
import { type StoredRecord, searchedTexts } from '../../src/model/record.ts';
import type { TimelineStep } from '../../src/model/time.ts';
import { bucketStart } from '../../src/model/timeline.ts';
import { ratingsOf } from './answer.ts';
import { comparator } from './order.ts';

/** `matching`, and `of` (null: the question has none), in any order. Throws an EngineLimit. */
export function breakdownOf(
  matching: readonly StoredRecord[],
  of: readonly StoredRecord[] | null,
  request: BreakdownRequest,
): Breakdown {
  const { field, size, skip = 0, prefix = '', distinct = false } = request;
  if (field === 'copies' && matching.length > MAX_COPIED) {
    throw new EngineLimit({ limit: 'copied_records', records: matching.length });
  }
  const least = field === 'copies' ? 2 : 1;
  const groups = groupsOf(matching, field).filter(
    ({ name, records }) => records.length >= least && beginsWith(name, prefix),
  );
  const given = isScale(field) ? wholeScale(SCALES[field], groups) : inOrder(groups).slice(skip, skip + size);
  const ofGroups = of && new Map(groupsOf(of, field).map((group) => [group.value, group.records]));
  const rows = given.map((group) => rowOf(group, ofGroups && (ofGroups.get(group.value) ?? []), request));
  if (rows.reduce((sum, { by = [] }) => sum + by.length, 0) > MAX_CELLS) {
    throw new EngineLimit({ limit: 'breakdown_cells' });
  }
  return { field, rows, ...(distinct && { distinct: groups.length }) };
}

interface Group {
  /** What its records have in common. */
  readonly value: string;
  readonly name: string;
  /** At least one. */
  readonly records: readonly StoredRecord[];
}

/** What a record is counted under. */
function valuesOf(record: StoredRecord, field: BreakdownField): readonly string[] {
  if (field === 'community') return [record.community];
  if (field === 'domain') return breakdownDomains(record);
  if (isScale(field)) return [SCALES[field][placeOn(field, record)]!];
  return textHash(record) === 0 ? [] : [foldedText(searchedTexts(record))];
}

function groupsOf(records: readonly StoredRecord[], field: BreakdownField): Group[] {
  const byValue = new Map<string, StoredRecord[]>();
  for (const record of records) {
    for (const value of valuesOf(record, field)) {
      const group = byValue.get(value);
      if (group === undefined) byValue.set(value, [record]);
      else group.push(record);
    }
  }
  return [...byValue].map(([value, group]) => ({
    ...{ value, name: field === 'copies' ? cut(value) : value },
    records: group.sort(comparator('oldest')),
  }));
}

function cut(text: string): string {
  return [...text].slice(0, COPY_NAME_CHARACTERS).join('');
}

function inOrder(groups: readonly Group[]): Group[] {
  const ofExample = comparator('oldest');
  return [...groups].sort((a, b) => {
    if (a.records.length !== b.records.length) return b.records.length - a.records.length;
    if (a.name !== b.name) return a.name < b.name ? -1 : 1;
    return ofExample(a.records[0]!, b.records[0]!);
  });
}

function wholeScale(scale: readonly string[], groups: readonly Group[]): Group[] {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return scale.map((name) => byName.get(name) ?? { value: name, name, records: [] });
}

function rowOf(
  { name, records }: Group,
  of: readonly StoredRecord[] | null,
  { field, measure, by }: BreakdownRequest,
): BreakdownRow {
  return {
    ...{ name, count: records.length },
    ...(of && { of: of.length }),
    ...(measure && ratingsOf(records)),
    ...(by && field !== 'copies' && { by: bucketsOf(records, of, by) }),
    ...(field === 'copies' && { copies: copiesOf(records) }),
  };
}

function bucketsOf(
  records: readonly StoredRecord[],
  of: readonly StoredRecord[] | null,
  step: TimelineStep,
): BreakdownBucket[] {
  const counts = countsBy(records, step);
  const ofCounts = of && countsBy(of, step);
  return [...counts]
    .map(([start, count]) => ({ start, count, ...(ofCounts && { of: ofCounts.get(start) ?? 0 }) }))
    .sort((a, b) => a.start - b.start);
}

function countsBy(records: readonly StoredRecord[], step: TimelineStep): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { created } of records) {
    const start = bucketStart(step, created);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return counts;
}

/** `records` by time, then id. */
function copiesOf(records: readonly StoredRecord[]): CopiesFound {
  return {
    id: records[0]!.id,
    first: records[0]!.created,
    last: records.at(-1)!.created,
    communities: new Set(records.map(({ community }) => community)).size,
  };
}

/** `matchings`: what matches each of the queries, in any order. */
export function comparedOf(
  matchings: readonly (readonly StoredRecord[])[],
  { communities: size }: ComparedRequest,
): Compared {
  const ids = matchings.map((matching) => new Set(matching.map(({ id }) => id)));
  const highest = matchings.flatMap(
    (matching) => breakdownOf(matching, null, { field: 'community', size }).rows,
  );
  const names = new Set(highest.map(({ name }) => name));
  return {
    both: ids.map((one) => ids.map((other) => one.intersection(other).size)),
    communities: inOrderOfAll(
      Array.from(names, (name) => ({
        name,
        counts: matchings.map((matching) => matching.filter(({ community }) => community === name).length),
      })),
    ),
    ratings: matchings.map(ratingsOf),
  };
}

/** What the records say of these communities; a name that none has is absent. */
export function evidenceOf(
  records: Iterable<StoredRecord>,
  names: ReadonlySet<string>,
): Map<string, CommunityEvidence> {
  const evidence = new Map<string, CommunityEvidence>();
  for (const record of records) {
    if (!names.has(record.community)) continue;
    const known = evidence.get(record.community) ?? { id: '', judgedPosts: 0, adultPosts: 0 };
    const judged = record.kind === 'post' && record.adult !== null;
    evidence.set(record.community, {
      id: leastId(known.id, record.communityId),
      judgedPosts: known.judgedPosts + (judged ? 1 : 0),
      adultPosts: known.adultPosts + (judged && record.adult ? 1 : 0),
    });
  }
  return evidence;
}

function placeOn(field: ScaleField, record: StoredRecord): number {
  if (field === 'score') return scoreBand(record.score);
  if (field === 'weekday_hour') return weekdayHour(record.created);
  return sentimentPlace(record.kind === 'comment' ? record.sentiment : null);
}
