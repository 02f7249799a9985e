// A thousand hostile texts as titles, texts, domains, links and communities: each is shown as text alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markdown, plainSegments } from '../../src/http/views/markdown.ts';
import { renderSegments, wordsOf } from '../../src/http/views/record-text.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { interpretQuery } from '../../src/search/language/interpret.ts';
import { decodeEntities } from '../../src/text/entities.ts';
import { comment, post } from '../helpers.ts';
import { hostileTexts } from './hostile.ts';
import { checkMarkup } from './markup.ts';
import { decode, entriesOf, hrefs, siteOfTests } from './site.ts';

/** As the index keeps them, in UTF-8: a lone surrogate is U+FFFD there. */
const TEXTS = hostileTexts(1000).map((text) => text.toWellFormed());

/** Each payload in each of its forms; the others join it with more of the rest. */
const FORMED = TEXTS.slice(0, 250);

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
  comment({
    ...{ id: `h${i}`, community: 'hostile', created: 1_600_000_000 - i, post: `h${i}`, body: text },
    permalink: i % 4 === 0 ? text : '',
  }),
);

const words = wordsOf(interpretQuery('alert xx* "evil example"', { impliedWindow: 'off' }).query);

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `[x](${text})`,
  (text) => `[x](<${text}> "${text}")`,
  (text) => `![${text}](${text})`,
  (text) => `[${text}](https://example.org/?${text})`,
  (text) => `[x][y]\n\n[y]: ${text}`,
  (text) => `<${text}>`,
  (text) => `https://${text}`,
  (text) => `/r/${text} r/${text}`,
  (text) => `&gt; # ${text}\n\n- *${text}*\n1. **${text}**`,
  (text) => `| ${text} | b |\n|---|---|\n| ~~${text}~~ | ^(${text}) |`,
  (text) => `\`\`\`${text}\n${text}\n\`\`\`\n\n    ${text}`,
  (text) => `>!${text}!< \`${text}\` ^${text}`,
];

describe('hostile texts', () => {
  const { get, inject } = siteOfTests(posts, comments);
  const checked = async (url: string): Promise<string> => {
    const body = await get(url);
    checkMarkup(body);
    return body;
  };

  for (const kind of ['posts', 'comments']) {
    it(`${kind}: no element, no attribute, no link of theirs, and the text as it is`, async () => {
      let url: string | undefined = `/search?query=&kind=${kind}&limit=100`;
      let seen = 0;
      while (url !== undefined) {
        const body: string = await checked(url);
        for (const entry of entriesOf(body)) checkText(entry, TEXTS[seen++]!, kind);
        url = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      assert.equal(seen, 1000);
    });
  }

  it('posts and comments, each on its own page: the text whole, and text alone', async () => {
    for (const [i, text] of FORMED.entries()) {
      const q = encodeURIComponent(text.slice(0, 200).toWellFormed());
      const post = await checked(`/record/posts/h${i}?query=${q}`);
      if (posts[i]!.selftext !== '') assert.equal(sourceOf(post), tame(text));
      assert.equal(sourceOf(await checked(`/record/comments/h${i}?query=${q}`)), tame(text));
    }
  });

  it('threads, with the text as title, as post and as comment', async () => {
    for (const [i, text] of FORMED.entries())
      await checked(`/thread/h${i}?query=${encodeURIComponent(text.slice(0, 200).toWellFormed())}`);
  });

  it('in every form of Markdown: no element and no address that is not listed', () => {
    for (const text of hostileTexts(250)) {
      for (const form of FORMS) {
        const markup = markdown(form(text), words).toString();
        checkMarkup(markup);
        for (const href of hrefs(markup))
          assert.match(href, /^(?:https?:\/\/[^\s"<>]+|\/search\?query=%2Fr%2F\w+)$/);
        checkMarkup(renderSegments(plainSegments(form(text), words)).toString());
      }
    }
  });

  it('as names of communities and domains, and as distinctive words', async () => {
    for (const url of [
      ...[1, 2, 3].flatMap((page) =>
        ['subreddit', 'domain'].map((field) => `/breakdown?query=&field=${field}&page=${page}`),
      ),
      ...['alert', 'plain', 'https'].flatMap((word) =>
        ['posts', 'comments'].flatMap((kind) => [
          `/pictures?query=${word}&kind=${kind}`,
          `/compare?kind=${kind}&query=${word}&query=words`,
        ]),
      ),
    ]) {
      await checked(url);
    }
  });

  it('as a query, on every page that shows it', async () => {
    for (const [number, text] of FORMED.entries()) {
      const query = encodeURIComponent(text.toWellFormed().slice(0, 1500));
      const others = [
        `/breakdown?field=domain&query=${query}`,
        `/nope/${query}`,
        `/compare?query=${query}&query=plain`,
      ];
      for (const url of [
        `/search?query=${query}`,
        // Each payload stands in five forms.
        others[number % others.length]!,
        ...(number % 10 === 0 ? [`/pictures?query=${query}`] : []),
      ]) {
        const { statusCode, body } = await inject({ url });
        assert.ok([200, 400, 404].includes(statusCode), `${statusCode} ${url}`);
        checkMarkup(body);
      }
    }
  });
});

/** Names of hidden characters back to themselves, to compare with what was stored. */
function textOf(markup: string): string {
  return decode(
    markup
      .replace(/<span class="control">U\+([0-9A-F]+)<\/span>/g, (_, code) => `\u{e000}${code}\u{e001}`)
      .replace(/<[^>]*>/g, ''),
  ).replace(/\u{e000}([0-9A-F]+)\u{e001}/gu, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
}

/** As a page shows a text: ends of lines as characters, piles of marks cut. */
function tame(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(\p{M}{4})\p{M}+/gu, '$1');
}

function sourceOf(page: string): string {
  return textOf(/<summary>Source<\/summary><pre dir="auto">([\s\S]*?)<\/pre>/.exec(page)![1]!);
}

/** A title is shown to the letter. A text loses its syntax and its addresses: the letters before them stay. */
function checkText(entry: string, stored: string, kind: string): void {
  const isTitle = kind === 'posts';
  const shown = isTitle
    ? /<h3 class="title"[^>]*>([\s\S]*?)<\/h3>/.exec(entry)![1]!
    : entry.split('</h3>')[1]!;
  const plain = (written: string) =>
    isTitle ? written.replace(/[\s--\ufeff]+/gv, ' ').trim() : written.replace(/[^\p{L}\p{N}]+/gu, '');
  const text = plain(textOf(shown));
  const written = tame(decodeEntities(isTitle ? stored : stored.split(/https?:|\]\(/)[0]!));
  const start = plain(written.trim().slice(0, 40));
  const [expected, found] = [start, text.slice(0, 200)].map((one) => JSON.stringify(one));
  assert.ok(text.includes(start), `expected ${expected}, found ${found}`);
}
