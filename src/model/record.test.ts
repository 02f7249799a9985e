import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Kind, readRecordId, titleInPermalink } from './record.ts';

const BASE = 'https://mirror.example.org/archive';

/** Each reads as `abc123`, or as `c0ffee`; ids in links may have their prefixes, as in queries. */
const POSTS = `abc123 t3_abc123 T3_abc123
  /r/energy/comments/abc123/ /r/energy/comments/abc123 r/energy/comments/abc123/a_title
  /comments/abc123 /user/ann/comments/abc123/a_title/
  https://www.reddit.com/r/energy/comments/abc123/a_title/
  https://www.reddit.com/r/energy/comments/abc123/a_title/?utm_source=share
  https://www.reddit.com/r/energy/comments/abc123/%F0%9F%98%80_x/
  https://www.reddit.com/r/energy/comments/t3_abc123/slug/
  http://old.reddit.com/r/energy/comments/abc123#top
  https://np.reddit.com/r/energy/comments/abc123/x
  reddit.com/r/energy/comments/abc123/x/ www.reddit.com/gallery/abc123
  HTTPS://WWW.REDDIT.COM/R/Energy/Comments/abc123/
  https://redd.it/abc123 redd.it/abc123/ https://redd.it/t3_abc123
  ${BASE}/r/energy/comments/abc123/ https://elsewhere.example/r/energy/comments/abc123/x`;
const COMMENTS = `c0ffee t1_c0ffee
  /r/energy/comments/abc123/_/c0ffee/ /r/energy/comments/_/_/c0ffee/
  /r/energy/comments/abc123/comment/c0ffee /r/energy/comments/t3_abc/slug/t1_c0ffee/
  https://old.reddit.com/r/energy/comments/abc123/a_title/c0ffee/?context=3
  https://www.reddit.com/r/energy/comments/abc123//c0ffee
  ${BASE}/r/energy/comments/abc123/a_title/c0ffee/`;

describe('what is read as the id of a record', () => {
  const rows: readonly (readonly [kind: Kind, id: string, texts: string])[] = [
    ['post', 'abc123', POSTS],
    ['comment', 'c0ffee', COMMENTS],
    ['post', 'a_b-C', 'a_b-C'],
    // Only `t1_` and `t3_` are prefixes of records.
    ['post', 't8_x', 't8_x'],
    ['comment', 't8_x', 't8_x'],
  ];
  for (const [kind, id, texts] of rows) {
    for (const text of texts.split(/\s+/))
      it(`${kind} ${text}`, () => assert.deepEqual(readRecordId(kind, text, BASE), { id }));
  }
});

describe('what is refused', () => {
  const refused: readonly (readonly [Kind, string, RegExp])[] = [
    ['post', '', /expected the id or permalink of a post, found ``/],
    ['post', 't1_abc', /found that of a comment: `t1_abc`/],
    ['comment', 't3_abc', /found that of a post: `t3_abc`/],
    ['post', 't5_abc', /found `t5_abc`/],
    ['post', 'two words', /found `two words`/],
    ['post', 'x'.repeat(65), /found `x+`/],
    ['post', '/r/energy/comments/abc/_/c0ffee/', /found that of a comment/],
    ['comment', '/r/energy/comments/abc/a_title/', /found that of a post/],
    ['comment', 'https://redd.it/abc', /found that of a post/],
    ['post', '/r/energy/comments/t1_abc/', /found/],
    ['post', '/r/energy/comments/t5_abc/', /found/],
    ['post', 'https://v.redd.it/abc', /found/],
    ['post', 'https://www.reddit.com/r/energy/s/AbCdEf', /found/],
    ['post', 'https://www.reddit.com/r/energy/', /found/],
    ['post', 'elsewhere.example/r/energy/comments/abc', /found/],
    ['post', 'abc,def', /found/],
    ['post', `https://x/${'y'.repeat(5000)}`, /…`$/],
  ];
  for (const [kind, text, problem] of refused) {
    it(`${kind} ${JSON.stringify(text.slice(0, 60))}`, () => {
      const reading = readRecordId(kind, text, BASE);
      assert.match('problem' in reading ? reading.problem : `the id ${reading.id}`, problem);
    });
  }

  it('any text is read to an id of the right form or to a problem', () => {
    const kinds = fc.constantFrom('post' as const, 'comment' as const);
    fc.assert(
      fc.property(kinds, fc.oneof(fc.string(), fc.webUrl()), (kind, text) => {
        const reading = readRecordId(kind, text, '');
        assert.ok('problem' in reading || /^[\w-]{1,64}$/.test(reading.id));
      }),
    );
  });
});

describe('the title of a thread in the permalink of a comment', () => {
  const rows: readonly (readonly [what: string, permalink: string, title: string | null])[] = [
    ['relative', '/r/energy/comments/abc12/how_do_i_clean_them/c0ffee/', 'How do i clean them'],
    ['absolute', 'https://www.reddit.com/r/a/comments/abc12/solar/c0ffee', 'Solar'],
    ['with a query', '/r/a/comments/abc12/solar/c0ffee/?context=3', 'Solar'],
    ['in percent-encoding', '/r/a/comments/abc12/caf%C3%A9_%F0%9F%8C%9E/c0ffee/', 'Café 🌞'],
    ['not in UTF-8', '/r/a/comments/abc12/caf%E9/c0ffee/', 'Caf%E9'],
    ['beyond the first plane', '/r/a/comments/abc12/𐐨𐐩/c0ffee/', '𐐀𐐩'],
    [
      'cut by the site',
      '/r/a/comments/1k/peru_to_provide_free_solar_power_to_2_million_of/c1/',
      'Peru to provide free solar power to 2 million of…',
    ],
    ['none: made from ids', '/r/a/comments/abc12/_/c0ffee/', null],
    ['none: a dash', '/r/a/comments/abc12/-/c0ffee/', null],
    ['none: blanks', '/r/a/comments/abc12/%20_/c0ffee/', null],
    ['none: as new addresses have it', '/r/a/comments/abc12/comment/c0ffee/', null],
    ['the link of a post', '/r/a/comments/abc12/solar/', null],
    ['no link', 'solar', null],
    ['too long for one', `/r/a/comments/abc12/${'a_'.repeat(300)}/c0ffee/`, null],
  ];
  for (const [what, permalink, title] of rows) {
    it(what, () => assert.equal(titleInPermalink(permalink), title));
  }
});
