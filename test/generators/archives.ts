// Zip archives and gzip members, made byte by byte, for tests of the readers.

import { crc32, deflateRawSync } from 'node:zlib';

/** What an archive is made of; what is left out is as usual programs write it. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: string;
  readonly method?: 0 | 8 | 12;
  readonly flags?: number;
  readonly crc?: number;
  readonly isZip64?: boolean;
}

/** A zip archive by the letter of APPNOTE.TXT, independent of the reader. */
export function archive(entries: readonly ArchiveEntry[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, flags = 0, crc = crc32(content), isZip64 = false } of entries) {
    const data = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const localExtra = Buffer.from([0xfe, 0xca, 2, 0, 1, 2]);
    local.writeUInt16LE(localExtra.length, 28);
    locals.push(local, Buffer.from(name), localExtra, data);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(isZip64 ? 0xffffffff : data.length, 20);
    header.writeUInt32LE(content.length, 24);
    header.writeUInt16LE(Buffer.byteLength(name), 28);
    header.writeUInt32LE(isZip64 ? 0xffffffff : offset, 42);
    const extra = Buffer.alloc(isZip64 ? 20 : 0);
    if (isZip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(BigInt(data.length), 4);
      extra.writeBigUInt64LE(BigInt(offset), 12);
    }
    header.writeUInt16LE(extra.length, 30);
    directory.push(header, Buffer.from(name), extra);
    offset += local.length + Buffer.byteLength(name) + localExtra.length + data.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, listed, end, Buffer.from(comment)]);
}

/** What a gzip member has in front of its data (RFC 1952, 2.3); a text left out is not there. */
export interface MemberHeader {
  readonly extra?: string;
  readonly name?: string;
  readonly comment?: string;
  /** Two bytes that stand for a checksum of the header, which no reader checks. */
  readonly hasChecksum?: boolean;
}

/** A gzip member. `name` and `comment` must not hold NUL. */
export function gzipMember(content: string, header: MemberHeader = {}): Buffer {
  const { extra, name, comment, hasChecksum = false } = header;
  const flags =
    (hasChecksum ? 2 : 0) |
    (extra === undefined ? 0 : 4) |
    (name === undefined ? 0 : 8) |
    (comment === undefined ? 0 : 16);
  const parts = [Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255])];
  if (extra !== undefined) {
    const length = Buffer.alloc(2);
    length.writeUInt16LE(Buffer.byteLength(extra));
    parts.push(length, Buffer.from(extra));
  }
  for (const text of [name, comment]) if (text !== undefined) parts.push(Buffer.from(`${text}\0`));
  if (hasChecksum) parts.push(Buffer.from('..'));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(Buffer.byteLength(content) % 2 ** 32, 4);
  return Buffer.concat([...parts, deflateRawSync(content), trailer]);
}
