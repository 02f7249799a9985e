// Which record somebody means: an id with or without its prefix, a permalink, or a link in one of the site's
// usual shapes.

import { quoted } from '../text/quoted.ts';
import { KINDS, type Kind } from './record.ts';
import { MAX_LINK_UNITS, PREFIX_OF, readPermalink } from './record-link.ts';

/** The id, without prefix; or what was expected and what was found, as the end of a message. */
export type RecordIdReading = { readonly id: string } | { readonly problem: string };

/** How much of a text a message shows; most links are no longer than this. */
const MAX_SHOWN = 120;

/** `t5_` is the prefix of a community; any other beginning is part of the id. */
const ID = /^(t[135]_)?([\w-]{1,64})$/i;

/** `base` comes before relative permalinks in answers; it has no final slash. */
export function readRecordId(kind: Kind, text: string, base: string): RecordIdReading {
  const expected = `expected the id or permalink of a ${kind}, found `;
  const found = { problem: expected + quoted(text, MAX_SHOWN) };
  if (text.length > MAX_LINK_UNITS) return found;
  const path = base !== '' && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const link = readPermalink(path);
  const linkedKind = link === null ? undefined : link.comment === null ? 'post' : 'comment';
  const [, prefix, id] = ID.exec(link === null ? text : (link.comment ?? link.post)) ?? [];
  if (id === undefined) return found;
  const of = prefix === undefined ? (linkedKind ?? kind) : kindOf(prefix);
  if (of === undefined || of !== (linkedKind ?? of)) return found;
  return of === kind ? { id } : { problem: `${expected}that of a ${of}: ${quoted(text, MAX_SHOWN)}` };
}

/** undefined: the prefix is that of a community. */
function kindOf(prefix: string): Kind | undefined {
  return KINDS.find((kind) => PREFIX_OF[kind] === prefix.toLowerCase());
}
