import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readArchive } from '../../../test/archive.ts';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { comment, post, START_OF_2008, someComments } from '../../../test/helpers.ts';
import { readRecord, readThread, type Thread } from './threads.ts';

const comments = [
  ...someComments(30, (i) => ({ id: `c${i}`, post: 'p1', created: START_OF_2008 + Math.floor(i / 3) })),
  ...[comment({ id: 'other', post: 'p2', body: 'solar' }), comment({ id: 'loose', body: 'roof' })],
];
const engine = await embeddedEngine([post({ id: 'p1' })], comments);
after(() => engine[Symbol.asyncDispose]());
const archive = readArchive(engine);

describe('a thread', () => {
  const read = { post: 'p1', after: 0, around: null, limit: 6 } as const;
  const ids = ({ comments }: Thread) => comments.map(({ record }) => record.id);
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => `c${first + i}`);

  it('goes on behind so many comments, also in the midst of a second', async () => {
    for (const after of [0, 6, 14]) {
      const thread = (await readThread(archive, { ...read, after }))!;
      assert.deepEqual([ids(thread), thread.before], [from(after, after + 5), after]);
    }
    const behind = (await readThread(archive, { ...read, after: 1_199_145_600_000 }))!;
    assert.deepEqual([behind.comments, behind.before], [[], behind.total]);
  });

  const around: readonly (readonly [name: string, around: string, first: string])[] = [
    ['begins with the page of the comment that is asked for', 'c20', 'c18'],
    ['begins at its start where that is near', 'c1', 'c0'],
    ['begins at its start for a comment that is not here', 'nobody', 'c0'],
    ['begins at its start for a comment of another thread', 'other', 'c0'],
  ];
  for (const [name, id, first] of around) {
    it(name, async () => {
      const thread = (await readThread(archive, { ...read, around: id }))!;
      assert.equal(ids(thread)[0], first);
    });
  }

  it('is null where neither the post nor a comment of it is here', async () => {
    assert.equal(await readThread(archive, { ...read, post: 'nobody' }), null);
    assert.equal(await readRecord(archive, 'post', 'nobody'), null);
  });

  it('a comment that does not name its post has none', async () => {
    const found = (await readRecord(archive, 'comment', 'loose'))!;
    assert.deepEqual([found.thread, found.post, found.comments], [null, null, null]);
  });
});
