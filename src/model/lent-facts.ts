// Facts that one copy of a record lends to another: each is that of the highest copy that knows it. Contract 5.5.
// A record remembers which of its facts were lent, and by which rank, so that a copy that comes later takes the
// place of a lender exactly where it would have come before it.

import { type CopyRank, FACTS, type Fact, type Lent, type StoredRecord } from './record.ts';

/** How two copies stand to each other, and what ranks `lower`; ties are of equal copies. */
export interface Standing {
  readonly isTie: boolean;
  /** What `lower` lends, as lent by itself. */
  lender(): CopyRank;
  /** Above 0 where `a` ranks above `b`. */
  compare(a: CopyRank, b: CopyRank): number;
}

/** `higher` with what it lacks and `lower` knows; itself where there is nothing. */
export function withFactsOf(higher: StoredRecord, lower: StoredRecord, standing: Standing): StoredRecord {
  const taken = FACTS.filter((fact) => isBetter(fact, higher, lower, standing));
  if (taken.length === 0) return higher;
  const lent = FACTS.flatMap((fact): Lent | readonly Lent[] => {
    const known = lentFact(taken.includes(fact) ? lower : higher, fact);
    if (known !== undefined) return known;
    return taken.includes(fact) && !standing.isTie ? { fact, ...standing.lender() } : [];
  });
  const facts = Object.fromEntries(taken.map((fact) => [fact, factOf(lower, fact)]));
  return { ...higher, ...facts, lent } as StoredRecord;
}

/** True where the fact is to be that of `lower`: it says more, or as much and comes from a higher copy. */
function isBetter(fact: Fact, higher: StoredRecord, lower: StoredRecord, standing: Standing): boolean {
  const byWorth = worthOf(lower, fact) - worthOf(higher, fact);
  if (byWorth !== 0) return byWorth > 0;
  const byRank = compareLenders(lentFact(higher, fact), lentFact(lower, fact), standing);
  // Equal copies may still spell the community of a made permalink in two ways.
  return byRank > 0 || (byRank === 0 && factOf(lower, fact) > factOf(higher, fact));
}

/** Above 0 where the fact of the lower copy comes from a higher one than that of the higher. Absent: its own. */
function compareLenders(higher: Lent | undefined, lower: Lent | undefined, standing: Standing): number {
  if (higher === undefined) return standing.isTie && lower === undefined ? 0 : -1;
  return standing.compare(lower ?? standing.lender(), higher);
}

/** The copy's own fact as far as it ranks it: empty if it was lent, or made for want of one. */
export function ownFact(record: StoredRecord, fact: Fact): string {
  if (lentFact(record, fact) !== undefined) return '';
  return fact === 'permalink' && permalinkWorth(record) < REAL ? '' : factOf(record, fact);
}

function lentFact({ lent }: StoredRecord, fact: Fact): Lent | undefined {
  return lent.find((one) => one.fact === fact);
}

function factOf(record: StoredRecord, fact: Fact): string {
  if (fact === 'permalink') return record.permalink;
  return record.kind === 'comment' ? record[fact] : '';
}

function worthOf(record: StoredRecord, fact: Fact): number {
  if (fact === 'permalink') return permalinkWorth(record);
  return factOf(record, fact) === '' ? 0 : 1;
}

/** As the normaliser makes them of the community, in any spelling, the post and the id (contract 6.5). */
const MADE = /^\/r\/[^/]+\/comments\/([^/]+)\/(?:_\/([^/]+)\/)?$/;

const WITHOUT_POST = 0;
const WITH_POST = 1;
const REAL = 2;

function permalinkWorth({ kind, id, permalink }: StoredRecord): number {
  const [, post, comment] = MADE.exec(permalink) ?? [];
  if (kind === 'post') return post === id && comment === undefined ? WITH_POST : REAL;
  if (comment !== id) return REAL;
  return post === '_' ? WITHOUT_POST : WITH_POST;
}
