// Which record somebody means: an id with or without its prefix, a permalink, or a link in one of the site's
// usual shapes.

import { quoted } from '../text/quoted.ts';
import type { RecordName } from './query.ts';
import { KINDS, type Kind } from './record.ts';
import { MAX_LINK_UNITS, PREFIX_OF, readPermalink } from './record-link.ts';

/** The id, without prefix; or what was expected and what was found, as the end of a message. */
export type RecordIdReading = { readonly id: string } | { readonly problem: string };

/** How much of a text a message shows; most links are no longer than this. */
const MAX_SHOWN = 120;

/** `t5_` is the prefix of a community; any other beginning is part of the id. */
const ID = /^(t[135]_)?([\w-]{1,64})$/i;

/**
 * The record that a text names. `of`: the kind that its prefix or link says; null if neither says one. null: it is no
 * id and no link to a record. `base` comes before relative permalinks in answers; it has no final slash.
 */
export function readRecordName(text: string, base: string): RecordName | null {
  if (text.length > MAX_LINK_UNITS) return null;
  const path = base !== '' && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const link = readPermalink(path);
  const linkedKind = link === null ? null : link.comment === null ? 'post' : 'comment';
  const [, prefix, id] = ID.exec(link === null ? text : (link.comment ?? link.post)) ?? [];
  if (id === undefined) return null;
  const of = prefix === undefined ? linkedKind : kindOf(prefix);
  if (of === undefined || (linkedKind !== null && of !== linkedKind)) return null;
  return { id, of };
}

/** The id of a record of this kind; `base` as above. */
export function readRecordId(kind: Kind, text: string, base: string): RecordIdReading {
  const expected = `expected the id or permalink of a ${kind}, found `;
  const found = quoted(text, MAX_SHOWN);
  const name = readRecordName(text, base);
  if (name === null) return { problem: expected + found };
  const { id, of } = name;
  return of === null || of === kind ? { id } : { problem: `${expected}that of a ${of}: ${found}` };
}

/** undefined: the prefix is that of a community. */
function kindOf(prefix: string): Kind | undefined {
  return KINDS.find((kind) => PREFIX_OF[kind] === prefix.toLowerCase());
}
