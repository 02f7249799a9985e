// Makes citations from queries, and checks them against the current index. A check compares month by month: cited + in
// − out = now. It also counts the new matches of each import.

import { basename } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { ArrivalSpan, ArrivedImport } from '../../model/coverage.ts';
import type { OneOfMany } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { Query } from '../../model/query.ts';
import { KIND_NAMES, KINDS, type Kind, type KindName } from '../../model/record.ts';
import { unixNow } from '../../model/time.ts';
import type { Archive } from '../../operation/operation.ts';
import { tellingLimits, withinBudget } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { quoted } from '../../text/quoted.ts';
import { TOKENIZER_VERSION } from '../../text/tokenizer.ts';
import { CITATION_ID, citationId, citedKind, fingerprintOf, kindsOf, mapKinds, monthOf } from './claim.ts';
import {
  type ByKind,
  type Citation,
  type CitedAnswer,
  type CitedKind,
  type CitedMonth,
  type CitedSource,
  citationsOf,
  type KeptCitation,
  MAX_NOTE,
} from './store.ts';

interface CiteWish {
  readonly query: string;
  readonly kinds: readonly Kind[];
  /** null or empty: no note. */
  readonly note: string | null;
  readonly account?: number;
}

export interface Check {
  readonly isSame: boolean;
  readonly kinds: ByKind<CheckedKind>;
  /** When those since began, undone ones included; none if the index is unchanged or not the one of the citation. */
  readonly removals: readonly number[];
}

export interface CheckedKind {
  readonly cited: number;
  readonly now: number;
  readonly months: readonly MonthDifference[];
  /** Current matches that arrived since, by import; null if the index cannot count them. */
  readonly cameIn: ReturnType<typeof cameInOf> | null;
}

const MONTHS = { step: 'month', measure: 'fingerprint' } as const;

/**
 * Runs the query and stores the citation. Throws a ServiceError if the query or note is invalid, or the engine
 * refuses the query.
 */
export async function cite(archive: Archive, wish: CiteWish, signal?: AbortSignal) {
  const { engine, catalogue, version } = archive;
  const note = readNote(wish.note);
  const { query, echo, dropped } = interpretWithoutWindow(wish.query);
  // Read before the query runs, since the answer may already lack records of later removals.
  const place = { engine: engineName(archive), removal: settledRemoval(archive) };
  const time = unixNow();
  await engine.refresh();
  // The sample data disappears with the first import.
  if (place.engine === 'sample' || (await engine.isEmpty()))
    throw new ServiceError('forbidden', 'expected records to cite, found that nothing has been imported yet');
  const found: { [Name in KindName]?: Awaited<ReturnType<typeof asked>> } = {};
  for (const kind of KINDS.filter((one) => wish.kinds.includes(one)))
    found[KIND_NAMES[kind]] = await asked(archive, kind, { text: echo, query }, null, signal);
  const answer: CitedAnswer = { query: echo, kinds: mapKinds(found, ({ now }) => now) };
  const index = mapKinds(found, ({ answers }) => answers.index);
  const arrivals = mapKinds(found, ({ answers }) => answers.arrival);
  const { unicode = '' } = process.versions;
  const software = { colloquy: version, tokenizer: TOKENIZER_VERSION, unicode };
  const origin = { time, note, index, software, sources: importedSources(archive) };
  const made = { id: citationId(answer), answer, origin, place: { ...place, arrivals } };
  return { citation: citationsOf(catalogue).keep(made, wish.account), dropped };
}

/** Throws `not_found`. */
export function citationOf({ catalogue }: Archive, id: string): KeptCitation {
  const found = CITATION_ID.test(id) ? citationsOf(catalogue).get(id) : null;
  if (found !== null) return found;
  throw new ServiceError('not_found', `expected the id of a citation, found ${quoted(id)}`);
}

/**
 * Checks whether the citation still holds; if it was made with this index, also explains the changes. Of one made
 * elsewhere, only current counts are known, not what changed them.
 */
export async function check(
  archive: Archive,
  citation: KeptCitation | Pick<Citation, 'answer'>,
  signal?: AbortSignal,
): Promise<Check> {
  const { query, kinds: cited } = citation.answer;
  await archive.engine.refresh();
  const kept = 'place' in citation ? citation : null;
  if (kept !== null && (await isUntouched(archive, kept))) {
    const all = mapKinds(cited, ({ total }) => ({ cited: total, now: total, months: [], cameIn: [] }));
    return { isSame: true, kinds: all, removals: [] };
  }
  const here = kept?.place.engine === engineName(archive) ? hereSince(archive, kept) : null;
  const kinds: { [Name in KindName]?: CheckedKind } = {};
  for (const [name, then] of kindsOf(cited)) {
    kinds[name] = await checked(archive, name, then, query, here, signal);
  }
  const isSame = kindsOf<CheckedKind>(kinds).every(([, { months }]) => months.length === 0);
  return { isSame, kinds, removals: here?.begun ?? [] };
}

/** Names the current index; arrival numbers of different indexes are not comparable. */
function engineName(archive: Archive): string {
  return archive.isSample() ? 'sample' : archive.config.engine;
}

