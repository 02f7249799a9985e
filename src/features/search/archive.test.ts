import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArchive } from '../../../test/archive.ts';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { instead, linkPost, post, someComments } from '../../../test/helpers.ts';
import { ServiceError } from '../../errors.ts';
import type { SearchEngine } from '../../model/engine.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { StoredComment, StoredPost, StoredRecord } from '../../model/record.ts';
import { interpretQuery } from '../../search/language/interpret.ts';
import type { Archive } from './archive.ts';
import { PageService } from './service.ts';

const SETTINGS = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs: 60_000 } as const;

function servicesOf(engine: SearchEngine): PageService {
  return new PageService(readArchive(engine, SETTINGS));
}

/** With what there is of the batches. */
const archiveWith = (...batches: (readonly StoredRecord[])[]) =>
  embeddedEngine(...batches.filter(({ length }) => length > 0));

/** However long it takes. */
async function archiveOf(service: PageService): Promise<Archive> {
  await service.archive.warm();
  return (await service.archive.now())!;
}

const at = (year: number) => Date.UTC(year, 5) / 1000;

/** 40 communities with three posts each, and one with a single post and 100 comments; 2010, 2012 and 2013. */
const POSTS = [
  ...Array.from({ length: 120 }, (_, i) =>
    linkPost({
      ...{ id: `p${i}`, community: `c${i % 40}`, score: i, created: at(i < 20 ? 2010 : 2012) },
      title: `Solar panel ${i < 60 ? 'number' : 'with'} ${i} on a roof`,
      domain: i % 2 === 0 ? 'self.c' : 'example.org',
    }),
  ),
  post({ id: 'last', community: 'talk', title: 'Talk about it', created: at(2012), score: 1 }),
];
const AGAIN = { community: 'talk', body: 'The solar panel again', created: at(2013) };
const COMMENTS = someComments(100, () => AGAIN);

describe('what is told of an archive', () => {
  it('records a year and largest communities are exact, of both kinds', async () => {
    await using engine = await archiveWith(POSTS, COMMENTS);
    const { kinds, communities } = await archiveOf(servicesOf(engine));
    const yearsOf = (kind: 'post' | 'comment') =>
      kinds[kind]!.years.map(({ start, count }) => [new Date(start * 1000).getUTCFullYear(), count]);
    assert.deepEqual(yearsOf('post'), [
      [2010, 20],
      [2011, 0],
      [2012, 101],
    ]);
    assert.deepEqual(yearsOf('comment'), [[2013, 100]]);
    assert.deepEqual([kinds.post!.communities, kinds.comment!.communities], [41, 1]);
    assert.equal(communities.length, 12);
    assert.deepEqual([communities[0]!.name, communities[0]!.counts], ['talk', { post: 1, comment: 100 }]);
    assert.ok(communities.slice(1).every(({ counts }) => counts.post === 3 && counts.comment === 0));
  });

  const title = 'A question about the northern lights';
  const archives: readonly (readonly [string, readonly StoredPost[], readonly StoredComment[], number])[] = [
    ['posts and comments', POSTS, COMMENTS, 14],
    ['comments alone', [], COMMENTS, 9],
    ['one post', [post({ id: 'a', title })], [], 4],
    ['another script', [...'jklmnopqr'].map((id) => post({ id, title: '太陽光 発電' })), [], 4],
    ['names that no query can contain', [post({ id: 'a', community: 'a b,c', title })], [], 2],
  ];
  for (const [what, posts, comments, least] of archives) {
    it(`every example finds something: ${what}`, async () => {
      await using engine = await archiveWith(posts, comments);
      const service = servicesOf(engine);
      const { examples } = await archiveOf(service);
      const queries = Object.values(examples.queries);
      assert.ok(queries.length >= least, JSON.stringify(queries));
      for (const query of queries) {
        const found = await service.count(examples.kind, interpretQuery(query, SETTINGS).query, 60_000);
        assert.ok(found! > 0, query);
      }
    });
  }

  it('no example is made of what stands in communities for adults', async () => {
    const adult = Array.from({ length: 30 }, (_, i) =>
      post({ id: `x${i}`, community: 'grownups', adult: true, title: 'Unsuitable words' }),
    );
    await using engine = await archiveWith([...POSTS, ...adult]);
    const { communities, examples } = await archiveOf(servicesOf(engine));
    assert.deepEqual([communities[0]!.name, communities[0]!.nsfw], ['grownups', true]);
    assert.doesNotMatch(JSON.stringify(examples.queries), /unsuitable|grownups/i);
  });

  it('is reckoned once for each state of the index, and what was removed is gone at once', async (t) => {
    await using engine = await archiveWith(POSTS, COMMENTS);
    const { mock: asking } = t.mock.method(engine, 'askAll');
    const service = servicesOf(engine);
    await archiveOf(service);
    const first = asking.callCount();
    await archiveOf(service);
    assert.equal(asking.callCount(), first);
    await engine.hide(1, 'comment', { community: 'talk' });
    await engine.hide(1, 'post', { community: 'talk' });
    await engine.refresh();
    const { communities } = await archiveOf(service);
    assert.ok(asking.callCount() > first);
    assert.ok(!communities.some(({ name }) => name === 'talk'));
  });

  it('a kind that was not counted in time was left out of the numbers: nothing is told then', async (t) => {
    await using engine = await archiveWith(POSTS, COMMENTS);
    const { mock: asking } = t.mock.method(engine, 'askAll');
    // The third: what the largest communities have of posts.
    asking.mockImplementationOnce(() => Promise.reject(new ServiceError('query_timeout', 'too slow')), 2);
    const service = servicesOf(engine);
    await service.archive.warm();
    assert.equal(asking.callCount(), 3);
    assert.equal(await service.archive.now(), null);
  });

  it('a page does not wait until it is reckoned', async () => {
    await using engine = await archiveWith(POSTS, []);
    const never = Promise.withResolvers<never>();
    const slow = instead(engine, 'askAll', () => never.promise);
    const service = servicesOf(slow);
    assert.equal(await service.archive.now(), null);
    // Nor does the next one begin it again.
    assert.equal(await service.archive.now(), null);
    never.reject(new EngineUnavailable('closed'));
  });
});
