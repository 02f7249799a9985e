// Texts that stand at least twice among the matches: found by the column of their hashes, then compared by what the
// hash is made of, since 32 bits of 2,000,000 texts meet by chance.

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
type Group = Float64Array | readonly number[];

/** In no order. */
function groupsOf(docs: HashedDocs, means: CountingMeans): Group[] {
  const groups: Group[] = [];
  for (const alike of docs.alike()) groups.push(...apart(docs, alike, means));
  return groups;
}

/** Of docs with one hash, those with one text. */
function apart(docs: HashedDocs, alike: Float64Array, { deadline }: CountingMeans): Group[] {
  const byText = new Map<string, number[]>();
  const bySpelling = new Map<string, number[]>();
  for (let i = 0; i < alike.length; i++) {
    deadline.step();
    const texts = docs.texts(alike[i]!);
    const spelling = texts.join('\0');
    let group = bySpelling.get(spelling);
    if (group === undefined) {
      // Nearly all copies are spelt alike: the first spelling is folded only when there is another one.
      if (bySpelling.size === 1) {
        const [first] = bySpelling;
        byText.set(foldedText(first![0].split('\0')), first![1]);
      }
      const folded = bySpelling.size === 0 ? null : foldedText(texts);
      group = folded === null ? [] : (byText.get(folded) ?? []);
      if (folded !== null) byText.set(folded, group);
      bySpelling.set(spelling, group);
    }
    group.push(alike[i]!);
  }
  return [...new Set(bySpelling.values())].filter(({ length }) => length > 1);
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
  const created = Array.from(group, (doc) => docs.created(doc));
  const first = created.reduce((least, one) => Math.min(least, one));
  const last = created.reduce((most, one) => Math.max(most, one));
  const ids = Array.from(group, (doc, i) => (created[i] === first ? docs.id(doc) : null)).filter(
    (id) => id !== null,
  );
  const communities = new Set(Array.from(group, (doc) => docs.community(doc))).size;
  return {
    name: [...foldedText(docs.texts(group[0]!))].slice(0, COPY_NAME_CHARACTERS).join(''),
    count: group.length,
    copies: { id: ids.sort(compareIds)[0]!, first, last, communities },
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
  for (const doc of group) {
    const sentiment = docs.sentiment(doc);
    if (sentiment === null) continue;
    sum += ratingUnits(sentiment);
    rated++;
  }
  return { sum, rated };
}
