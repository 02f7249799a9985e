// One state has one address: round trips, links that edit the query, dates of the timeline.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readBreakdownState } from '../../src/features/analysis/breakdown-page.ts';
import {
  ADULT_TEXTS,
  type BreakdownState,
  breakdownAddress,
  LIST_VIEWS,
  MAX_TRAIL,
  PAGE_SIZES,
  readSearchState,
  type SearchState,
  searchAddress,
  TIMELINE_BARS,
} from '../../src/http/addresses.ts';
import { ORDERS } from '../../src/model/pages.ts';
import { decode, hrefs, SIGNED_IN, siteOfTests, totalOn } from './site.ts';

const ITEMS = [
  '"solar panel"',
  ...'panel -solar /r/energy site:news.example.org score:1 roof* a|b'.split(' '),
];
const words = fc.array(fc.constantFrom(...ITEMS), { maxLength: 4 });
const kind = fc.constantFrom('post', 'comment');
const state = fc.record(
  {
    query: fc.oneof(
      words.map((items) => items.join(' ')),
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed().trim()),
    ),
    kind,
    order: fc.constantFrom(...ORDERS),
    after: fc.option(fc.nat().map(String)),
    limit: fc.constantFrom(...PAGE_SIZES),
    show: fc.constantFrom(...LIST_VIEWS),
    timeline: fc.constantFrom(...TIMELINE_BARS),
    adult: fc.constantFrom(...ADULT_TEXTS),
    since: fc.option(fc.integer({ min: 1 })),
    under: fc.option(fc.constantFrom('panel', '/r/energy,-solar')),
    trail: fc.array(fc.nat().map(String), { maxLength: MAX_TRAIL }),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<SearchState>;

describe('addresses', () => {
  it('a state comes back from its address', () => {
    fc.assert(
      fc.property(state, (given) => {
        const address = searchAddress(given);
        assert.match(address, /^\/search\?[\x21-\x7e]*$/);
        const trail = given.after === null ? [] : given.trail;
        assert.deepEqual(readSearchState(address), { ...given, trail });
      }),
      { numRuns: 1000 },
    );
  });

  it('so does a breakdown', () => {
    const arbitrary = fc.record(
      {
        query: words.map((w) => w.join(' ')),
        ...{ kind: fc.constant('comment'), under: fc.option(fc.constantFrom('panel', '/r/energy,-solar')) },
        list: fc.constantFrom('', 'order_by=top&after=25&trail=0'),
        field: fc.constantFrom('community', 'domain'),
        prefix: fc.constantFrom('', 'ne', 'new york', 'ß'),
        page: fc.integer({ min: 1, max: 1000 }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<BreakdownState>, (given) => {
        assert.deepEqual(readBreakdownState(breakdownAddress(given)), given);
      }),
    );
  });

  const same = [
    ['defaults are left out', '/search?query=a&order_by=newest&kind=posts&limit=25&after=&timeline=count'],
    ['the order of parameters does not count', '/search?kind=posts&query=a'],
    ['other parameters are passed over', '/search?utm_source=x&query=a&fbclid=y'],
    ['a trail without a page does not count', '/search?query=a&trail=0.5'],
    ['spaces around the query do not count', '/search?query=%20a+'],
  ] as const;
  for (const [rule, address] of same) {
    it(rule, () => assert.equal(searchAddress(readSearchState(address)!), '/search?query=a'));
  }

  it('what is no trail is passed over', () => {
    const tooMany = new Array(MAX_TRAIL + 1).fill('0').join('.');
    for (const trail of ['x', '0.', '-1', '1e3', '00', '0'.repeat(20), tooMany]) {
      assert.deepEqual(readSearchState(`/search?query=a&after=5&trail=${trail}`)!.trail, [], trail);
    }
  });

  it('no query at all is no search', () => assert.equal(readSearchState('/search?kind=comments'), null));
});

describe('pages and their addresses', () => {
  const { get, inject } = siteOfTests();

  const page = async (url: string) => (await inject({ url, headers: SIGNED_IN })).body;

  it('200 random states: the page of an address shows that state and names that address', async () => {
    const states = fc.sample(state, { numRuns: 200, seed: 5 });
    for (const { after: _cursor, trail: _trail, ...given } of states) {
      const address = searchAddress({ ...given, after: null, trail: [] });
      const body = await page(address);
      const box = /<input id="query"[^>]* value="([^"]*)"/.exec(body)![1]!;
      assert.equal(decode(box), given.query, address);
      const canonical = /<link rel="canonical" href="([^"]*)"/.exec(body);
      if (canonical === null) {
        assert.match(body, /class="problem"/, address);
        continue;
      }
      assert.equal(decode(canonical[1]!), `http://localhost:80${address}`);
      assert.match(body, new RegExp(`aria-current="page"><h1 id="total">[^<]* ${given.kind}s?<`));
      assert.match(body, new RegExp(`aria-current="true">${given.order}<`));
      assert.ok(body.includes(given.show === 'texts' ? '>Titles only<' : '>With text<'));
      assert.match(body, new RegExp(`<b>${given.limit}</b>|class="empty"`));
    }
  });

  it('older names of parameters lead to the same address with the new ones', async () => {
    const leads = [
      ['/search?q=panel+roof&in=comments', '/search?query=panel+roof&kind=comments'],
      ['/?q=panel+roof&in=comments', '/?query=panel+roof&kind=comments'],
      ['/?query=panel+roof&kind=comments', '/search?query=panel+roof&kind=comments'],
      [
        '/breakdown?query=q%26in=a&field=domain&in=posts',
        '/breakdown?query=q%26in=a&field=domain&kind=posts',
      ],
      ['/breakdown?query=a+b&by=domains&page=2', '/breakdown?query=a+b&page=2&field=domain'],
    ] as const;
    for (const [url, to] of leads) {
      const { statusCode, headers } = await inject({ url });
      assert.deepEqual([statusCode, headers.location], [303, to], url);
    }
    for (const url of ['//example.org?in=posts', '/nowhere?q=a']) {
      assert.equal((await inject({ url })).statusCode, 404, url);
    }
  });

  it('every link of a page of results leads to a page', async () => {
    const body = await page('/search?query=panel+%2Fr%2Fenergy+before%3A2023-03-10+after%3A2023-02-01');
    const links = new Set(hrefs(body).filter((href) => href.startsWith('/') && !href.startsWith('/sign-in')));
    assert.ok(links.size > 40);
    for (const url of links) {
      // They ask for a session, which nobody has here: test/account-pages and test/citing follow them.
      if (url.startsWith('/account') || url.startsWith('/cite')) continue;
      await get(url);
    }
  });

  it('a chip takes its item away; the added after: lifts to all time', async () => {
    const body = await page('/search?query=panel+before%3A2023-03-10');
    const chips = /<nav class="chips"[\s\S]*?<\/nav>/.exec(body)![0];
    assert.deepEqual(hrefs(chips), [
      '/search?query=before%3A2023-03-10',
      '/search?query=panel',
      '/search?query=panel+before%3A2023-03-10+after%3A1970-01-01',
      '/',
    ]);
    assert.match(body, /Understood as .*after:2023-03-09/s);
    assert.equal(totalOn(await page('/search?query=panel+before%3A2023-03-10+after%3A1970-01-01')), 55);
  });

  it('Understood as is said only where something else was understood', async () => {
    const rows = [
      ['panel, solar', false],
      ['panel  solar', false],
      ['score:>5', true],
      ['/r/Energy', false],
      ['"solar panel"', false],
      ['“solar panel” a | b', false],
      ['site:https://www.example.org/a', true],
      ['rock & roll', true],
      ['after:2023-01-01', false],
    ] as const;
    for (const [query, isSaid] of rows) {
      const body = await page(`/search?query=${encodeURIComponent(query)}`);
      assert.equal(body.includes('class="understood"'), isSaid, query);
    }
  });

  it('signs that are dropped from words are told', async () => {
    const rows = [
      ['C++', 'Symbols are not searched: instead of C++, this finds C.'],
      ['C# $5 -C++', 'Symbols are not searched: instead of C#, $5 and C++, this finds C, 5 and C.'],
      ['rock & C++', 'Understood as rock C++ Symbols are not searched: instead of C++, this finds C.'],
    ] as const;
    for (const [query, expected] of rows) {
      const body = await page(`/search?query=${encodeURIComponent(query)}`);
      const line = /<p class="understood">(.*?)<\/p>/s.exec(body)?.[1] ?? '';
      assert.equal(line.replace(/<[^>]*>/g, ''), expected);
    }
  });
});
