// Random records for property tests: small vocabularies, so that queries find something, and many ties.

import fc from 'fast-check';
import { withRatings } from '../../src/model/copies.ts';
import { hash53 } from '../../src/model/hash.ts';
import type { Kind, StoredComment, StoredPost, StoredRecord } from '../../src/model/record.ts';

/** What random records and random queries are made of. */
export const VOCABULARY = {
  /** As typed; some make several tokens, some need folding. */
  words: [
    ...['solar', 'panel', 'Panel', 'roof', 'cat', 'the', 'The', 'of', 'a', "don't", 'covid-19', 'naïve'],
    ...[
      'Straße',
      'ёлка',
      '日本',
      '本日',
      '日',
      'ไทย',
      '한국어',
      '😀',
      '👩‍🔬',
      '10:30',
      'x',
      'pan',
      'pants',
      'été',
    ],
  ],
  communities: ['energy', 'cats', 'askmen', 'u_ann', 'reddit.com', 't:1337'],
  domains: [
    ...['example.org', 'news.example.org', 'youtu.be', 'm.youtube.com', 'youtube.com', 'xn--bcher-kva.de'],
  ],
  ids: ['1', '9', 'a', 'z', '10', 'zz', '100', 'c1a', 'c1b', 'zzz', '1000', 'abc123'],
  /** Seconds; close together, so that they tie. */
  times: [0, 1_199_145_599, 1_199_145_600, 1_199_145_601, 1_200_000_000, 1_230_768_000, 4_294_967_295],
  scores: [-2_000_000, -1_000_000, -21, -20, -5, -1, 0, 1, 2, 3, 5, 8, 100, 5000, 1_000_000, 1_000_001],
} as const;

const words = fc.constantFrom(...VOCABULARY.words);
const separators = fc.constantFrom(' ', ' ', ' ', ', ', '-', '\n', '. ', '&amp;', '');
const link = fc
  .tuple(
    fc.constantFrom('https://', 'http://www.', '[here](https://', 'www.'),
    fc.constantFrom(...VOCABULARY.domains),
  )
  .map(([scheme, domain]) => `${scheme}${domain}/a?b#c`);

/** A text of 0 to `max` words and links. */
export function textArbitrary(max: number): fc.Arbitrary<string> {
  const piece = fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: link });
  return fc
    .array(fc.tuple(piece, separators), { maxLength: max })
    .map((pieces) => pieces.map(([text, separator]) => text + separator).join(''));
}

const shared = {
  community: fc.constantFrom(...VOCABULARY.communities),
  communityId: fc.constantFrom('', '2qh1', '6', 'zz'),
  created: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...VOCABULARY.times) },
    { weight: 1, arbitrary: fc.integer({ min: 1_199_000_000, max: 1_199_300_000 }) },
  ),
  score: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...VOCABULARY.scores) },
    { weight: 1, arbitrary: fc.integer({ min: -30, max: 300 }) },
  ),
  retrieved: fc.constantFrom(0, 0, 100, 200),
  /** Made by the normaliser, or the source's own. */
  address: fc.constantFrom('made', 'made', 'given', 'absolute'),
};

/** `made`: that of the normaliser, of which the others are made. */
function permalinkOf(address: string, made: string): string {
  const given = made.replace(/\/(_\/)?([^/]+)\/$/, '/a_title/$2/');
  return address === 'made' ? made : address === 'given' ? given : `https://old.example.org${given}`;
}

/** Ids from the vocabulary (copies of one record) or wide (few copies). */
function idArbitrary(copies: boolean): fc.Arbitrary<string> {
  return copies
    ? fc.constantFrom(...VOCABULARY.ids)
    : fc.integer({ min: 0, max: 1_000_000 }).map((number) => number.toString(36));
}

export function postArbitrary(copies = false): fc.Arbitrary<StoredPost> {
  return fc
    .record({
      ...shared,
      id: idArbitrary(copies),
      title: textArbitrary(6),
      text: textArbitrary(12),
      isText: fc.boolean(),
      withdrawn: fc.constantFrom(false, false, false, true),
      domain: fc.constantFrom(...VOCABULARY.domains, 'self.org', ''),
      adult: fc.constantFrom(null, false, true),
    })
    .map(({ text, isText, domain, address, ...post }) => ({
      ...post,
      kind: 'post',
      permalink: permalinkOf(address, `/r/${post.community}/comments/${post.id}/`),
      lent: [],
      domain: isText ? `self.${post.community}` : domain,
      selftext: post.withdrawn ? '[removed]' : isText ? text : '',
      url: isText ? null : `https://${domain || 'localhost'}/x`,
    }));
}

export function commentArbitrary(copies = false): fc.Arbitrary<StoredComment> {
  return fc
    .record({
      ...shared,
      id: idArbitrary(copies),
      body: textArbitrary(16),
      post: fc.constantFrom('', ...VOCABULARY.ids),
      answered: fc.constantFrom('post', 'comment', 'unknown'),
      other: fc.constantFrom(...VOCABULARY.ids),
      withdrawn: fc.constantFrom(false, false, false, true),
      rating: fc.constantFrom(undefined, undefined, null, 0, 0.4404, -0.5),
    })
    .map(({ rating, answered, other, address, ...fields }) => {
      const body = fields.withdrawn ? '[deleted]' : fields.body;
      const comment: StoredComment = {
        ...fields,
        kind: 'comment',
        body,
        parent: answered === 'post' ? fields.post : answered === 'comment' ? other : '',
        permalink: permalinkOf(
          address,
          `/r/${fields.community}/comments/${fields.post || '_'}/_/${fields.id}/`,
        ),
        lent: [],
        sentiment: body.length % 5 === 0 ? null : (body.length % 7) / 10,
        ratings: [],
      };
      if (rating === undefined || comment.withdrawn) return comment;
      return withRatings(comment, [{ bodyHash: hash53(body), rating }]);
    });
}

export function recordArbitrary(kind: Kind, copies = false): fc.Arbitrary<StoredRecord> {
  return kind === 'post' ? postArbitrary(copies) : commentArbitrary(copies);
}
