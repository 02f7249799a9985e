// Feeds of records that readers stumble over, in both forms, with what is in them.

import {
  atomOf,
  cleanText,
  type Feed,
  type FeedEntry,
  groupOlder,
  jsonFeedOf,
  olderEntry,
  recordEntry,
  tagOf,
} from '../../src/features/saved/feed.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { AWKWARD_TEXTS } from '../export-shaping.ts';
import { comment, post } from '../helpers.ts';

const PLACE = { host: 'search.example.org', permalinkBase: 'https://www.reddit.com' };
const ADDRESS = 'https://search.example.org';
const NOW = 1_800_000_000;
const LINK = 'https://a.example/?b=1&c=<d>';

/** Beside those that exports stumble over. */
export const TEXTS = [
  ...AWKWARD_TEXTS,
  ...[']]>', '<![CDATA[x]]>', '<script>alert(1)</script>', '%00 <!-- -->', '<?xml version="1.0"?>'],
  ...['&lt;b&gt; &amp;amp; &#x200B; &nbsp;', '&#0;&#8;&#xD800;', '&unknown; & &; &#;'],
  ...['\u0000\u0008\u000b\u001b\u007f\u0085\u009f', '\ud800 lone \udc00', '\ufffe\uffff\ufdd0'],
  ...['a\r\nb\rc\n\n\nd', '   ', '', '\u2028\u2029', '\u202emirrored\u202c'],
  ...['x'.repeat(5_000), '😀'.repeat(3_000), `"quotes" 'and' more`, 'שלום עולם', '日本語のテキスト'],
];

function recordsOf(text: string, number: number): StoredRecord[] {
  return [
    post({ id: `p${number}`, title: text, selftext: text, url: text === '' ? LINK : null }),
    comment({ id: `c${number}`, body: text, permalink: `/r/energy/c${number} "<&>`, created: NOW - 5 }),
    comment({ id: `d-_${number}`, body: text + text, permalink: 'javascript:alert(1)', community: 'u_x' }),
  ];
}

/** One for each text. */
export const AWKWARD_FEEDS: readonly Feed[] = TEXTS.map((text, number) => {
  const id = tagOf(PLACE.host, `saved:${number + 1}`);
  const records = recordsOf(text, number).map((record, i) =>
    recordEntry({ record, arrival: 9 - i, time: NOW - i }, PLACE),
  );
  const [group] = groupOlder(
    [{ arrival: 3, time: NOW - 100, count: 2_013_221 }],
    [{ number: 7, source: `RC_2014-03${text}.zst`, first: 2, last: 3 }],
  );
  const older: FeedEntry = olderEntry(group!, 'comment', { id, link: `${ADDRESS}/search?query=&since=1` });
  return {
    id,
    title: cleanText(text).trim() || 'Everything',
    description: cleanText(`Comments that match: ${text}`),
    home: `${ADDRESS}/search?query=`,
    self: `${ADDRESS}/feed/${'a'.repeat(32)}.atom`,
    next: number % 2 === 0 ? `${ADDRESS}/feed/${'a'.repeat(32)}.atom?page=2` : null,
    updated: NOW,
    entries: [...records, older],
  };
});

export const FORMS = { atom: atomOf, json: jsonFeedOf };
