// What the log of imports says of each source: the checksum of the file as it was published, what it contains, and
// when.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { ImportEntry } from '../../src/model/coverage.ts';
import { archive } from '../generators/archives.ts';
import { chunks, commentLine, type ImportPlace, postLine, test, where } from './import-helpers.ts';

const DAY = 86_400;
const LINES = Array.from({ length: 8000 }, (_, i) =>
  commentLine(`c${i}`, { created_utc: 1_600_000_000 + i, body: `${'word '.repeat(60)}${i}` }),
).join('\n');

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What the log says of the last source. */
async function logged(place: ImportPlace, path: string, options = {}): Promise<ImportEntry> {
  await place.run([path], options);
  return place.catalogue.listImports().at(-1)!;
}

describe('the log of imports: sources', () => {
  const csv = 'id,subreddit,created_utc,title,selftext,url,score\na,x,1600000000,t,,https://e.org/,1\n';
  const gzipWithTail = Buffer.concat([gzipSync(commentLine('c')), Buffer.alloc(3_000_000, 'tail')]);
  const WHOLE: [rule: string, name: string, bytes: Uint8Array, format: string | null][] = [
    ['plain lines', 'RC_2020-09', Buffer.from(LINES), 'ndjson'],
    ['zstd', 'RC_2020-09.zst', zstdCompressSync(LINES), 'ndjson.zst'],
    ['gzip, by its content and not its name', 'a.json', gzipSync(`[\n${commentLine('c')}\n]`), 'json.gz'],
    ['a container in another', 'b', gzipSync(zstdCompressSync(LINES)), 'ndjson.zst.gz'],
    ['rows', 'posts.csv', Buffer.from(csv), 'csv'],
    ['a container that ends before its file', 'c.gz', gzipWithTail, 'ndjson.gz'],
    ['a container that is cut off', 'd.zst', zstdCompressSync(LINES).subarray(0, -9), null],
  ];
  for (const [rule, name, bytes, format] of WHOLE) {
    test(`have the SHA-256 and the size of the file as it was published: ${rule}`, async (place) => {
      const entry = await logged(place, place.file(`folder/${name}`, bytes));
      const found = [entry.name, entry.sha256, entry.bytes, entry.format];
      assert.deepEqual(found, [name, sha256(bytes), bytes.length, format]);
    });
  }

  test('tell which arrivals came with them: none of what was there, one that small sources share', async (place) => {
    const first = place.file('RC_2020-09', LINES);
    await place.run([first]);
    const told = () => place.catalogue.importsSince('comment', 0);
    const { arrival } = await place.engine.ask({ kind: 'comment', query: { items: [] } });
    assert.equal(told().length, 1);
    assert.deepEqual([told()[0]!.number, told()[0]!.source, told()[0]!.last], [1, 'RC_2020-09', arrival]);
    await place.run([first]);
    assert.equal(told().length, 1);
    const small = ['x', 'y'].map((name) => place.file(name, commentLine(name)));
    await place.run(small);
    assert.deepEqual(place.catalogue.importsSince('post', 0), []);
    const [x, y] = place.catalogue.importsSince('comment', arrival);
    assert.deepEqual([x!.source, x!.first, x!.last], ['x', arrival + 1, arrival + 1]);
    assert.deepEqual(y, { ...x, number: x!.number + 1, source: 'y' });
  });

  test('entries of an archive have that of the archive', async (place) => {
    const bytes = archive([
      { name: 'RC.ndjson', content: commentLine('c') },
      { name: 'in/RS.csv', content: csv },
    ]);
    await place.run([place.file('dumps.zip', bytes)]);
    const whole = `${bytes.length} ${sha256(bytes)}`;
    const facts = place.catalogue
      .listImports()
      .map((one) => `${one.name} ${one.format} ${one.bytes} ${one.sha256}`);
    assert.deepEqual(facts, [
      `dumps.zip/RC.ndjson ndjson.zip ${whole}`,
      `dumps.zip/in/RS.csv csv.zip ${whole}`,
    ]);
  });

  test('standard input has none: nobody can tell what was published', async (place) => {
    for (const bytes of [Buffer.from(LINES), archive([{ name: 'RC', content: LINES }])]) {
      const { sha256: sum, bytes: size, format } = await logged(place, '-', { input: chunks(bytes) });
      assert.deepEqual([sum, size], [null, null]);
      assert.equal(format, bytes[0] === 0x50 ? 'ndjson.zip' : 'ndjson');
    }
  });

  test('one that was broken off has none, and has it when a later run has read it to its end', async (place) => {
    const bytes = zstdCompressSync(LINES);
    const path = place.file('RC.zst', bytes);
    await place.runStopped([path]);
    const first = place.catalogue.listImports().at(-1)!;
    assert.deepEqual([first.finished, first.sha256, first.bytes], [null, null, null]);
    const second = await logged(place, path);
    assert.ok(second.finished !== null);
    assert.deepEqual([second.sha256, second.bytes], [sha256(bytes), bytes.length]);
    // Each says when the records are of that this run took in.
    assert.equal(first.first, 1_600_000_000);
    assert.ok(first.last! < second.first!);
    assert.equal(second.last, 1_600_000_000 + 7999);
  });

  test('tell kind and times of what was taken in', async (place) => {
    const lines = [
      commentLine('c1', { created_utc: 5 * DAY, body: 'solar' }),
      commentLine('c2', { created_utc: 2 * DAY, body: 'wind' }),
      postLine('p1', { created_utc: 9 * DAY, title: 'solar' }),
    ];
    const facts = async (text: string, options = {}) => {
      const { kind, first, last } = await logged(place, place.file('a', text), options);
      return [kind, first, last];
    };
    assert.deepEqual(await facts(lines.join('\n')), ['both', 2 * DAY, 9 * DAY]);
    assert.deepEqual(await facts(lines[2]!), ['posts', 9 * DAY, 9 * DAY]);
    const some = await facts(lines.join('\n'), { where: where('wind') });
    assert.deepEqual(some, ['comments', 2 * DAY, 2 * DAY]);
    assert.deepEqual(await facts(lines.join('\n'), { where: where('nothing') }), [null, null, null]);
    const community = JSON.stringify({ display_name: 'Energy', subscribers: 1, over18: false });
    assert.deepEqual(await facts(community), ['communities', null, null]);
  });
});
