import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../test/helpers.ts';
import { contentHash, fingerprintMix, recordMix } from './content-hash.ts';
import type { StoredComment, StoredPost, StoredRecord } from './record.ts';
import { hex64 } from './sum64.ts';

/** Other values of each field, which give another hash; null: the field has no part in it. */
type Others<T extends StoredRecord> = {
  readonly [F in Exclude<keyof T, 'kind'>]-?: readonly T[F][] | null;
};

const SHARED = {
  id: ['c2', ''],
  community: ['energy2', ''],
  communityId: ['', '2qh2'],
  created: [0, 1_199_145_601],
  permalink: ['', '/r/Energy/comments/p1/_/c1/'],
  score: null,
  retrieved: null,
  withdrawn: [true],
  lent: null,
};

const POSTS: Others<StoredPost> = {
  ...SHARED,
  domain: ['', 'example.org'],
  title: ['', 'title', 'A titl'],
  selftext: ['', 'A title'],
  url: ['', 'https://example.org/', 'null'],
  adult: [false, true],
};

const COMMENTS: Others<StoredComment> = {
  ...SHARED,
  body: ['', 'A body', 'A body. '],
  sentiment: [0, 0.5, -0.4404],
  post: ['', 'p2'],
  parent: ['', 'p1', 'c0'],
  ratings: null,
};

const aPost = post({
  id: 'c1',
  communityId: '2qh1',
  permalink: '/r/energy/comments/c1/',
  title: 'A title',
  selftext: 'Naïve 日本 👩‍🔬',
});
const aComment = comment({
  id: 'c1',
  communityId: '2qh1',
  permalink: '/r/energy/comments/p1/_/c1/',
  post: 'p1',
  parent: 'c2',
  body: 'A body.',
});

describe('contentHash', () => {
  for (const [record, others] of [
    [aPost, POSTS],
    [aComment, COMMENTS],
  ] as const) {
    for (const [field, values] of Object.entries(others)) {
      it(`${record.kind}s: \`${field}\` ${values === null ? 'does not count' : 'counts'}`, () => {
        const own = hex64(contentHash(record));
        const given: readonly unknown[] = values ?? anyOther(field);
        const hashes = given.map((value) =>
          hex64(contentHash({ ...record, [field]: value } as StoredRecord)),
        );
        if (values === null) assert.deepEqual(new Set(hashes), new Set([own]));
        else assert.equal(new Set([own, ...hashes]).size, 1 + values.length);
      });
    }
  }

  function anyOther(field: string): readonly unknown[] {
    if (field === 'ratings') return [[{ bodyHash: 1, rating: 0.5 }]];
    if (field !== 'lent') return [7, -7, 2 ** 40];
    return [[{ fact: 'post', withdrawn: false, retrieved: 1, score: 1, hash: 1 }]];
  }

  it('a post and a comment never have the same', () => {
    const texts = { withdrawn: false, created: 1, community: 'a', id: '1', permalink: '' };
    assert.notEqual(
      hex64(contentHash(post({ ...texts, domain: '', adult: false }))),
      hex64(contentHash(comment({ ...texts }))),
    );
  });

  it('is the same for ever: indexes of different machines and versions are compared by it', () => {
    const rated = { ...aComment, sentiment: -0.4404, withdrawn: true, body: '[deleted]' };
    const linked = { ...aPost, url: 'https://example.org/', domain: 'example.org', adult: true };
    assert.deepEqual(
      [aPost, aComment, rated, linked].map((record) => hex64(contentHash(record))),
      ['4a7e076bee1f9a4f', '9f631345fedc49bc', '6f6b9846aecd75dd', '49cb4b751ee685b1'],
    );
  });

  it('gives 200,000 comments that differ in a digit 200,000 hashes, in each half too', () => {
    const hashes = Array.from({ length: 200_000 }, (_, i) => contentHash({ ...aComment, body: `body ${i}` }));
    assert.equal(new Set(hashes.map(hex64)).size, 200_000);
    // Of 32 bits, about 4.7 pairs of 200,000 are the same by chance (the birthday bound).
    for (const half of ['high', 'low'] as const)
      assert.ok(new Set(hashes.map((hash) => hash[half])).size > 199_970);
  });
});

describe('the mix of a fingerprint', () => {
  const content = contentHash(aComment);

  it('changes with time, score, community and content', () => {
    const mixes = [
      fingerprintMix(5, 1, 'a', content),
      fingerprintMix(6, 1, 'a', content),
      fingerprintMix(5, 2, 'a', content),
      fingerprintMix(5, -1, 'a', content),
      fingerprintMix(1, 5, 'a', content),
      fingerprintMix(5, 1, 'b', content),
      fingerprintMix(5, 1, 'a', { ...content, low: 0 }),
      fingerprintMix(5, 1, 'a', { ...content, high: 0 }),
    ];
    assert.equal(new Set(mixes.map(hex64)).size, mixes.length);
  });

  it('of a record does not depend on when the copy was made, nor on ratings beside its own', () => {
    const mix = hex64(recordMix(aComment));
    assert.equal(hex64(recordMix({ ...aComment, retrieved: 9 })), mix);
    assert.equal(hex64(recordMix({ ...aComment, ratings: [{ bodyHash: 1, rating: 0 }] })), mix);
    assert.notEqual(hex64(recordMix({ ...aComment, score: 9 })), mix);
  });

  it('is the same for ever', () => {
    const wide = { ...aComment, score: -2_147_483_649 };
    assert.deepEqual(
      [aPost, aComment, wide].map((record) => hex64(recordMix(record))),
      ['0c09ad8bb916efd1', '29665611ff707f8e', 'af916ab0264dd8a8'],
    );
  });
});
