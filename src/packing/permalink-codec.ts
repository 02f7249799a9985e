// Permalinks are stored without the parts that the record contains anyway. Most have one of these shapes,
// with some capitals in the community:
//
//   /r/<Community>/comments/<id of the post>/<slug>/            posts
//   /r/<Community>/comments/<id of the post>/<slug>/<id>/       comments
//
//   u8 0, text                                        any other
//   u8 shape, varint capitals, text post, text slug   bit n of `capitals`: letter n of the name is a capital
//
// `shape` is a sum: 1 always, 2 with a slug, 4 with a post (left out if it is the post's own id, or the post
// that the comment belongs to).

import type { StoredRecord } from '../model/record.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

const VERBATIM = 0;
const SHAPED = 1;
const WITH_SLUG = 2;
const WITH_POST = 4;

/** Of the first byte, for who reads the bytes without making a text of them. */
export const PERMALINK = { verbatim: VERBATIM, withSlug: WITH_SLUG, withPost: WITH_POST } as const;

/** How many bits of a whole number a varint can take. */
const MAX_CAPITALS = 52;

export function writePermalink(writer: ByteWriter, record: StoredRecord): void {
  const { permalink, community, id } = record;
  const nameEnd = 3 + community.length;
  if (!permalink.startsWith('/r/') || !permalink.startsWith('/comments/', nameEnd)) {
    writeVerbatim(writer, permalink);
    return;
  }
  const capitals = capitalsOf(permalink.slice(3, nameEnd), community);
  const isPost = record.kind === 'post';
  const postStart = nameEnd + 10;
  const postEnd = permalink.indexOf('/', postStart);
  const post = permalink.slice(postStart, postEnd);
  const end = permalink.length - (isPost ? 1 : id.length + 2);
  const tail = isPost ? '/' : `/${id}/`;
  if (capitals < 0 || postEnd < 0 || (isPost && post !== id) || !permalink.endsWith(tail) || end < postEnd) {
    writeVerbatim(writer, permalink);
    return;
  }
  const isOtherPost = !isPost && post !== record.post;
  writer.byte(SHAPED | (end > postEnd ? WITH_SLUG : 0) | (isOtherPost ? WITH_POST : 0));
  writer.varint(capitals);
  if (isOtherPost) writer.text(post);
  if (end > postEnd) writer.text(permalink.slice(postEnd + 1, end));
}

/** What the record contains anyway: `post` is the post a comment belongs to, null for a post. */
interface PermalinkContext {
  readonly community: string;
  readonly post: string | null;
  readonly id: string;
}

export function readPermalink(reader: ByteReader, { community, post, id }: PermalinkContext): string {
  const shape = reader.byte();
  if (shape === VERBATIM) return reader.text();
  const name = capitalised(community, reader.varint());
  const thread = shape & WITH_POST ? reader.text() : (post ?? id);
  const slug = shape & WITH_SLUG ? `/${reader.text()}` : '';
  return `/r/${name}/comments/${thread}${slug}${post === null ? '/' : `/${id}/`}`;
}

export function skipPermalink(reader: ByteReader): void {
  const shape = reader.byte();
  if (shape === VERBATIM) reader.skipText();
  else {
    reader.varint();
    if (shape & WITH_POST) reader.skipText();
    if (shape & WITH_SLUG) reader.skipText();
  }
}

function writeVerbatim(writer: ByteWriter, permalink: string): void {
  writer.byte(VERBATIM);
  writer.text(permalink);
}

/** −1 if the spelling differs from `name` in more than capitals. */
function capitalsOf(spelling: string, name: string): number {
  if (spelling === name) return 0;
  let capitals = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = spelling.charCodeAt(i);
    if (unit === name.charCodeAt(i)) continue;
    const isCapital = unit >= 0x41 && unit <= 0x5a && unit + 0x20 === name.charCodeAt(i);
    if (!isCapital || i >= MAX_CAPITALS) return -1;
    capitals += 2 ** i;
  }
  return capitals;
}

function capitalised(name: string, capitals: number): string {
  if (capitals === 0) return name;
  let spelling = '';
  for (let i = 0, rest = capitals; i < name.length; i++, rest = Math.floor(rest / 2)) {
    spelling += rest % 2 === 1 ? String.fromCharCode(name.charCodeAt(i) - 0x20) : name[i];
  }
  return spelling;
}
