import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { domainSuffixes, linkedDomains, normaliseDomain } from './domains.ts';

const NORMAL: readonly (readonly [rule: string, text: string, domain: string | null])[] = [
  ['a domain is itself', 'youtube.com', 'youtube.com'],
  ['case is ignored', 'YouTube.COM', 'youtube.com'],
  ['www. is ignored', 'www.youtube.com', 'youtube.com'],
  ['www. is ignored however often', 'www.www.a.com', 'a.com'],
  ['a domain named www is kept', 'www.com', 'www.com'],
  ['scheme, user, port, path, query, fragment', 'HTTPS://me:pw@m.youtube.com:443/w?v=1#t', 'm.youtube.com'],
  ['port alone', 'localhost:8080', 'localhost'],
  ['path alone', 'youtube.com/watch', 'youtube.com'],
  ['query alone', 'youtube.com?x', 'youtube.com'],
  ['without scheme', '//youtube.com/', 'youtube.com'],
  ['last dot', 'youtube.com.', 'youtube.com'],
  ['spaces around it', ' youtube.com ', 'youtube.com'],
  ['IDN as punycode', 'Bücher.example', 'xn--bcher-kva.example'],
  ['punycode stays', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['IDN with an ideographic dot', '日本語。jp', 'xn--wgv71a119e.jp'],
  ['a top-level domain', 'com', 'com'],
  ['underscore and hyphens stand in real names', 'a_b.-c-.tumblr.com', 'a_b.-c-.tumblr.com'],
  ['an address', 'http://192.168.0.1:80/', '192.168.0.1'],
  ['text posts', 'self', 'self'],
  ['text posts of a community, in lower case', 'self.AskReddit', 'self.askreddit'],
  ['any name of a community', 'self.u_x-y.z:1', 'self.u_x-y.z:1'],
  ['a name ends at a slash', 'self.x/', 'self.x'],
  ['no name', 'self.', 'self'],
  ['dots behind a name', 'self.x..', 'self.x'],
  ['a link to a domain that begins so', 'https://www.self.com/a', 'self.com'],
  ['63 characters in a label', `${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ['64 are none', `${'a'.repeat(64)}.com`, null],
  ['over 253 in all', `${'a.'.repeat(126)}aa`, null],
  ['nothing', '', null],
  ['scheme alone', 'https://', null],
  ['www alone', 'www.', null],
  ['a label without letter or digit', '-.com', null],
  ['an empty label', 'a..com', null],
  ['spaces inside', 'a b.com', null],
  ['other signs', 'a+b.com', null],
  ['lone surrogates', '\ud800.com', null],
  ['an IPv6 address', 'http://[::1]/', null],
];

for (const [rule, text, domain] of NORMAL) {
  test(`normaliseDomain: ${rule}`, () => assert.equal(normaliseDomain(text), domain));
}

const SUFFIXES: readonly (readonly [rule: string, domain: string, suffixes: string])[] = [
  ['at label boundaries, longest first', 'm.youtube.com', 'm.youtube.com youtube.com com'],
  ['one label', 'localhost', 'localhost'],
  ['a text post is one piece', 'self.u_a.b', 'self.u_a.b'],
  ['self means text posts alone', 'a.self', 'a.self'],
  ['an address is one piece', '10.0.0.1', '10.0.0.1'],
];

for (const [rule, domain, suffixes] of SUFFIXES) {
  test(`domainSuffixes: ${rule}`, () => assert.equal(domainSuffixes(domain).join(' '), suffixes));
}

const LINKS: readonly (readonly [rule: string, body: string, domains: string])[] = [
  ['http, https, www., in any case', 'http://a.com HTTPS://B.com/x Www.c.com', 'a.com b.com c.com'],
  ['normalised without www.', 'http://www.a.com www.b.co.uk', 'a.com b.co.uk'],
  ['each once', 'http://a.com http://www.a.com/x www.A.com', 'a.com'],
  [
    'Markdown',
    '[x](http://a.com/b) [www.b.com](https://c.com "t") <http://d.com>',
    'a.com b.com c.com d.com',
  ],
  ['emphasis', '**http://a.com** *www.b.com* _see http://c.com_ ~~http://d.com~~', 'a.com b.com c.com d.com'],
  ['punctuation', 'http://a.com. (www.b.com), www.c.com... "http://d.com"!', 'a.com b.com c.com d.com'],
  ['after a word character it is none', 'xhttp://a.com 1www.b.com _www.c.com', ''],
  ['a letter past ASCII is no word character', '見てhttp://a.com', 'a.com'],
  ['a comma separates links', 'http://a.com,http://b.com', 'a.com b.com'],
  ['a link inside a path counts', 'https://web.archive.org/web/http://a.com/', 'web.archive.org a.com'],
  ['a scheme typed twice', 'http://https://a.com', 'a.com'],
  ['user and port', 'http://me:pw@a.com:80/ http://b.com@c.com', 'a.com c.com'],
  ['relative links and plain domains are none', '/r/x [y](/wiki) a.com me@b.com #c', ''],
  ['other schemes are none', 'ftp://a.com mailto:b@c.com', ''],
  [
    'entities are decoded first, twice',
    'http:&#x2F;&amp;#47;a.com &lt;www.b.com&gt; http://c.com/?a=1&amp;b',
    'a.com b.com c.com',
  ],
  ['IDN', 'http://bücher.example www.пример.рф', 'xn--bcher-kva.example xn--e1afmkfd.xn--p1ai'],
  ['addresses and single labels', 'http://10.0.0.1/ http://localhost:80', '10.0.0.1 localhost'],
  ['nothing behind it', 'http:// https://... www. www.. http://- www.-', ''],
  ['quoted and in code', '> www.a.com\n\n`http://b.com`|http://c.com|', 'a.com b.com c.com'],
];

for (const [rule, body, domains] of LINKS) {
  test(`linkedDomains: ${rule}`, () => assert.equal(linkedDomains(body).join(' '), domains));
}

test('normalising again changes nothing, and never throws', () => {
  const part = fc.constantFrom('www.', 'self', '://', 'http', '80', ...'.aB-_ü日@:/?ß\u00ad');
  const texts = fc.oneof(
    fc.array(part, { maxLength: 10 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const domain = normaliseDomain(text);
      if (domain !== null) assert.equal(normaliseDomain(domain), domain);
    }),
    { numRuns: 5_000 },
  );
});

test('what a comment links to is found by its own normal form', () => {
  const part = fc.constantFrom('http://', 'HTTPS://', 'www.', 'a.com', '&amp;', ...'b._- ,@:ü(/');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
      const domains = linkedDomains(parts.join(''));
      assert.equal(new Set(domains).size, domains.length);
      for (const domain of domains) {
        assert.ok(domainSuffixes(domain).includes(domain));
        assert.equal(normaliseDomain(domain), domain);
      }
    }),
    { numRuns: 5_000 },
  );
});

test('hostile bodies of a hundred thousand characters are answered', () => {
  const parts = 'http:// www. http://a@ a. _ http://_ http://-a : &amp;'.split(' ');
  for (const part of [...parts, `http://${'a'.repeat(70)}`]) {
    const body = `http://${part.repeat(100_000 / part.length)}://x`;
    assert.ok(linkedDomains(body).length <= 2);
    assert.equal(normaliseDomain(body)?.includes('/') ?? false, false);
  }
});
