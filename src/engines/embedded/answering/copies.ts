// Texts that stand at least twice among the matches: found by the column of their hashes, then compared by what the
// hash is made of, since 32 bits of 2,000,000 texts meet by chance.

import { Buffer } from 'node:buffer';
import { COPY_NAME_CHARACTERS, MAX_COPIED } from '../../../model/breakdown-limits.ts';
import type { Breakdown, BreakdownRequest, BreakdownRow, CopiesFound } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { compareIds } from '../../../model/order.ts';
import { ratingUnits } from '../../../model/rating.ts';
import { foldedText } from '../../../model/text-hash.ts';
import type { CountingMeans } from './counting-means.ts';
import { docsWith, HashedDocs } from './hashed-docs.ts';
import { type Matching, totalOf } from './matching.ts';

/** `of`: of the question; null: it has none. Throws `query_timeout`, and an EngineLimit over MAX_COPIED matches. */
export function copiesOf(
  matching: Matching,
  of: Matching | null,
  { size, skip = 0, distinct = false, measure }: BreakdownRequest,
  means: CountingMeans,
): Breakdown {
  const records = totalOf(matching);
  if (records > MAX_COPIED) throw new EngineLimit({ limit: 'copied_records', records });
  const docs = HashedDocs.of(matching.segments, records, means.deadline);
  const groups = groupsOf(docs, means);
  const rows = firstRows(docs, groups, skip + size, means).slice(skip);
  const ofCounts = of && countsIn(of, matching, docs, rows, means);
  return {
    field: 'copies',
    rows: rows.map(({ told: { name, count, copies }, group }, row) => ({
      ...{ name, count },
      ...(ofCounts && { of: ofCounts[row]! }),
      ...(measure && ratingsOf(docs, group)),
      copies,
    })),
    ...(distinct && { distinct: groups.length }),
  };
}

/** Copies of one text: at least two numbers of docs, ascending. */
type Group = readonly number[];

/** What docs with one hash have in common. */
interface Alike {
  /** The bytes of the first text; null: all of its docs have been read. */
  first: Buffer | null;
  /** Of the docs that are spelt as the first, and of those with the same text. */
  readonly group: number[];
  /** How many docs are to be read. */
  left: number;
  /** By folded text, that of the first too; null: all are spelt alike, as nearly all copies are. */
  byText: Map<string, number[]> | null;
}

/** In no order. */
function groupsOf(docs: HashedDocs, { deadline }: CountingMeans): Group[] {
  const groups: Group[] = [];
  const alikes = docs.alike.map((left): Alike => ({ first: null, group: [], left, byText: null }));
  for (const { number, alike: place } of docs.repeated()) {
    deadline.step();
    const alike = alikes[place]!;
    add(docs, alike, number);
    if (--alike.left > 0) continue;
    for (const group of alike.byText?.values() ?? [alike.group]) if (group.length > 1) groups.push(group);
    alike.first = null;
  }
  return groups;
}

function add(docs: HashedDocs, alike: Alike, number: number): void {
  const bytes = docs.textBytes(number);
  if (alike.first === null) {
    alike.first = Buffer.from(bytes);
    alike.group.push(number);
  } else if (alike.first.equals(bytes)) alike.group.push(number);
  else {
    alike.byText ??= new Map([[foldedText(docs.texts(alike.group[0]!)), alike.group]]);
    const text = foldedText(docs.texts(number));
    const group = alike.byText.get(text);
    if (group === undefined) alike.byText.set(text, [number]);
    else group.push(number);
  }
}

interface NamedGroup {
  readonly group: Group;
  readonly told: BreakdownRow & { readonly copies: CopiesFound };
}

/** The first `wanted` rows: count down, then name, then example by time and id. */
function firstRows(
  docs: HashedDocs,
  groups: readonly Group[],
  wanted: number,
  { deadline }: CountingMeans,
): NamedGroup[] {
  const byCount = [...groups].sort((a, b) => b.length - a.length);
  // Only the names of those that may be among them are read: of the count of the last one, all.
  const least = byCount[Math.min(wanted, byCount.length) - 1]?.length ?? Infinity;
  const named = byCount
    .filter(({ length }) => length >= least)
    .map((group) => {
      deadline.step();
      return { group, told: rowOf(docs, group) };
    });
  return named.sort((a, b) => compareRows(a.told, b.told)).slice(0, wanted);
}

function compareRows(a: NamedGroup['told'], b: NamedGroup['told']): number {
  if (a.count !== b.count) return b.count - a.count;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.copies.first - b.copies.first || compareIds(a.copies.id, b.copies.id);
}

function rowOf(docs: HashedDocs, group: Group): NamedGroup['told'] {
  let [first, last, id] = [Infinity, -Infinity, ''];
  const communities = new Set<string>();
  docs.each(group, (segment, doc) => {
    const created = segment.created.at(doc);
    if (created <= first) {
      const one = segment.id(doc);
      if (created < first || compareIds(one, id) < 0) id = one;
      first = created;
    }
    last = Math.max(last, created);
    communities.add(segment.communityOf(doc).community);
  });
  return {
    name: [...foldedText(docs.texts(group[0]!))].slice(0, COPY_NAME_CHARACTERS).join(''),
    count: group.length,
    copies: { id, first, last, communities: communities.size },
  };
}

/** How many of these other matches have the text of each row. */
function countsIn(
  of: Matching,
  matching: Matching,
  docs: HashedDocs,
  rows: readonly NamedGroup[],
  { scratch, deadline }: CountingMeans,
): number[] {
  const known = new Map(matching.segments.map((matches) => [matches.segment, matches]));
  const ofSegments = new Map(of.segments.map((matches) => [matches.segment, matches]));
  const counts = rows.map(({ group }) => {
    // Those that are in both need not be read again.
    return Array.from(group).filter((doc) => docs.isAmong(doc, ofSegments)).length;
  });
  const byHash = Map.groupBy(rows.keys(), (row) => docs.hash(rows[row]!.group[0]!));
  const texts = rows.map(({ group }) => foldedText(docs.texts(group[0]!)));
  for (const found of docsWith(new Set(byHash.keys()), of.segments, known, scratch, deadline)) {
    const text = foldedText(found.texts);
    const row = byHash.get(found.hash)!.find((one) => texts[one] === text);
    if (row !== undefined) counts[row]!++;
  }
  return counts;
}

function ratingsOf(docs: HashedDocs, group: Group): { sum: number; rated: number } {
  let [sum, rated] = [0, 0];
  docs.each(group, (segment, doc) => {
    const sentiment = segment.sentimentAt(doc);
    if (sentiment === null) return;
    sum += ratingUnits(sentiment);
    rated++;
  });
  return { sum, rated };
}
