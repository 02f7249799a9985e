import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { segmentBytes } from '../../../../test/embedded-index.ts';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { StorageError } from '../../../errors.ts';
import { loadFileSegment, loadMemorySegment } from '../index/segment.ts';
import { IdRangeFinder } from './ids.ts';
import {
  byteProblems,
  checkMark,
  FileSource,
  FORMAT_VERSION,
  isPageChecked,
  MemorySource,
  PAGE_BYTES,
  type PageSums,
  readFooter,
  readPageSums,
  TAIL_BYTES,
} from './segment-file.ts';
import { FileSink, MemorySink, SegmentWriter } from './segment-writer.ts';

const IDS = { firstId: '1', lastId: '1' };
const FOOTER = { kind: 'post', docs: 1, ...IDS, firstCreated: 0, lastCreated: 0 } as const;

const LENGTH = 5 * PAGE_BYTES + 1234;

/** Bytes that look random. */
const randomBytes = (length: number) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 2_654_435_761) >>> 13));

/** A segment in memory with these sections alone. */
function segmentOf(sections: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const sink = new MemorySink();
  const out = new SegmentWriter(sink);
  for (const [name, bytes] of Object.entries(sections)) out.section(name, bytes);
  out.finish(FOOTER);
  return Uint8Array.from(sink.bytes());
}

/** A file of one section with so many random bytes, and its content. */
function writtenFile(length = LENGTH) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'x.seg');
  const out = new SegmentWriter(new FileSink(path));
  out.section('records', randomBytes(length));
  out.finish(FOOTER);
  return { ...folder, path, bytes: readFileSync(path) };
}

/** The file, opened anew: no page is checked yet. */
class CheckedFile implements Disposable {
  readonly source: FileSource;
  readonly pages: PageSums;

  constructor(path: string) {
    this.source = new FileSource(path);
    this.pages = readPageSums(this.source, readFooter(this.source, 'x'), 'x')!;
    this.source.checkBy(this.pages);
  }

  [Symbol.dispose](): void {
    this.source.close();
  }
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(bytes[offset]! ^ 0x10), 0, 1, offset);
  closeSync(file);
}

describe('a segment in memory', () => {
  it('bytes behind its end are an error, and so is a mark that is not that of its format', () => {
    const bytes = segmentOf({ records: Buffer.alloc(100, 7) });
    const source = new MemorySource(bytes);
    assert.throws(() => source.readInto(Buffer.alloc(2), bytes.length - 1, 2), /expected \d+/);
    const footer = readFooter(source, 'x');
    checkMark(source, footer, 'x');
    bytes[0]! ^= 1;
    assert.throws(() => checkMark(source, footer, 'x'), {
      name: 'StorageError',
      message: /expected the mark of a segment at its beginning, found other bytes/,
    });
  });

  it('a section of more than a megabyte is written as it is, between small ones', () => {
    const large = randomBytes(3 << 20);
    const source = new MemorySource(segmentOf({ labels: Buffer.from('small'), records: large }));
    const { offset, length } = readFooter(source, 'x').sections.records!;
    const read = Buffer.alloc(length);
    source.readInto(read, offset, length);
    assert.ok(read.equals(large));
    assert.deepEqual(byteProblems(source, readFooter(source, 'x'), 'x'), []);
  });

  it('of many damaged pages the first ten are told, the others counted', () => {
    const bytes = segmentOf({ records: Buffer.alloc(20 * PAGE_BYTES) });
    for (let page = 0; page < 15; page++) bytes[page * PAGE_BYTES + 100]! ^= 1;
    const source = new MemorySource(bytes);
    const problems = byteProblems(source, readFooter(source, 'x'), 'x');
    assert.equal(problems.length, 11);
    assert.match(problems[0]!, /records, bytes 0 to 16384: expected checksum/);
    assert.equal(problems[10], 'and 5 more pages of 16 KiB');
  });

  it('ids of no record have no range', () => {
    const ids = new IdRangeFinder();
    assert.deepEqual(ids.get(), { firstId: '', lastId: '' });
    for (const id of ['b', '10', 'a']) ids.add(Buffer.from(id), 0, id.length);
    assert.deepEqual(ids.get(), { firstId: 'a', lastId: '10' });
  });
});

