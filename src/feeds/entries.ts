// What came in, as entries: a record each, and one for all older records of an import. Contract 21.4 and 21.5.

import type { NewRecord, OlderRecords } from '../model/news-page.ts';
import type { Kind, StoredRecord } from '../model/record.ts';
import { readableDay } from '../model/time.ts';
import { entryText, entryTitle } from './clean-text.ts';
import type { FeedEntry } from './feed.ts';

/** What entries are named by. */
export interface EntryPlace {
  /** Host in the ids, as `tagHost` gives it. */
  readonly host: string;
  /** Stands before a permalink that is stored without a host. */
  readonly permalinkBase: string;
}

/** The year from which on ids name the host (RFC 4151, 2.1): the same for ever. */
const YEAR = 2026;

/** Words of a comment in its title. */
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

/** Up to the last space, if there is one in the second half. */
function firstWords(text: string): string {
  const space = text.lastIndexOf(' ');
  return `${space < text.length / 2 ? text : text.slice(0, space)}…`;
}

/** Of a post that links elsewhere, its URL comes first. */
function textOf(record: StoredRecord): string {
  if (record.kind === 'comment') return record.body;
  return [record.url ?? '', record.selftext].filter((part) => part !== '').join('\n\n');
}

/** As a URL that is valid whatever the source gave. */
function linkOf({ permalink }: StoredRecord, base: string): string {
  const absolute = permalink.startsWith('/') ? base + permalink : permalink;
  const url = URL.parse(absolute);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : base;
}

/** An import, by the arrivals that it made of one kind. */
export interface ImportArrivals {
  /** As the log of imports counts. */
  readonly number: number;
  /** Of its source; null: not known. */
  readonly name: string | null;
  /** `from <= arrival <= to`. */
  readonly from: number;
  readonly to: number;
}

/** Older records that one entry tells of. */
export interface OlderGroup {
  /** The same for ever, within its feed. */
  readonly name: string;
  /** Of the source; null: not known. */
  readonly source: string | null;
  /** The greatest and the least arrival, and the time of the greatest. */
  readonly arrival: number;
  readonly least: number;
  readonly time: number;
  readonly count: number;
}

/**
 * Of an import that the log knows by its arrivals, together; of others, those that came in on one day. By arrival
 * down.
 */
export function groupOlder(
  older: readonly OlderRecords[],
  imports: readonly ImportArrivals[],
): readonly OlderGroup[] {
  const groups = new Map<string, OlderGroup>();
  for (const { arrival, time, count } of older.toSorted((a, b) => b.arrival - a.arrival)) {
    const known = imports.find(({ from, to }) => from <= arrival && arrival <= to);
    const name = known === undefined ? `arrived:${readableDay(time)}` : `import:${known.number}`;
    const group = groups.get(name) ?? {
      name,
      source: known?.name ?? null,
      arrival,
      least: arrival,
      time,
      count: 0,
    };
    groups.set(name, { ...group, least: arrival, count: group.count + count });
  }
  return [...groups.values()];
}

/** `link`: of the search, with what came in since then. */
export function olderEntry(
  { name, source, time, count }: OlderGroup,
  kind: Kind,
  { id, link }: Pick<FeedEntry, 'id' | 'link'>,
): FeedEntry {
  const what = count === 1 ? `1 older ${kind}` : `${NUMBER.format(count)} older ${kind}s`;
  const from = source === null ? '' : `: ${entryTitle(source)}`;
  return {
    id: `${id}:${name}`,
    title: `${what} came in${from}`,
    link,
    text: `${what} that this search finds came in together. They were written more than 30 days before.`,
    published: null,
    updated: time,
    tags: [],
  };
}

const NUMBER = new Intl.NumberFormat('en-US');
