// A feed as a value, and as Atom (RFC 4287, with pages by RFC 5005) or JSON Feed 1.1
// (https://www.jsonfeed.org/version/1.1/). Addresses are absolute, times are Unix seconds. Texts are plain: entities
// are decoded as on pages, characters that XML forbids or discourages are dropped, and long texts are cut.

import { counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { ArrivedImport } from '../../model/coverage.ts';
import type { NewRecord, OlderRecords } from '../../model/pages.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { isoTime, readableDay } from '../../model/time.ts';
import { decodeEntities } from '../../text/entities.ts';
import { oneLine } from '../../text/quoted.ts';

export interface Feed {
  /** Permanent: a tag URI. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly home: string;
  readonly self: string;
  /** Address of the next page (RFC 5005, 3); null: none. */
  readonly next: string | null;
  readonly updated: number;
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly text: string;
  /** null: only `updated` is known. */
  readonly published: number | null;
  readonly updated: number;
  readonly tags: readonly string[];
}

export const MAX_ENTRY_TEXT = 2_000;
const MAX_TITLE = 200;

/**
 * All but the characters of XML 1.0 (production 2), and the control characters that it discourages. Includes the
 * carriage return, which XML parsers turn into a line feed.
 */
const UNWANTED = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\ufdd0-\ufdef]/gu;

/** At most MAX_ENTRY_TEXT characters (code points); a cut text ends with `…`. */
export function entryText(text: string): string {
  // Written as an entity, a character has at most 10 units, or it is dropped.
  const begin = text.length > 12 * MAX_ENTRY_TEXT ? text.slice(0, 12 * MAX_ENTRY_TEXT) : text;
  const clean = cleanText(begin).trim();
  const characters = Array.from(clean);
  if (characters.length <= MAX_ENTRY_TEXT && begin.length === text.length) return clean;
  return `${characters.slice(0, MAX_ENTRY_TEXT - 1).join('')}…`;
}

/** One line, at most MAX_TITLE characters and `…`. */
export function entryTitle(text: string): string {
  return oneLine(cleanText(text.slice(0, 12 * MAX_TITLE)), MAX_TITLE);
}

/** Drops UNWANTED characters; lines end with a line feed. */
export function cleanText(text: string): string {
  return decodeEntities(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(UNWANTED, '');
}

/** All texts must be clean already. */
export function atomOf({ id, title, description, home, self, next, updated, entries }: Feed): string {
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id>
<title>${title}</title>
<subtitle>${description}</subtitle>
<updated>${isoTime(updated)}</updated>
<author><name>Colloquy</name></author>
<generator>Colloquy</generator>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${home}"/>
${next === null ? null : html`<link rel="next" type="application/atom+xml" href="${next}"/>\n`}${entries.map(entryElement)}</feed>
`.toString();
}

function entryElement({ id, title, link, text, published, updated, tags }: FeedEntry): Html {
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${link}"/>
${published === null ? null : html`<published>${isoTime(published)}</published>\n`}<updated>${isoTime(updated)}</updated>
${tags.map((tag) => html`<category term="${tag}"/>\n`)}<content type="text">${text}</content>
</entry>
`;
}

/** All texts must be clean already. */
export function jsonFeedOf(feed: Feed): string {
  const { title, description, home, self, next, entries } = feed;
  const document = {
    version: 'https://jsonfeed.org/version/1.1',
    ...{ title, home_page_url: home, feed_url: self, description },
    ...(next === null ? {} : { next_url: next }),
    authors: [{ name: 'Colloquy' }],
    items: entries.map(item),
  };
  return `${JSON.stringify(document)}\n`;
}

function item({ id, title, link, text, published, updated, tags }: FeedEntry) {
  return {
    ...{ id, url: link, title, content_text: text },
    date_published: isoTime(published ?? updated),
    date_modified: isoTime(updated),
    ...(tags.length === 0 ? {} : { tags }),
  };
}

// The entries of a feed: one for each new record, and one for all older records of an import. Contract 21.4 and 21.5.

interface EntryPlace {
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

function firstWords(text: string): string {
  const space = text.lastIndexOf(' ');
  return `${space < text.length / 2 ? text : text.slice(0, space)}…`;
}

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
  const what = counted(count, `older ${kind}`);
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
  const more = others.length === 1 ? 'one other source' : counted(others.length, 'other source');
  return `: ${entryTitle(first)}${others.length === 0 ? '' : ` and ${more}`}`;
}