/** Whether the index has the same records as when it was cited, so that the answer must be the same. */
async function isUntouched({ engine, config }: Archive, { answer, origin }: KeptCitation): Promise<boolean> {
  const prints = await withinBudget(config.queryTimeoutMs, () => engine.fingerprints());
  return kindsOf(answer.kinds).every(([name]) => {
    const [now, then] = [prints[kindNamed(name)], origin.index[name]];
    if (now instanceof IndexDamage) throw now;
    return now.fingerprint === then?.fingerprint && now.records === then.records;
  });
}

async function checked(
  archive: Archive,
  name: KindName,
  then: CitedKind,
  text: string,
  here: Here | null,
  signal?: AbortSignal,
): Promise<CheckedKind> {
  const { query } = interpretWithoutWindow(text);
  const kind = kindNamed(name);
  const since = here?.arrivals[name] ?? null;
  const groups = since === null ? [] : groupsSince(archive.catalogue.importsSince(kind, since), since);
  const bounds = boundsOf(groups);
  const later = since === null ? null : { since, bounds };
  const { now, answers } = await asked(archive, kind, { text, query }, later, signal);
  const [, cameIn, ...behind] = answers.answers;
  const isToldOf = since !== null && cameIn !== undefined && answers.arrival >= since;
  const known = isToldOf
    ? {
        in: citedKind(cameIn.timeline!),
        ...{ removed: here!.removed[kind], broughtBack: here!.broughtBack[kind] },
      }
    : null;
  const months = differenceOf(then, now, known);
  const totals = new Map(bounds.map((bound, i) => [bound, behind[i]?.total ?? 0]));
  const counts = countsOf(groups, totals);
  const told = known && cameInOf(known, groups, counts);
  return { cited: then.total, now: now.total, months, cameIn: told };
}

/**
 * Current matches by month; with `later`, also those that arrived after `since`, and the totals after each bound,
 * unless the engine cannot count arrivals.
 */
async function asked(
  archive: Archive,
  kind: Kind,
  of: { readonly text: string; readonly query: Query },
  later: { readonly since: number; readonly bounds: readonly number[] } | null,
  signal?: AbortSignal,
) {
  const { engine, config } = archive;
  const { text, query } = of;
  const timed: OneOfMany = { kind, query, timeline: MONTHS };
  const arrived = later && [
    { ...timed, since: later.since },
    ...later.bounds.map((bound) => ({ kind, query, since: bound })),
  ];
  const limits = { timeoutMs: config.queryTimeoutMs };
  try {
    const ask = () => engine.askAll([timed, ...(arrived ?? [])], limits, signal);
    const answers = await tellingLimits(text, ask);
    return { now: citedKind(answers.answers[0]!.timeline!), answers };
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'not_on_this_engine';
    if (later === null || !isRefused) throw error;
    return await asked(archive, kind, of, null, signal);
  }
}

function settledRemoval({ catalogue }: Archive): number {
  let last = 0;
  for (const { id, state } of catalogue.removals.all()) {
    if (state !== 'done' && state !== 'undone') break;
    last = id;
  }
  return last;
}

/** Known only of a citation that was made with this index. `begun`: of all removals since. */
type Here = ReturnType<typeof hereSince>;

function hereSince({ catalogue: { removals } }: Archive, { origin: { time }, place }: KeptCitation) {
  const all = removals.all().filter(({ state }) => state !== 'listing');
  const since = new Map(all.filter(({ id }) => id > place.removal).map(({ id, begun }) => [id, begun]));
  const undone = new Set(all.filter((one) => one.undone !== null && one.undone >= time).map(({ id }) => id));
  const removed = { post: new Map<string, number>(), comment: new Map<string, number>() };
  const broughtBack = { post: new Map<string, number>(), comment: new Map<string, number>() };
  for (const { removal: id, kind, month, hidden, back } of removals.months()) {
    if (since.has(id)) add(removed[kind], monthOf(month), hidden);
    if (undone.has(id)) add(broughtBack[kind], monthOf(month), back);
  }
  return { arrivals: place.arrivals, removed, broughtBack, begun: [...since.values()] };
}

function importedSources({ catalogue }: Archive): readonly CitedSource[] {
  const all = catalogue
    .listImports()
    .filter(({ finished, kind }) => finished !== null && kind !== 'communities')
    .map(({ file, name, sha256, where }) => ({ name: name ?? basename(file), sha256, where }));
  return [...new Map(all.map((source) => [JSON.stringify(source), source])).values()];
}

function add(months: Map<string, number>, month: string, count: number): void {
  if (count > 0) months.set(month, (months.get(month) ?? 0) + count);
}

/** By import, ascending by arrival; matches of no known import come last. */
function cameInOf({ in: { months } }: Since, groups: readonly ImportGroup[], counts: readonly number[]) {
  const told = groups.map(({ sources }, i) => ({ sources, count: counts[i]! }));
  const all = months.reduce((sum, { count }) => sum + count, 0);
  const rest = all - counts.reduce((sum, count) => sum + count, 0);
  return [...told, { sources: [], count: rest }].filter(({ count }) => count > 0);
}

