// After a purge none of the removed texts and names is in any file of the data folder: every file is read raw, and
// every row, name and key of every segment decoded.

import assert from 'node:assert/strict';
import { type Dirent, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadFileSegment, Segment, unloadSegment } from '../../src/engines/embedded/index/segment.ts';
import { KindStore, openView } from '../../src/engines/embedded/index/view.ts';
import { KINDS } from '../../src/model/record.ts';
import { temporaryFolder } from '../helpers.ts';
import { digestIn } from '../import/cli-helpers.ts';
import { commentLine, postLine } from '../import/import-helpers.ts';
import { colloquy } from '../one-process.ts';

const POSTS = 3000;
const COMMENTS = 6000;

/** A word of letters that stands in one record alone. */
function mark(kind: 'p' | 'c', i: number): string {
  const letters = Array.from(String(i).padStart(5, '0'), (digit) => 'abcdefghij'[Number(digit)]);
  return `zq${kind}${letters.join('')}qz`;
}

/**
 * Communities s0 to s99; comment i belongs to post i mod POSTS and to the same community, or one of its own. Of domains
 * that stand in one record alone.
 */
function lines(): string[] {
  const more = (i: number) => ({ subreddit: `s${i % 100}`, created_utc: 1_600_000_000 + i });
  const posts = Array.from({ length: POSTS }, (_, i) => {
    const text = { title: `A title ${mark('p', i)}`, selftext: `And text ${mark('p', i)}.`, is_self: true };
    const domain = `${mark('p', i)}.org`;
    const link = { title: mark('p', i), domain, url: `https://${domain}/` };
    return postLine(`p${i}`, { ...more(i), ...(i % 2 === 0 ? text : link) });
  });
  const comments = Array.from({ length: COMMENTS }, (_, i) => {
    const links = `https://${mark('c', i)}.org/ https://example.com/`;
    const body = `Some words ${mark('c', i)} ${i % 40 === 3 ? 'telling' : ''} ${i % 9 === 0 ? links : ''}`;
    // Of the 400 that are removed by id.
    const alone = i % 15 === 10 ? { subreddit: mark('c', i) } : {};
    return commentLine(`c${i}`, { ...more(i % POSTS), link_id: `t3_p${i % POSTS}`, body, ...alone });
  });
  return [...posts, ...comments];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry: Dirent) => entry.isFile())
    .map((entry: Dirent) => join(entry.parentPath, entry.name));
}

/** Every text of every segment: rows of live and dead records, and keys. */
function* decoded(data: string): Generator<string> {
  for (const kind of KINDS) {
    const store = new KindStore(data, kind);
    store.refresh();
    for (const { segment } of openView(store.current, undefined).segments) yield* textsOf(segment);
    store.close();
    // Also what no manifest names.
    for (const file of filesBelow(join(data, `${kind}s`))) {
      const loaded = loadFileSegment('x', file);
      yield* textsOf(new Segment(loaded));
      unloadSegment(loaded);
    }
  }
}

function* textsOf(segment: Segment): Generator<string> {
  for (let doc = 0; doc < segment.docs; doc++) yield JSON.stringify(segment.record(doc));
  for (const { key } of segment.dictionary.entries()) yield key;
}

function marksIn(texts: Iterable<string>): Set<string> {
  const marks = new Set<string>();
  for (const text of texts) for (const [found] of text.matchAll(/zq[pc][a-j]{5}qz/g)) marks.add(found);
  return marks;
}

it('1,000 removals of all sorts, a purge that left domains and communities behind, imports again, undo', {
  timeout: 300_000,
}, async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const run = async (words: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await colloquy([...words, '--json', '--data', data], input);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const all = lines();
  // One large file, several small imports (segments in the manifest), copies that make tombstones, and rejected lines.
  const large = join(folder.path, 'large');
  const small = [0, 1, 2].map((i) => join(folder.path, `small${i}`));
  writeFileSync(large, [...all.slice(0, 8000), `{"broken": "${mark('c', 100)}`].join('\n'));
  small.forEach((file, i) => {
    const copies = all.slice(i * 50, i * 50 + 200).map((line) => line.replace('"score":1', '"score":9'));
    writeFileSync(file, [...all.slice(8000 + i * 334, 8000 + (i + 1) * 334), ...copies].join('\n'));
  });
  await run(['import', large, ...small]);
  for (const file of small) await run(['import', file]);
  const whole = await digestIn(data);

  const removed = new Set<string>();
  const posts = Array.from({ length: 300 }, (_, i) => i * 7);
  await run(['remove', 'posts', '-'], posts.map((i) => `t3_p${i}`).join('\n'));
  for (const i of posts) removed.add(mark('p', i));
  const comments = Array.from({ length: 400 }, (_, i) => i * 15 + 10);
  await run(['remove', 'comments', '-'], comments.map((i) => `/r/x/comments/_/_/c${i}/`).join('\n'));
  for (const i of comments) removed.add(mark('c', i));
  await run(['remove', 'community', '/r/s42', 's43']);
  const ofCommunity = (i: number) => i % 100 === 42 || i % 100 === 43;
  for (let i = 0; i < POSTS; i++) if (ofCommunity(i)) removed.add(mark('p', i));
  for (let i = 0; i < COMMENTS; i++) if (ofCommunity(i)) removed.add(mark('c', i));
  await run(['remove', 'query', 'telling']);
  for (let i = 3; i < COMMENTS; i += 40) removed.add(mark('c', i));
  await run(['remove', 'posts', 'p2999', 'p2998', '--with-comments']);
  for (const i of [2998, 2999]) {
    removed.add(mark('p', i));
    removed.add(mark('c', i)).add(mark('c', i + POSTS));
  }
  assert.ok(removed.size >= 1000);
  const posted = Array.from({ length: POSTS }, (_, i) => mark('p', i));
  const answered = Array.from({ length: COMMENTS }, (_, i) => mark('c', i));
  const kept = new Set([...posted, ...answered].filter((each) => !removed.has(each)));
  const counts = async () => {
    const { posts: p, comments: c } = await run(['stats']);
    return p.records + c.records;
  };
  assert.equal(await counts(), kept.size);
  assert.ok([...marksIn(decoded(data))].some((each) => removed.has(each)));

  await run(['remove', '--purge']);
  assert.deepEqual(marksIn(decoded(data)), kept);
  for (const file of filesBelow(data)) {
    const raw = marksIn([readFileSync(file, 'latin1'), readFileSync(file, 'utf16le')]);
    assert.ok(removed.isDisjointFrom(raw), file);
  }
  assert.ok(!filesBelow(data).some((file) => file.endsWith('.part')));

  assert.equal((await run(['import', large, ...small])).added, 0);
  assert.equal(await counts(), kept.size);
  assert.ok(removed.isDisjointFrom(marksIn(decoded(data))));

  for (const id of [1, 2, 3, 4, 5]) assert.equal((await run(['remove', '--undo', String(id)])).back, 0);
  await run(['import', large, ...small]);
  assert.equal(await counts(), POSTS + COMMENTS);
  assert.equal(await digestIn(data), whole);
  assert.deepEqual((await run(['check'])).problems, []);
});
