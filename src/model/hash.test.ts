import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../test/helpers.ts';
import {
  contentHash,
  fingerprintMix,
  HashInput,
  hex64,
  murmurHash,
  parseHex64,
  recordMix,
  Sum64,
  textHash,
} from './hash.ts';
import type { StoredComment, StoredPost, StoredRecord } from './record.ts';

describe('murmurHash', () => {
  // As the reference gives them (MurmurHash3_x86_128, its first two numbers), and as other ports print them:
  // https://github.com/karanlyons/murmurHash3.js, https://github.com/pid/murmurHash3js.
  const rows: readonly [of: string, bytes: Uint8Array, first: number, second: number][] = [
    ['nothing', new Uint8Array(0), 0, 0],
    ['one byte', utf8('0'), 0x0ab2409e, 0xa5eb34f8],
    ['five bytes', utf8('01234'), 0x35c5b3ee, 0x7b3b2116],
    ['a rest', utf8('The quick brown fox jumps over the lazy dog'), 0x2f1583c3, 0xecee2c67],
    ['three blocks', utf8("I will not buy this tobacconist's, it is scratched."), 0x9b5b7ba2, 0xef3f7866],
    ['whole blocks', Uint8Array.from({ length: 256 }, (_, i) => i), 0x2c56c88f, 0xdb4503df],
  ];
  for (const [of, bytes, low, high] of rows) {
    it(`of ${of}`, () => {
      const padded = new Uint8Array(Math.ceil(bytes.length / 16) * 16 + 16);
      padded.set(bytes);
      assert.deepEqual(murmurHash(new Int32Array(padded.buffer), bytes.length), { high, low });
      const input = new HashInput();
      input.raw(bytes, 0, bytes.length);
      assert.deepEqual(input.hash(), { high, low });
    });
  }
});

describe('what a hash is made of', () => {
  const hashOf = (fill: (input: HashInput) => void) => {
    const input = new HashInput();
    fill(input);
    return hex64(input.hash());
  };

  it('a text counts alike as a string and as UTF-8, short or long, and is kept apart from the next', () => {
    for (const text of ['', 'a', 'a'.repeat(80), 'a'.repeat(81), 'é', '日本'.repeat(5_000), '👩‍🔬']) {
      const bytes = utf8(text);
      const fromString = hashOf((input) => input.text(text));
      const fromBytes = hashOf((input) => input.utf8(bytes, 0, bytes.length));
      assert.equal(fromString, fromBytes, text);
    }
    const pair = (first: string | null, second: string | null) =>
      hashOf((input) => {
        input.text(first);
        input.text(second);
      });
    const pairs = [pair('ab', ''), pair('a', 'b'), pair('', 'ab'), pair(null, 'ab'), pair('ab', null)];
    assert.equal(new Set([...pairs, pair('', ''), pair(null, null)]).size, 7);
  });

  it('a lone surrogate counts as U+FFFD, and 0 as −0', () => {
    const [lone, replaced] = ['\ud800', '\ufffd'].map((text) => hashOf((input) => input.text(text)));
    assert.equal(lone, replaced);
    const [zero, minus] = [0, -0].map((number) => hashOf((input) => input.float64(number)));
    assert.equal(zero, minus);
  });

  it('nothing of what was there before is left after a clear', () => {
    const input = new HashInput();
    input.text('x'.repeat(100_000));
    input.clear();
    input.text('y');
    const expected = hashOf((fresh) => fresh.text('y'));
    assert.equal(hex64(input.hash()), expected);
  });
});

describe('Sum64', () => {
  const big = ({ high, low }: { high: number; low: number }) => (BigInt(high) << 32n) | BigInt(low);

  it('adds and subtracts modulo 2^64', () => {
    const sum = new Sum64();
    let expected = 0n;
    for (let i = 0; i < 1_000; i++) {
      const value = { high: Math.imul(i, 0x9e3779b1) >>> 0, low: Math.imul(i, 0x85ebca6b) >>> 0 };
      if (i % 3 === 2) sum.subtract(value);
      else sum.add(value);
      expected = BigInt.asUintN(64, expected + (i % 3 === 2 ? -big(value) : big(value)));
      assert.equal(big(sum.value()), expected);
    }
  });

  it('is written as 16 hex digits and read back', () => {
    for (const text of ['0'.repeat(16), '00000001ffffffff', 'fedcba9876543210'])
      assert.equal(hex64(parseHex64(text)!), text);
    for (const text of ['', '0', 'g'.repeat(16), 'A'.repeat(16), '0'.repeat(17)])
      assert.equal(parseHex64(text), null);
  });
});

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

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

