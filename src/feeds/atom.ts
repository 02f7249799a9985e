// A feed as Atom (RFC 4287), with its next page (RFC 5005). Texts are plain: `type="text"`.

import { isoTime } from '../model/time.ts';
import type { Feed, FeedEntry } from './feed.ts';

/** One document. Every text has been cleaned (clean-text.ts). */
export function atomOf(feed: Feed): string {
  const links = [
    link('self', 'application/atom+xml', feed.self),
    link('alternate', 'text/html', feed.home),
    ...(feed.next === null ? [] : [link('next', 'application/atom+xml', feed.next)]),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
${element('id', feed.id)}
${element('title', feed.title)}
${element('subtitle', feed.description)}
${element('updated', isoTime(feed.updated))}
<author><name>Colloquy</name></author>
<generator>Colloquy</generator>
${links.join('\n')}
${feed.entries.map(entryElement).join('')}</feed>
`;
}

function entryElement({ id, title, link: address, text, published, updated, tags }: FeedEntry): string {
  return `<entry>
${element('id', id)}
${element('title', title)}
${link('alternate', 'text/html', address)}
${published === null ? '' : `${element('published', isoTime(published))}\n`}${element('updated', isoTime(updated))}
${tags.map((tag) => `<category term="${escaped(tag)}"/>\n`).join('')}<content type="text">${escaped(text)}</content>
</entry>
`;
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

function link(relation: string, type: string, address: string): string {
  return `<link rel="${relation}" type="${type}" href="${escaped(address)}"/>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For the content of elements, and of attributes in double quotes. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}