describe('a segment file whose pages are checked', () => {
  it('gives every range of bytes as it was written', () => {
    using written = writtenFile();
    const { path, bytes } = written;
    const edges = fc
      .tuple(fc.nat(6), fc.constantFrom(0, 1, -1, 7))
      .map(([page, beside]) => Math.max(0, page * PAGE_BYTES + beside));
    const place = fc.oneof(edges, fc.nat(bytes.length - 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 5 }), (ranges) => {
        using file = new CheckedFile(path);
        for (const [a, b] of ranges) {
          const [from, to] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)];
          const target = Buffer.alloc(to - from);
          file.source.readInto(target, from, to - from);
          assert.ok(target.equals(bytes.subarray(from, to)), `${from} to ${to}`);
        }
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it('refuses every read of a page in which a byte has changed, by name, and no other', () => {
    using written = writtenFile();
    const { path, bytes } = written;
    for (const offset of [0, 8, PAGE_BYTES - 1, PAGE_BYTES, 3 * PAGE_BYTES + 77, LENGTH]) {
      flip(path, offset);
      using file = new CheckedFile(path);
      const bad = Math.floor(offset / PAGE_BYTES);
      for (let at = 0; at + 600 <= LENGTH; at += 600) {
        const read = () => file.source.readInto(Buffer.alloc(600), at, 600);
        const isTouched = Math.floor(at / PAGE_BYTES) <= bad && bad <= Math.floor((at + 599) / PAGE_BYTES);
        if (!isTouched) read();
        else assert.throws(read, (error) => error instanceof StorageError && error.message.includes(path));
      }
      const whole = Buffer.alloc(bytes.length);
      assert.throws(() => file.source.readInto(whole, 0, bytes.length), StorageError);
      flip(path, offset);
    }
  });

  it('a page is checked once, for all that share its sums', () => {
    using written = writtenFile();
    const { path } = written;
    using first = new CheckedFile(path);
    const { pages } = first;
    const second = new FileSource(path, first.source.fd, pages);
    assert.equal(isPageChecked(pages, 1), false);
    first.source.readInto(Buffer.alloc(10), PAGE_BYTES + 5, 10);
    const checked = [0, 1, 2].filter((page) => isPageChecked(pages, page));
    assert.deepEqual(checked, [1]);
    flip(path, PAGE_BYTES + 9);
    second.readInto(Buffer.alloc(10), PAGE_BYTES + 5, 10);
  });

  it('what is read ahead is what nobody has read, many pages at once, and is checked when it is read', async () => {
    using written = writtenFile(20 * PAGE_BYTES);
    const { path } = written;
    flip(path, 3 * PAGE_BYTES + 5);
    using file = new CheckedFile(path);
    const { source } = file;
    const reads = () => process.getActiveResourcesInfo().filter((name) => name === 'FSReqCallback').length;
    const before = reads();
    const readsFor = async (offset: number, length: number) => {
      source.readAhead(offset, length);
      const asked = reads() - before;
      while (reads() > before) await setImmediate();
      return asked;
    };
    assert.equal(await readsFor(10, 100), 1);
    assert.equal(await readsFor(0, 20 * PAGE_BYTES), 3);
    source.readInto(Buffer.alloc(8), 5 * PAGE_BYTES, 8);
    assert.equal(await readsFor(5 * PAGE_BYTES, PAGE_BYTES), 0);
    assert.equal(await readsFor(4 * PAGE_BYTES, 3 * PAGE_BYTES), 2);
    assert.equal(await readsFor(written.bytes.length + PAGE_BYTES, 100), 0);
    assert.equal(await readsFor(7, 0), 0);
    const bytes = Buffer.alloc(PAGE_BYTES);
    source.readInto(bytes, PAGE_BYTES, PAGE_BYTES);
    assert.ok(bytes.equals(written.bytes.subarray(PAGE_BYTES, 2 * PAGE_BYTES)));
    assert.throws(() => source.readInto(bytes, 3 * PAGE_BYTES, 8), {
      name: 'SegmentDamage',
      message: /x\.seg/,
    });
  });

  it('a file may be closed while it is read ahead', async () => {
    using written = writtenFile(20 * PAGE_BYTES);
    const { path } = written;
    {
      using file = new CheckedFile(path);
      for (let round = 0; round < 20; round++) file.source.readAhead(0, 20 * PAGE_BYTES);
    }
    while (process.getActiveResourcesInfo().includes('FSReqCallback')) await setImmediate();
  });

  it('a file that ends before is refused', () => {
    using written = writtenFile();
    const { path, bytes } = written;
    using file = new CheckedFile(path);
    writeFileSync(path, bytes.subarray(0, 3 * PAGE_BYTES + 5));
    assert.throws(
      () => file.source.readInto(Buffer.alloc(100), 3 * PAGE_BYTES, 100),
      /expected \d+ bytes, found its end after 49157; run `colloquy check`/,
    );
  });
});

const smallSegment = () => segmentBytes([comment({ id: '1', body: 'solar panel' })]);

/** The same bytes, marked as of another version. */
function inVersion(bytes: Buffer, version: number): Buffer {
  const marked = Buffer.from(bytes);
  const mark = `COLLOQ0${version}`;
  marked.write(mark, 0, 'latin1');
  marked.write(mark, marked.length - mark.length, 'latin1');
  const tail = marked.length - TAIL_BYTES;
  const footer = marked.subarray(tail - marked.readUInt32LE(tail), tail);
  footer.write(footer.toString().replace(/"version":\d/, `"version":${version}`));
  marked.writeUInt32LE(crc32(footer), tail + 4);
  return marked;
}

describe('what is no segment of ours', () => {
  it('a segment in the manifest with any byte flipped is refused when it is loaded', () => {
    const bytes = smallSegment();
    loadMemorySegment('x', bytes);
    const { pages } = readFooter(new MemorySource(bytes), 'x').sections;
    const end = pages!.offset + pages!.length;
    for (let at = 0; at < bytes.length; at++) {
      // What fills up to a multiple of 8 before the footer says nothing.
      if (at >= end && at < Math.ceil(end / 8) * 8) continue;
      const broken = Buffer.from(bytes);
      broken[at]! ^= 0x20;
      assert.throws(() => loadMemorySegment('x', broken), StorageError, `byte ${at}`);
    }
  });

  it('a newer version is refused with a word on what to do', () => {
    const newer = inVersion(smallSegment(), FORMAT_VERSION + 1);
    const expected = `expected format ${FORMAT_VERSION}, found ${FORMAT_VERSION + 1}: a newer version`;
    const message = new RegExp(`^segment \`.*\`: ${expected} .*use that one$`);
    const refused = { name: 'UsageError', message };
    assert.throws(() => loadMemorySegment('x', newer), refused);
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'x.seg'), newer);
    assert.throws(() => loadFileSegment('x', join(folder.path, 'x.seg')), refused);
  });

  const strange: readonly [string, (bytes: Buffer) => Uint8Array][] = [
    ['an empty file', () => Buffer.alloc(0)],
    ['a short file', (bytes) => bytes.subarray(0, 20)],
    ['a file cut at its end', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['a file cut at its beginning', (bytes) => bytes.subarray(1)],
    ['a file with more at its end', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
    ['a file of something else', () => Buffer.from('%PDF-1.7 and so on, more than twenty-four bytes')],
    ['zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['another beginning', (bytes) => Buffer.concat([Buffer.from('PK'), bytes.subarray(2)])],
  ];
  for (const [name, change] of strange) {
    it(`${name} is refused by name`, () => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, 'x.seg'), change(smallSegment()));
      assert.throws(
        () => loadFileSegment('x', join(folder.path, 'x.seg')),
        (error: Error) => error instanceof StorageError && error.message.includes('x'),
      );
    });
  }
});