const OWN = { id: 'c1', communityId: '2qh1' };
const aPost = post({ ...OWN, title: 'A title', selftext: 'Naïve 日本 👩‍🔬' });
const links = { permalink: '/r/energy/comments/p1/_/c1/', post: 'p1', parent: 'c2' };
const aComment = comment({ ...OWN, ...links, body: 'A body.' });

describe('contentHash', () => {
  for (const [record, others] of [
    [aPost, POSTS],
    [aComment, COMMENTS],
  ] as const) {
    for (const [field, values] of Object.entries(others)) {
      it(`${record.kind}s: \`${field}\` ${values === null ? 'does not count' : 'counts'}`, () => {
        const own = hex64(contentHash(record));
        const given: readonly unknown[] = values ?? anyOther(field);
        const hashOf = (value: unknown) => contentHash({ ...record, [field]: value } as StoredRecord);
        const hashes = given.map((value) => hex64(hashOf(value)));
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
    const fields = { created: 1, community: 'a', id: '1', permalink: '' };
    const hashes = [post({ ...fields, domain: '', adult: false }), comment(fields)].map(contentHash);
    assert.notEqual(...(hashes.map(hex64) as [string, string]));
  });

  it('is the same for ever: indexes of different machines and versions are compared by it', () => {
    const rated = { ...aComment, sentiment: -0.4404, withdrawn: true, body: '[deleted]' };
    const linked = { ...aPost, url: 'https://example.org/', domain: 'example.org', adult: true };
    const hashes = [aPost, aComment, rated, linked].map((record) => hex64(contentHash(record)));
    assert.equal(hashes.join(' '), '4a7e076bee1f9a4f 9f631345fedc49bc 6f6b9846aecd75dd 49cb4b751ee685b1');
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
      ...[fingerprintMix(5, 1, 'a', content), fingerprintMix(6, 1, 'a', content)],
      ...[fingerprintMix(5, 2, 'a', content), fingerprintMix(5, -1, 'a', content)],
      ...[fingerprintMix(1, 5, 'a', content), fingerprintMix(5, 1, 'b', content)],
      fingerprintMix(5, 1, 'a', { ...content, low: 0 }),
      fingerprintMix(5, 1, 'a', { ...content, high: 0 }),
    ];
    assert.equal(new Set(mixes.map(hex64)).size, mixes.length);
  });

  it('is the same for ever', () => {
    const wide = { ...aComment, score: -2_147_483_649 };
    const mixes = [aPost, aComment, wide].map((record) => hex64(recordMix(record)));
    assert.deepEqual(mixes, ['0c09ad8bb916efd1', '29665611ff707f8e', 'af916ab0264dd8a8']);
  });
});

const SENTENCE = 'The quick brown fox jumps over the lazy dog';

const ofBody = (body: string) => textHash(comment({ id: '1', body }));

describe('textHash', () => {
  it('is the same for every spelling of the same tokens', () => {
    assert.notEqual(ofBody(SENTENCE), 0);
    assert.equal(ofBody(`**the** QUICK brown, fox\n\njumps over the "lazy" dog!`), ofBody(SENTENCE));
    assert.equal(ofBody(SENTENCE.replace('lazy', 'lázy')), ofBody(SENTENCE));
  });

  it('differs where a token, their order or their borders differ', () => {
    const others = ['lazy dog', 'lazy dog s', 'dog lazy', 'lazydog'];
    const hashes = others.map((end) => ofBody(SENTENCE.replace('lazy dog', end)));
    assert.equal(new Set(hashes).size, others.length);
  });

  it('is that of title and selftext together', () => {
    const both = post({ id: '1', title: 'The quick brown fox', selftext: 'jumps over the lazy dog' });
    assert.equal(textHash(both), ofBody(SENTENCE));
  });

  it('is 0 below 40 characters of the joined tokens, counted as code points', () => {
    const short = ['', '...', 'x'.repeat(39), `${'x'.repeat(37)} x`, '日'.repeat(20), `${'😀 '.repeat(19)}x`];
    const long = ['x'.repeat(40), `${'x'.repeat(38)} x`, '日'.repeat(21), `${'😀 '.repeat(19)}xx`];
    for (const body of short) assert.equal(ofBody(body), 0, body);
    for (const body of long) assert.notEqual(ofBody(body), 0, body);
  });

  it('is 0 for a withdrawn text', () => {
    assert.equal(textHash(comment({ id: '1', body: SENTENCE, withdrawn: true })), 0);
  });

  it('is the same for ever', () => {
    assert.equal(ofBody(SENTENCE), 0xaf7db4fd);
    assert.equal(ofBody('Straße, naïve; 日本 ёлка '.repeat(3)), 0xcc022e90);
  });
});
