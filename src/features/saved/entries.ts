// The entries of a feed: one for each new record, and one for all older records of an import. Contract 21.4 and 21.5.

import type { ArrivedImport } from '../../model/catalogue.ts';
import type { NewRecord, OlderRecords } from '../../model/pages.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { entryText, entryTitle, type FeedEntry } from './feed.ts';

/** The parts of entry ids. */
export interface EntryPlace {
  /** Host in the ids, as `tagHost` gives it. */
  readonly host: string;
  readonly permalinkBase: string;
}

/** The date in tag URIs (RFC 4151, 2.1). It must never change. */
const YEAR = 2026;

const TITLE_CHARACTERS = 80;

export function tagOf(host: string, specific: string): string {
  return `tag:${host},${YEAR}:${specific}`;
}

export function recordEntry({ record, time }: NewRecord, place: EntryPlace): FeedEntry {
  const { kind, id, community, created } = record;
  return {
    id: tagOf(place.host, `${kind}:${id}`),
    title: titleOf(record),
    link: linkOf(record, place.permalinkBase),
    text: entryText(textOf(record)),
    published: created,
    updated: time,
    tags: [`r/${community}`],
  };
}

function titleOf(record: StoredRecord): string {
  if (record.kind === 'post') return entryTitle(record.title) || `A post in /r/${record.community}`;
  const words = entryTitle(record.body);
  const begin = Array.from(words).slice(0, TITLE_CHARACTERS + 1);
  return `/r/${record.community}: ${begin.length <= TITLE_CHARACTERS ? words : firstWords(begin.slice(0, -1).join(''))}`;
}

/** Cuts at the last space if that is in the second half. */
function firstWords(text: string): string {
  const space = text.lastIndexOf(' ');
  return `${space < text.length / 2 ? text : text.slice(0, space)}…`;
}

/** The text of a link post begins with its URL. */
function textOf(record: StoredRecord): string {
  if (record.kind === 'comment') return record.body;
  return [record.url ?? '', record.selftext].filter((part) => part !== '').join('\n\n');
}

/** Always a valid URL, even if the source's is not. */
function linkOf({ permalink }: StoredRecord, base: string): string {
  const absolute = permalink.startsWith('/') ? base + permalink : permalink;
  const url = URL.parse(absolute);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : base;
}

export interface OlderGroup {
  /** Permanent, and unique within its feed. */
  readonly name: string;
  /** Names of the imported sources, the first import first; empty: unknown. */
  readonly sources: readonly string[];
  /** The greatest arrival; `least` is the least, and `time` the time of the greatest. */
  readonly arrival: number;
  readonly least: number;
  /** The lowest arrival that a record of this group can have, in this feed or not. */
  readonly first: number;
  readonly time: number;
  readonly count: number;
}

/**
 * Groups older records by import, or by day if the import is unknown; by arrival, descending. Imports that share an
 * arrival form one group, named after the first.
 */
export function groupOlder(
  older: readonly OlderRecords[],
  imports: readonly ArrivedImport[],
): readonly OlderGroup[] {
  const groups = new Map<string, OlderGroup>();
  for (const { arrival, time, count } of older.toSorted((a, b) => b.arrival - a.arrival)) {
    const known = imports.filter(({ first, last }) => first <= arrival && arrival <= last);
    const name = known.length === 0 ? `arrived:${readableDay(time)}` : `import:${known[0]!.number}`;
    const first = known[0]?.first ?? 1;
    const group = groups.get(name) ?? { name, sources: [], arrival, least: arrival, first, time, count: 0 };
    const sources = [...new Set([...known.map(({ source }) => source), ...group.sources])];
    groups.set(name, { ...group, sources, least: arrival, count: group.count + count });
  }
  return [...groups.values()];
}

/** `link`: to the search, limited to records since then. */
export function olderEntry(
  { name, sources, time, count }: OlderGroup,
  kind: Kind,
  { id, link }: Pick<FeedEntry, 'id' | 'link'>,
): FeedEntry {
  const what = count === 1 ? `1 older ${kind}` : `${NUMBER.format(count)} older ${kind}s`;
  return {
    id: `${id}:${name}`,
    title: `${what} came in${sourceWords(sources)}`,
    link,
    text:
      count === 1
        ? `${what} matches this search. It was written more than 30 days before it came in.`
        : `${what} that match this search came in together. They were written more than 30 days before.`,
    published: null,
    updated: time,
    tags: [],
  };
}

function sourceWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  const more = others.length === 1 ? 'one other source' : `${NUMBER.format(others.length)} other sources`;
  return `: ${entryTitle(first)}${others.length === 0 ? '' : ` and ${more}`}`;
}

const NUMBER = new Intl.NumberFormat('en-US');
