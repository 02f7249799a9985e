// What RFC 4287, RFC 4151, RFC 5005 and JSON Feed 1.1 ask of a document, and what the W3C's validator reports beyond
// that for such feeds (https://validator.w3.org/feed/docs/atom.html).

import assert from 'node:assert/strict';
import { childrenOf, type Element, parseXml } from './xml.ts';

const ATOM = 'http://www.w3.org/2005/Atom';
/** RFC 3339, in UTC. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** RFC 4151, with a host and a year. */
const TAG = /^tag:[a-z\d](?:[a-z\d.-]*[a-z\d])?,\d{4}:[\w.~!$&'()*+,;=:@/?%-]+$/;

/** An entry as either form tells it. */
export interface ReadEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly text: string;
  readonly published: string;
  readonly updated: string;
}

export interface ReadFeed {
  readonly title: string;
  readonly self: string;
  readonly home: string;
  readonly next: string | null;
  readonly entries: readonly ReadEntry[];
}

/** Throws where a rule is broken. */
export function readAtom(document: string): ReadFeed {
  const feed = parseXml(document);
  assert.deepEqual([feed.name, feed.attributes.xmlns], ['feed', ATOM]);
  const known = ['id', 'title', 'subtitle', 'updated', 'author', 'generator', 'link', 'entry'];
  expectNames(feed, known, ['id', 'title', 'subtitle', 'updated', 'author', 'generator']);
  // 4.1.1: an author of the feed, or one of each entry.
  const author = one(feed, 'author');
  assert.notEqual(textOf(author, 'name'), '');
  assert.match(textOf(feed, 'id'), TAG);
  assert.match(textOf(feed, 'updated'), TIME);
  const entries = childrenOf(feed, 'entry').map(readEntry);
  // The validator: ids of entries are different, and that of the feed is another.
  const ids = [textOf(feed, 'id'), ...entries.map(({ id }) => id)];
  assert.equal(new Set(ids).size, ids.length);
  for (const { updated } of entries)
    assert.ok(updated <= textOf(feed, 'updated'), 'the feed is as new as its entries');
  expectOrder(entries);
  const links = linksOf(feed);
  // 4.1.1: at most one alternate of a type; the validator: one that leads to the document itself.
  assert.equal(links.get('self')?.length, 1);
  assert.equal(links.get('alternate')?.length, 1);
  assert.ok((links.get('next')?.length ?? 0) <= 1);
  return {
    title: textOf(feed, 'title'),
    self: links.get('self')![0]!,
    home: links.get('alternate')![0]!,
    next: links.get('next')?.[0] ?? null,
    entries,
  };
}

function readEntry(entry: Element): ReadEntry {
  const known = ['id', 'title', 'updated', 'published', 'link', 'content', 'category'];
  expectNames(entry, known, ['id', 'title', 'updated', 'content']);
  const [id, title, updated] = [textOf(entry, 'id'), textOf(entry, 'title'), textOf(entry, 'updated')];
  assert.match(id, TAG);
  assert.match(updated, TIME);
  // The validator: a title should not be blank.
  assert.notEqual(title.trim(), '', id);
  const published = childrenOf(entry, 'published').map(({ text }) => text);
  assert.ok(published.length <= 1);
  for (const time of published) assert.match(time, TIME);
  const content = one(entry, 'content');
  // 4.1.3.3: with this type there are no elements inside.
  assert.deepEqual([content.attributes, content.children], [{ type: 'text' }, []]);
  const links = linksOf(entry);
  assert.deepEqual([...links.keys()], ['alternate']);
  assert.equal(links.get('alternate')!.length, 1);
  for (const { attributes } of childrenOf(entry, 'category')) assert.notEqual(attributes.term ?? '', '');
  return {
    id,
    title,
    updated,
    published: published[0] ?? updated,
    link: links.get('alternate')![0]!,
    text: content.text,
  };
}

/** Addresses by relation. */
function linksOf(element: Element): Map<string, string[]> {
  const links = new Map<string, string[]>();
  for (const { attributes } of childrenOf(element, 'link')) {
    const { rel = '', href = '', type = '' } = attributes;
    assert.match(type, /^[a-z]+\/[a-z+]+$/);
    expectAddress(href);
    links.set(rel, [...(links.get(rel) ?? []), href]);
  }
  return links;
}

export function readJsonFeed(document: string): ReadFeed {
  const feed = JSON.parse(document);
  assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
  const own = ['home_page_url', 'feed_url', 'next_url'];
  const known = ['version', 'title', 'description', 'authors', 'items', ...own];
  for (const name of Object.keys(feed)) assert.ok(known.includes(name), name);
  for (const name of ['title', 'description']) assert.equal(typeof feed[name], 'string');
  for (const name of own) if (name !== 'next_url' || name in feed) expectAddress(feed[name]);
  // "If next_url is the same as feed_url, … the reader must stop."
  assert.notEqual(feed.next_url, feed.feed_url);
  assert.ok(feed.authors.every(({ name }: { name: unknown }) => typeof name === 'string'));
  const entries = feed.items.map((item: Record<string, string>): ReadEntry => {
    const { tags: _, ...texts } = item;
    const fields = ['id', 'url', 'title', 'content_text', 'date_published', 'date_modified'];
    assert.deepEqual(Object.keys(texts), fields);
    for (const value of Object.values(texts)) assert.equal(typeof value, 'string');
    assert.match(item.id!, TAG);
    for (const time of [item.date_published!, item.date_modified!]) assert.match(time, TIME);
    expectAddress(item.url!);
    const { id, title, content_text: text, date_published: published, date_modified: updated } = item;
    return { id: id!, title: title!, link: item.url!, text: text!, published: published!, updated: updated! };
  });
  const ids = entries.map(({ id }: ReadEntry) => id);
  assert.equal(new Set(ids).size, ids.length);
  expectOrder(entries);
  const { title, feed_url: self, home_page_url: home, next_url: next = null } = feed;
  return { title, self, home, next, entries };
}

/** By arrival down. */
function expectOrder(entries: readonly ReadEntry[]): void {
  const times = entries.map(({ updated }) => updated);
  assert.deepEqual(times, times.toSorted().toReversed());
}

/** RFC 3986: absolute, and in ASCII. */
function expectAddress(address: string): void {
  assert.match(address, /^https?:\/\/[\x21-\x7e]+$/);
  assert.ok(URL.canParse(address), address);
  assert.doesNotMatch(address, /[<>"{}|\\^`]/);
}

function expectNames(element: Element, known: readonly string[], once: readonly string[]): void {
  const names = element.children.map(({ name }) => name);
  for (const name of names) assert.ok(known.includes(name), name);
  for (const name of once) assert.equal(names.filter((other) => other === name).length, 1, name);
}

function one(element: Element, name: string): Element {
  const [found, ...others] = childrenOf(element, name);
  assert.ok(found !== undefined && others.length === 0, name);
  return found;
}

function textOf(element: Element, name: string): string {
  return one(element, name).text;
}
