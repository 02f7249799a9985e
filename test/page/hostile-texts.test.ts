// A thousand hostile texts as titles, texts, domains, links and communities: each is shown as text alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { decodeEntities } from '../../src/text/entities.ts';
import { comment, post } from '../helpers.ts';
import { hostileTexts } from './hostile.ts';
import { decode, hrefs, openSite, SIGNED_IN } from './site.ts';

/** As the index keeps them, in UTF-8: a lone surrogate is U+FFFD there. */
const TEXTS = hostileTexts(1000).map((text) => text.toWellFormed());

/** Texts in turn stand in each field that a page shows. */
const posts: StoredPost[] = TEXTS.map((text, i) =>
  post({
    id: `h${i}`,
    community: i % 7 === 0 ? `c${i}<b>"'` : 'hostile',
    created: 1_600_000_000 - i,
    title: text,
    selftext: i % 2 === 0 ? text : '',
    domain: i % 3 === 0 ? text.slice(0, 100) : 'self.hostile',
    url: i % 3 === 0 ? text : null,
    permalink: i % 5 === 0 ? text : `/r/hostile/comments/h${i}/`,
  }),
);
const comments: StoredComment[] = TEXTS.map((text, i) =>
  comment({ id: `h${i}`, community: 'hostile', created: 1_600_000_000 - i, body: text }),
);

/** Elements that a page of ours is made of; all others came from a text. */
const ELEMENTS =
  /^(?:html|head|meta|title|link|script|body|a|header|svg|path|span|nav|main|search|form|label|input|select|option|fieldset|legend|div|button|p|ul|li|section|h[1-3]|ol|article|bdi|mark|time|details|summary|aside|table|thead|tbody|tr|th|td|rect|text|g|figure|figcaption|pre|code|footer|dl|dt|dd|abbr|i|b|strong|em)$/;

describe('hostile texts', () => {
  for (const kind of ['posts', 'comments']) {
    it(`${kind}: no element, no attribute, no link of theirs, and the text as it is`, async () => {
      await using site = await openSite(posts, comments);
      const server = await site.build();
      let url: string | undefined = `/search?query=&in=${kind}&limit=100`;
      let seen = 0;
      while (url !== undefined) {
        const { body }: { body: string } = await server.inject({ url, headers: SIGNED_IN });
        checkMarkup(body);
        const entries = body.split('<article>').slice(1);
        for (const entry of entries) checkText(entry.split('</article>')[0]!, TEXTS[seen++]!, kind);
        url = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      assert.equal(seen, 1000);
    });
  }

  it('as a query, on every page that shows it', async () => {
    await using site = await openSite([], []);
    const server = await site.build();
    for (const [number, text] of TEXTS.slice(0, 300).entries()) {
      const query = encodeURIComponent(text.toWellFormed().slice(0, 1500));
      for (const url of [
        `/search?query=${query}`,
        `/breakdown?by=domains&query=${query}`,
        `/nope/${query}`,
        ...(number % 10 === 0 ? [`/pictures?query=${query}`] : []),
      ]) {
        const { statusCode, body } = await server.inject({ url });
        assert.ok([200, 400, 404].includes(statusCode), `${statusCode} ${url}`);
        checkMarkup(body);
      }
    }
  });
});

function checkMarkup(body: string): void {
  const markup = body.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
  for (const [tag, name] of markup.matchAll(/<\/?([^\s/>!]+)[^>]*>/g)) {
    assert.match(name!, ELEMENTS);
    assert.doesNotMatch(tag.replace(/"[^"]*"/g, '""'), /\son\w+\s*=|\sstyle\s*=|srcdoc/i);
  }
  for (const href of hrefs(body)) assert.match(href, /^(?:https?:\/\/|\/|#)/);
  // In the box itself stands what was written.
  const shown = markup.replace(/ value="[^"]*"/g, '');
  assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(shown));
}

/** Names of hidden characters back to themselves, to compare with what was stored. */
function textOf(markup: string): string {
  return decode(
    markup
      .replace(/<span class="control">U\+([0-9A-F]+)<\/span>/g, (_, code) => `\u{e000}${code}\u{e001}`)
      .replace(/<[^>]*>/g, ''),
  ).replace(/\u{e000}([0-9A-F]+)\u{e001}/gu, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
}

function checkText(entry: string, stored: string, kind: string): void {
  const shown =
    kind === 'posts' ? /<h3 class="title"[^>]*>([\s\S]*?)<\/h3>/.exec(entry)![1]! : entry.split('</h3>')[1]!;
  // A long text is an excerpt, whose lines are one.
  const plain = (written: string) => written.replace(/[\s--\ufeff]+/gv, ' ').trim();
  const text = plain(textOf(shown));
  const expected = decodeEntities(stored)
    .replace(/\r\n?/g, '\n')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1');
  const start = plain(expected).slice(0, 40);
  assert.ok(
    text.includes(start),
    `expected ${JSON.stringify(start)}, found ${JSON.stringify(text.slice(0, 200))}`,
  );
}
