import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../../test/helpers.ts';
import { entryText, entryTitle, groupOlder, MAX_ENTRY_TEXT, olderEntry, recordEntry } from './feed.ts';

const PLACE = { host: 'search.example.org', permalinkBase: 'https://www.reddit.com' };

describe('an entry', () => {
  it('of a post has its title, its link and its text', () => {
    const texts = { title: 'Rock &amp; roll', selftext: 'a\nb' };
    const record = post({ id: 'abc', ...texts, created: 5, community: 'music' });
    assert.deepEqual(recordEntry({ record, arrival: 3, time: 7 }, PLACE), {
      id: 'tag:search.example.org,2026:post:abc',
      title: 'Rock & roll',
      link: 'https://www.reddit.com/r/music/comments/abc/',
      text: 'a\nb',
      published: 5,
      updated: 7,
      tags: ['r/music'],
    });
  });

  it('of a comment is named by its community and its first words', () => {
    const body = `The inverter ${'hums and hums '.repeat(20)}`;
    const { id, title } = recordEntry({ record: comment({ id: 'c', body }), arrival: 1, time: 1 }, PLACE);
    assert.equal(id, 'tag:search.example.org,2026:comment:c');
    assert.match(title, /^\/r\/energy: The inverter hums .* (?:hums|and)…$/);
    assert.ok(title.length < 100);
  });

  it('of a link begins with what it links to, and one without a title or a web address has others', () => {
    const record = post({ id: 'l', title: ' ', url: 'https://a.example/', permalink: 'javascript:alert(1)' });
    const { title, text, link } = recordEntry({ record, arrival: 1, time: 1 }, PLACE);
    assert.deepEqual(
      [title, text, link],
      ['A post in /r/energy', 'https://a.example/', 'https://www.reddit.com'],
    );
  });

  it('has a text that is cut at a character', () => {
    assert.equal(entryText('x'.repeat(MAX_ENTRY_TEXT)), 'x'.repeat(MAX_ENTRY_TEXT));
    assert.equal(entryText('😀'.repeat(MAX_ENTRY_TEXT + 1)), `${'😀'.repeat(MAX_ENTRY_TEXT - 1)}…`);
    assert.equal(entryText('&amp;'.repeat(MAX_ENTRY_TEXT)), '&'.repeat(MAX_ENTRY_TEXT));
    assert.equal(entryTitle('a\n\u0007b\t c'), 'a b c');
  });
});

describe('older records', () => {
  const DAY = 86_400;
  const older = [
    { arrival: 9, time: 5 * DAY, count: 1 },
    { arrival: 8, time: 5 * DAY, count: 10 },
    { arrival: 7, time: 5 * DAY, count: 100 },
    { arrival: 4, time: 2 * DAY + 9, count: 5 },
    { arrival: 3, time: 2 * DAY, count: 6 },
    { arrival: 2, time: DAY, count: 7 },
  ];

  it('are one group an import; what no import is known of is one a day', () => {
    const imports = [{ number: 12, source: 'RC_2014-03.zst', first: 7, last: 8 }];
    const group = (name: string, sources: string[], ...[arrival, least, first, time, count]: number[]) => {
      return { name, sources, arrival, least, first, time, count };
    };
    assert.deepEqual(groupOlder(older, imports), [
      group('arrived:1970-01-06', [], 9, 9, 1, 5 * DAY, 1),
      group('import:12', ['RC_2014-03.zst'], 8, 7, 7, 5 * DAY, 110),
      group('arrived:1970-01-03', [], 4, 3, 1, 2 * DAY + 9, 11),
      group('arrived:1970-01-02', [], 2, 2, 1, DAY, 7),
    ]);
  });

  it('that several imports may have brought are told with the first, and name all', () => {
    const imports = ['a.zst', 'b.zst', 'c.zst'].map((source, i) => {
      return { number: i + 1, source, first: 4, last: 4 };
    });
    const feed = { id: 'tag:a.example,2026:saved:1', link: 'https://a.example/search' };
    const titles = [1, 2, 3].map((count) => {
      const groups = groupOlder([{ arrival: 4, time: 9, count: 5 }], imports.slice(0, count));
      const groupNames = groups.map(({ name }) => name);
      assert.deepEqual(groupNames, ['import:1']);
      return olderEntry(groups[0]!, 'post', feed).title;
    });
    assert.deepEqual(titles, [
      '5 older posts came in: a.zst',
      '5 older posts came in: a.zst and one other source',
      '5 older posts came in: a.zst and 2 other sources',
    ]);
  });
});
