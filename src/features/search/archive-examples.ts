// Example queries made from an archive's content, one per form of the language: words of its largest community, its
// domains, its years.

import type { Examples, FormName } from '../../http/views/search-form.ts';
import type { TimelineBucket } from '../../model/engine.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import { rowItem, writeQuery } from '../../search/edit-query.ts';
import { tokens } from '../../text/tokenizer.ts';

export const NO_EXAMPLES: Examples = { kind: 'post', queries: {} };

export interface ExampleSource {
  readonly kind: Kind;
  readonly community: string;
  /** Highest score first. */
  readonly records: readonly StoredRecord[];
  /** Of the whole archive, commonest first. */
  readonly domains: readonly string[];
  /** Of the whole archive, ascending; not empty. */
  readonly years: readonly TimelineBucket[];
}

/** Each would find something in records like these; forms without suitable words are left out. */
export function examplesOf(source: ExampleSource): Examples {
  const { kind, records, years } = source;
  const texts = records.map((record) => tokens(textOf(record)));
  const told = texts.map((text) => text.filter(isTelling));
  const [word, other, ...others] = commonest(told);
  const left = [other, ...others].find((one) =>
    told.some((text) => text.includes(word ?? '') && !text.includes(one ?? '')),
  );
  const [phrase] = commonest(texts.map(pairs));
  const community = itemText('community', source.community);
  const site = firstSite(source.domains);
  const score = roundedDown(records[0]?.score ?? 0);
  const busiest = years.reduce((most, year) => (year.count > most.count ? year : most));
  const last = years.findLast((year) => year.count > 0) ?? busiest;
  const queries: Record<FormName, string | null> = {
    word: word ?? null,
    without: word && left ? `${word} -${left}` : null,
    phrase: phrase === undefined ? null : `"${phrase}"`,
    prefix: word && word.length > 4 ? `${word.slice(0, Math.max(4, word.length - 3))}*` : null,
    anyOf: word && other ? `${word}|${other}` : null,
    community,
    notCommunity: community === null ? null : `-${community}`,
    site,
    notSite: site === null ? null : `-${site}`,
    score: score === null ? null : `score:${score}`,
    after: `after:${readableDay(last.start)}`,
    year: `after:${readableDay(busiest.start)} before:${readableDay(nextBucket('year', busiest.start))}`,
    post: kind === 'post' && records[0] !== undefined ? `post:${records[0].id}` : null,
    several: community !== null && word ? `${word} ${community}` : null,
  };
  return { kind, queries: present(queries) };
}

export function thatFind({ kind, queries }: Examples, counts: ReadonlyMap<string, number>): Examples {
  const found = Object.entries(queries).filter(([, query]) => (counts.get(query) ?? 0) > 0);
  return { kind, queries: Object.fromEntries(found) };
}

function present(queries: Readonly<Record<FormName, string | null>>): Examples['queries'] {
  return Object.fromEntries(Object.entries(queries).filter(([, query]) => query !== null));
}

/** Titles of posts, since they say what a post is about. */
function textOf(record: StoredRecord): string {
  return record.kind === 'post' ? record.title : record.body.slice(0, 2_000);
}

/** Whether a word is meaningful alone: letters only, and no function word. */
function isTelling(token: string): boolean {
  return /^\p{L}[\p{L}\p{M}]{3,19}$/u.test(token) && !FUNCTION_WORDS.has(token);
}

function pairs(text: readonly string[]): string[] {
  return text.slice(1).flatMap((token, at) => {
    const before = text[at]!;
    return isTelling(before) && isTelling(token) && before !== token ? [`${before} ${token}`] : [];
  });
}

/** Words that at least two texts have: by the number of texts, then by code unit. */
function commonest(texts: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const one of new Set(text)) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([name]) => name);
}

function itemText(field: 'community' | 'domain', name: string): string | null {
  const item = rowItem(field, name);
  return item === null ? null : writeQuery([item]);
}

function firstSite(domains: readonly string[]): string | null {
  const outside = domains.find((name) => !name.toLowerCase().startsWith('self.')) ?? domains[0];
  return outside === undefined ? null : itemText('domain', outside);
}

/** The largest of 1, 10, 100 … that is at most the score; null below 1. */
function roundedDown(score: number): number | null {
  return score < 1 ? null : 10 ** Math.floor(Math.log10(score));
}

const WORDS = `about above actually after again against almost already also although always another any anyone anything
anyway around away back became because become been before began behind being believe below best better between both
came cannot come comes coming could dear deleted didn does doesn doing done dont down during each either else enough
even ever every everyone everything example feel felt find first followed following found from gave gets getting give
given gives goes going gonna good great guess guys happened hasn have haven having hello help hence here hers herself
himself hope however inside instead into isn itself just keep kind knew know known knows last later least left less
like liked likely little long look looked looking lots made make makes making many maybe mean means might mine more
most much must myself need needs never next nobody none nothing often once ones only other others ours over part people
perhaps please post posted posting probably quite rather really removed right said same saying says seem seems seen
several shall should show shows since some someone something sometimes somewhere soon started still stuff such sure
take taken takes taking tell than thank thanks that theirs them themselves then there therefore these they thing things
think this those though thought through thus till today together told took toward tried true trying turned under unless
until upon used using usually very want wanted wants wasn well went were weren what whatever when whenever where
whether which while whole whom whose will with within without wont work would wouldn year years yesterday your yours
yourself`;

const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));
