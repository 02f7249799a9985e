// The documents themselves, by the rules of their forms, of texts that readers stumble over.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Feed, MAX_ENTRY_TEXT } from '../../src/features/saved/feed.ts';
import { AWKWARD_FEEDS, FORMS } from './awkward-feeds.ts';
import { type ReadFeed, readAtom, readJsonFeed } from './rules.ts';
import { parseXml } from './xml.ts';

const READERS = { atom: readAtom, json: readJsonFeed };

for (const form of ['atom', 'json'] as const) {
  describe(`a feed as ${form}`, () => {
    it('keeps the rules of its form, whatever the texts', () => {
      for (const feed of AWKWARD_FEEDS) {
        const told = ({ title, home, self, next, entries }: Feed | ReadFeed) => ({
          ...{ title, home, self, next },
          entries: entries.map(({ id, title: of, link, text }) => ({ id, of, link, text })),
        });
        assert.deepEqual(told(READERS[form](FORMS[form](feed))), told(feed));
      }
    });

    it('has no control character, no lone surrogate, and texts of 2,000 characters at the most', () => {
      for (const feed of AWKWARD_FEEDS) {
        for (const { title, text } of READERS[form](FORMS[form](feed)).entries) {
          assert.ok(text.isWellFormed() && title.isWellFormed());
          assert.doesNotMatch(text, /(?![\n\t])\p{Cc}/u);
          assert.doesNotMatch(title, /\p{Cc}/u);
          assert.ok(Array.from(text).length <= MAX_ENTRY_TEXT);
        }
      }
    });
  });
}

it('the reader of these tests refuses what is not well-formed, and what XML cannot contain', () => {
  const head = '<?xml version="1.0" encoding="utf-8"?>\n';
  const wrong = '<a> <a></b> <a>&nbsp;</a> <a>&</a> <a>\u0001</a> <a\tb="<"/> <a/>x <a/><a/>';
  for (const broken of wrong.split(' ')) assert.throws(() => parseXml(head + broken), broken);
  assert.deepEqual(parseXml(`${head}<a b="1 &amp; 2">x &lt;<c/></a>`), {
    name: 'a',
    attributes: { b: '1 & 2' },
    children: [{ name: 'c', attributes: {}, children: [], text: '' }],
    text: 'x <',
  });
});