function kindNamed(name: KindName): Kind {
  return KINDS.find((kind) => KIND_NAMES[kind] === name)!;
}

/** Throws `bad_value`. */
function readNote(text: string | null): string | null {
  const note = text?.trim() ?? '';
  const length = [...note].length;
  if (length > MAX_NOTE) {
    throw new ServiceError('bad_value', `note: expected at most ${MAX_NOTE} characters, found ${length}`);
  }
  const control = /[\p{Cc}\p{Cs}]/u.exec(note.replace(/\s/g, ' '));
  if (control !== null) throw new ServiceError('bad_value', 'note: expected text, found a control character');
  return note === '' ? null : note.replace(/\s+/g, ' ');
}

/** Changes since the citation; absent months have none. */
interface Since {
  /** Current matches that arrived since: new records, and newer copies with a different text. */
  readonly in: Pick<CitedKind, 'months'>;
  /** By month: records hidden by removals that began since, whether or not they match the query. */
  readonly removed: ReadonlyMap<string, number>;
  /** By month: records that removals had hidden at the time and that were restored since. */
  readonly broughtBack: ReadonlyMap<string, number>;
}

export type MonthDifference = ReturnType<typeof differenceOf>[number];
export type MonthSince = ReturnType<typeof monthSince>;

type Part = Omit<CitedMonth, 'month'>;

const NOTHING: Part = { count: 0, fingerprint: '0'.repeat(16) };

/** The months that differ, ascending. `since`: null if the index cannot count arrivals since the citation. */
export function differenceOf(then: CitedKind, now: CitedKind, since: Since | null) {
  const [before, after, came] = [byMonth(then), byMonth(now), byMonth(since?.in ?? { months: [] })];
  const all = [...new Set([...before.keys(), ...after.keys(), ...came.keys()])].sort();
  return all.flatMap((month) => {
    const [was = NOTHING, is = NOTHING, more = NOTHING] = [before, after, came].map((parts) =>
      parts.get(month),
    );
    if (was.count === is.count && was.fingerprint === is.fingerprint) return [];
    const told = since && monthSince(since, month, was, is, more);
    return [{ month, cited: was.count, now: is.count, since: told }];
  });
}

/**
 * `out`: `cited` + `in` − `now`: cited matches that are gone or changed, minus records that match again because of a
 * new score or an undo; may be negative. `removed`: upper bound of the part of `out` due to removals; the others have a
 * new text or no longer match. `broughtBack`: upper bound of the records of the month that an undo restored.
 * `isInAlone`: fingerprints prove that the only change is new records.
 */
function monthSince({ removed, broughtBack }: Since, month: string, was: Part, is: Part, more: Part) {
  const out = was.count + more.count - is.count;
  return {
    ...{ in: more.count, out },
    removed: Math.min(Math.max(0, out), removed.get(month) ?? 0),
    broughtBack: broughtBack.get(month) ?? 0,
    isInAlone: out === 0 && fingerprintOf({ months: [was, more] }) === is.fingerprint,
  };
}

function byMonth({ months }: Pick<CitedKind, 'months'>): ReadonlyMap<string, Part> {
  return new Map(months.map(({ month, ...part }) => [month, part]));
}

interface ImportGroup extends ArrivalSpan {
  readonly sources: readonly string[];
}

/** Maximum number of groups; the oldest are merged. */
export const MAX_GROUPS = 32;

/** Merges imports with overlapping arrivals after `since` into disjoint groups, ascending. */
export function groupsSince(imports: readonly ArrivedImport[], since: number): readonly ImportGroup[] {
  const later = imports
    .filter(({ last }) => last > since)
    .map(({ first, last, source }): ImportGroup => {
      return { first: Math.max(first, since + 1), last, sources: [source] };
    });
  const groups: ImportGroup[] = [];
  for (const one of later.sort((a, b) => a.first - b.first)) {
    const before = groups.at(-1);
    if (before === undefined || one.first > before.last) groups.push(one);
    else groups[groups.length - 1] = joined(before, one);
  }
  const spare = groups.length - MAX_GROUPS;
  if (spare <= 0) return groups;
  return [groups.slice(0, spare + 1).reduce(joined), ...groups.slice(spare + 1)];
}

function joined(a: ImportGroup, b: ImportGroup): ImportGroup {
  return {
    ...{ first: a.first, last: Math.max(a.last, b.last) },
    sources: [...new Set([...a.sources, ...b.sources])],
  };
}

/** Arrival numbers after which matches must be counted for `countsOf`. */
export function boundsOf(groups: readonly ImportGroup[]): readonly number[] {
  return [...new Set(groups.flatMap(({ first, last }) => [first - 1, last]))];
}

/** Number of matches from each group. `behind`: the matches after each bound. */
export function countsOf(
  groups: readonly ImportGroup[],
  behind: ReadonlyMap<number, number>,
): readonly number[] {
  return groups.map(({ first, last }) => behind.get(first - 1)! - behind.get(last)!);
}
