// Permalinks, and what a post links to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  API_COMMENT,
  API_POST,
  COMMENT,
  comment,
  LINK,
  OPTIONS,
  post,
  TEXT,
  without,
} from '../../../test/raw-rows.ts';
import type { Row } from './cells.ts';
import { normalise } from './normalise.ts';

const ORPHAN = without(COMMENT, 'permalink', 'link_id', 'parent_id');
const PERMALINKS: [rule: string, row: Row, permalink: string][] = [
  ['relative stays', LINK, '/r/SolarPower/comments/abc12/first_light/'],
  ['absolute stays', { ...LINK, permalink: 'http://old.reddit.com/x/' }, 'http://old.reddit.com/x/'],
  ['without its slash gets one', { ...LINK, permalink: 'r/x/comments/abc12/' }, '/r/x/comments/abc12/'],
  ['without a scheme gets https', { ...LINK, permalink: '//reddit.com/x' }, 'https://reddit.com/x'],
  ['missing, post', without(LINK, 'permalink'), '/r/SolarPower/comments/abc12/'],
  ['empty, post', { ...LINK, permalink: '' }, '/r/SolarPower/comments/abc12/'],
  ['no address at all', { ...LINK, permalink: 'javascript:alert(1)' }, '/r/SolarPower/comments/abc12/'],
  ['missing, comment', without(COMMENT, 'permalink'), '/r/SolarPower/comments/abc12/_/c0ffee/'],
  ['missing, comment without link_id', ORPHAN, '/r/SolarPower/comments/_/_/c0ffee/'],
];

for (const [rule, row, expected] of PERMALINKS) {
  test(`permalink: ${rule}`, () => {
    const outcome = normalise(row, OPTIONS);
    assert.equal(outcome.kind === 'record' ? outcome.record.permalink : outcome.kind, expected);
  });
}

test("a comment's post is that of link_id, else that of its permalink", () => {
  assert.equal(comment({ ...COMMENT, link_id: 't3_zzz' }).post, 'zzz');
  assert.equal(comment(without(COMMENT, 'link_id')).post, 'abc12');
  assert.equal(comment(API_COMMENT).post, 'abc12');
  assert.equal(comment(ORPHAN).post, '');
  assert.equal(comment({ ...API_COMMENT, permalink: '/r/x/comments/_/_/c0ffee/' }).post, '');
});

const OWN = 'self.SolarPower';
const SITE = 'reddit.com';
const OTHER = 'https://www.reddit.com/r/other/comments/zzz/t/';
const NO_THREAD = 'https://notreddit.com/r/x/comments/abc12/';
const HOST = 'http://www.Example.org:80/x';
/** The post, what is other in it, and its address and domain. */
const ADDRESSES: [rule: string, post: Row, other: Row, url: string | null, domain: string][] = [
  ['a link', LINK, {}, 'https://example.org/a', 'example.org'],
  ['is_self: a text post', TEXT, {}, null, OWN],
  ['is_self as text', TEXT, { is_self: 'True', url: 'https://example.org/' }, null, OWN],
  ['is_self, domain missing', without(TEXT, 'domain', 'url'), {}, null, OWN],
  ['the address is its own thread', TEXT, { is_self: false }, null, OWN],
  ['on old.', TEXT, { is_self: false, url: 'http://old.reddit.com/r/x/comments/abc12/' }, null, OWN],
  ['relative', TEXT, { is_self: undefined, url: '/r/SolarPower/comments/abc12/t/' }, null, OWN],
  ['short', TEXT, { is_self: undefined, url: 'https://redd.it/abc12' }, null, OWN],
  ['another thread is a link', LINK, { domain: 'self.other', url: OTHER }, OTHER, 'self.other'],
  ['another site with such a path is a link', LINK, { url: NO_THREAD }, NO_THREAD, 'example.org'],
  ['url_overridden_by_dest goes first', LINK, { url_overridden_by_dest: 'a://b' }, 'a://b', 'example.org'],
  ['a relative address gets the base', LINK, { domain: '', url: '/r/other/comments/zzz/t/' }, OTHER, SITE],
  ['no scheme is https', LINK, { domain: null, url: '//www.a.net/x' }, 'https://www.a.net/x', 'a.net'],
  ['entities stay', LINK, { url: 'https://a.org/?a=1&amp;b=2' }, 'https://a.org/?a=1&amp;b=2', 'example.org'],
  ['domain missing: the host without www.', LINK, { domain: null, url: HOST }, HOST, 'example.org'],
  ['domain missing, no host', LINK, { domain: null, url: 'not an address' }, 'not an address', ''],
  ['a link that lost its address', LINK, { domain: null, url: null }, null, ''],
  ['a lost address, domain known (API record)', API_POST, { domain: 'example.org' }, null, 'example.org'],
  ['a lost address and domain (API record)', API_POST, { domain: '' }, null, ''],
  ['a text post in the API shape keeps its spelling', API_POST, {}, null, OWN],
  ['a profile post', TEXT, { subreddit: 'u_Ann', domain: 'self.Ann' }, null, 'self.u_Ann'],
  ['ftp', LINK, { domain: undefined, url: 'ftp://ftp.a.org/' }, 'ftp://ftp.a.org/', 'ftp.a.org'],
];

for (const [rule, row, other, url, domain] of ADDRESSES) {
  test(`address: ${rule}`, () => {
    const stored = post({ ...row, ...other });
    assert.deepEqual([stored.url, stored.domain], [url, domain]);
  });
}

test('the operator’s base goes before relative addresses, and its threads are own threads', () => {
  const options = { kind: null, permalinkBase: 'https://archive.example:8443' };
  const stored = (url: string) => {
    const outcome = normalise({ ...LINK, url }, options);
    return outcome.kind === 'record' && outcome.record.kind === 'post' ? outcome.record.url : outcome.kind;
  };
  assert.equal(stored('/r/other/comments/zzz/'), 'https://archive.example:8443/r/other/comments/zzz/');
  assert.equal(stored('/r/SolarPower/comments/abc12/'), null);
});
