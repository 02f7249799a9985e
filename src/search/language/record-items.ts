// `post:` and `id:`: records by their id, or by a link to them.

import type { RecordName } from '../../model/query.ts';
import { KINDS } from '../../model/record.ts';
import { ID_PREFIX, PREFIX_OF, type RecordLink, readRecordLink } from '../../model/record-link.ts';
import { quoted } from '../../text/quoted.ts';
import { faulty, type SyntaxItem, understood, type Written } from './syntax-tree.ts';

/** The id of a post, with or without `t3_`; or a link to the post or to one of its comments. */
export function readPost(value: string, negated: boolean, item: Written): SyntaxItem {
  const name = readName(readRecordLink(value)?.post ?? value);
  if (name !== null && name.of !== 'comment') return understood(item, { kind: 'post', id: name.id, negated });
  const advice =
    name === null ? communityAdvice(value) : `; for a comment write \`id:${PREFIX_OF.comment}${name.id}\``;
  return faulty(
    item,
    'bad_post',
    'the id of a post after `post:`, as in `post:abc123`, or a link to the post',
    { found: quoted(item.text) + advice },
  );
}

/** The id of a record, with or without the prefix of its kind; or a link to the record. */
export function readId(value: string, negated: boolean, item: Written): SyntaxItem {
  const link = readRecordLink(value);
  const name = link === null ? readName(value) : linkedRecord(link);
  if (name !== null) return understood(item, { kind: 'id', record: name, negated });
  return faulty(
    item,
    'bad_id',
    'the id of a post or a comment after `id:`, as in `id:t3_abc123` or `id:t1_def456`, or a link to it',
    { found: quoted(item.text) + communityAdvice(value) },
  );
}

function communityAdvice(value: string): string {
  return value.startsWith('t5_') ? '; `t5_` begins the id of a community: write `/r/` and its name' : '';
}

const NAMED_RECORD = /^(t[135]_)?([\w-]{1,64})$/;

/** An id has 1 to 64 letters, digits, `_`, `-`. null also for the id of a community, `t5_…`. */
function readName(text: string): RecordName | null {
  const parts = NAMED_RECORD.exec(text);
  if (parts === null || ID_PREFIX.test(text) !== (parts[1] !== undefined)) return null;
  const [, prefix, id] = parts;
  if (prefix === undefined) return { id: id!, of: null };
  const of = KINDS.find((kind) => PREFIX_OF[kind] === prefix);
  return of === undefined ? null : { id: id!, of };
}

/** The ids of a link may have prefixes too. */
function linkedRecord({ post, comment }: RecordLink): RecordName | null {
  const of = comment === null ? 'post' : 'comment';
  const name = readName(comment ?? post);
  return name === null || (name.of !== null && name.of !== of) ? null : { id: name.id, of };
}
