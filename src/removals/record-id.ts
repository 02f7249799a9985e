// Which record people mean: an id with or without its prefix, a permalink, a link in one of the site's usual shapes.

import type { Kind } from '../model/record.ts';
import { quoted } from '../text/quoted.ts';

/** The id, without prefix; or what was expected and found instead, as the end of a message. */
export type RecordIdReading = { readonly id: string } | { readonly problem: string };

/** Of a text in a message: most links are no longer. */
const MAX_SHOWN = 120;

/** A longer text is no link. */
const MAX_UNITS = 4096;

/** `t5_` is that of a community; any other beginning is a part of the id. */
const ID = /^(?:(?<prefix>t[135])_)?(?<id>[\w-]{1,64})$/i;

// `comments/POST`, `comments/POST/slug/COMMENT`, both behind a community, a user or nothing. Any host will do behind
// `https://`, since operators set their own; without a scheme only the site's. Each is read in one pass: no part can
// match in two ways.
const HOST = String.raw`(?:https?:\/\/[^/?#\s]+|(?:[a-z0-9-]+\.)*reddit\.com)`;
const PLACE = String.raw`(?:\/(?:r|u|user)\/[^/?#\s]+)?`;
const THREAD = String.raw`\/(?:comments|gallery)\/(?:t3_)?(?<post>[\w-]{1,64})(?:\/[^/?#]*(?:\/(?:(?:t1_)?(?<comment>[\w-]{1,64}))?\/?)?)?`;
const END = '(?:[?#].*)?$';
const LINKS = [
  new RegExp(`^${HOST}${PLACE}${THREAD}${END}`, 'i'),
  new RegExp(`^${PLACE}${THREAD}${END}`, 'i'),
  new RegExp(String.raw`^(?:r|u|user)\/[^/?#\s]+${THREAD}${END}`, 'i'),
  new RegExp(String.raw`^(?:https?:\/\/)?(?:www\.)?redd\.it\/(?:t3_)?(?<post>[\w-]{1,64})\/?${END}`, 'i'),
];

const PREFIXES: Readonly<Record<Kind, string>> = { post: 't3', comment: 't1' };

/** `base`: what stands before relative permalinks in the answers, without a slash at its end. */
export function readRecordId(kind: Kind, text: string, base: string): RecordIdReading {
  const expected = `expected the id or permalink of a ${kind}, found `;
  const found = { problem: expected + quoted(text, MAX_SHOWN) };
  if (text.length > MAX_UNITS) return found;
  const id = ID.exec(text)?.groups;
  if (id !== undefined) {
    if (id.prefix === undefined || id.prefix.toLowerCase() === PREFIXES[kind]) return { id: id.id! };
    const other = Object.entries(PREFIXES).find(([, prefix]) => prefix === id.prefix!.toLowerCase())?.[0];
    return other === undefined
      ? found
      : { problem: `${expected}that of a ${other}: ${quoted(text, MAX_SHOWN)}` };
  }
  const path = base !== '' && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const link = LINKS.map((shape) => shape.exec(path)?.groups).find((groups) => groups !== undefined);
  if (link === undefined) return found;
  const isComment = link.comment !== undefined;
  if (isComment !== (kind === 'comment')) {
    return { problem: `${expected}that of a ${isComment ? 'comment' : 'post'}: ${quoted(text, MAX_SHOWN)}` };
  }
  return { id: (isComment ? link.comment : link.post)! };
}
