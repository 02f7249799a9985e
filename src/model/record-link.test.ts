import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { titleInPermalink } from './record-link.ts';

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
