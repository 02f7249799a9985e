import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interpretItems } from '../../search/language/interpret.ts';
import { meaningOf } from './explain.ts';

const ADDS_NOTHING = { impliedWindow: 'off' } as const;

function meaning(text: string, kind: 'post' | 'comment' = 'post'): string {
  const { written } = interpretItems(text, ADDS_NOTHING);
  assert.equal(written.length, 1, text);
  return meaningOf(written[0]!.items, kind);
}

describe('what an item means: a record that …', () => {
  const cases: readonly (readonly [item: string, meaning: string])[] = [
    ['Solar', 'contains the word `solar`'],
    ['-solar', 'does not contain the word `solar`'],
    ['C++', 'contains the word `c`'],
    ['"Solar panel"', 'contains the words `solar panel` next to each other, in this order'],
    ['covid-19', 'contains the words `covid 19` next to each other, in this order'],
    ['Sol*', 'contains a word that starts with `sol`'],
    ['solar|wind', 'contains the word `solar` or the word `wind`'],
    [
      '-a|"b c"|de*',
      'does not contain the word `a`, the words `b c` next to each other, in this order or a word that starts with `de`',
    ],
    ['/r/Energy', 'is in /r/energy'],
    ['/r/a+b', 'is in /r/a or /r/b'],
    ['-/r/a+b+c', 'is not in /r/a, /r/b or /r/c'],
    ['/u/ann', 'is in /r/u_ann'],
    ['site:www.YouTube.com', 'links to `youtube.com` or a subdomain of it'],
    ['-site:b.org', 'does not link to `b.org` or a subdomain of it'],
    ['site:self', 'is a text post'],
    ['-site:self.energy', 'is not a text post of /r/energy'],
    ['post:t3_x1', 'is the post `x1`'],
    ['-post:x1', 'is not the post `x1`'],
    ['id:x1', 'is the post `x1`'],
    ['id:t1_x1', 'is the comment `x1`'],
    ['-id:x1', 'is not the post `x1`'],
    ['score:5', 'has a score of at least 5'],
    ['score:>5', 'has a score of at least 6'],
    ['score:<0', 'has a score of at most -1'],
    ['score:1..3', 'has a score of 1 to 3'],
    ['score:3..3', 'has a score of exactly 3'],
    ['before:2024-01-01', 'is from before 2024-01-01 (UTC)'],
    ['after:2024-01-31T18:30', 'is from 2024-01-31T18:30 (UTC) or later'],
  ];
  for (const [item, expected] of cases) it(item, () => assert.equal(meaning(item), expected));

  const ofComments: readonly (readonly [item: string, meaning: string])[] = [
    ['post:x1', 'belongs to the post `x1`'],
    ['-post:x1', 'does not belong to the post `x1`'],
    ['id:x1', 'is the comment `x1`'],
    ['id:t3_x1', 'is the post `x1`'],
    ['site:self', 'links to `self` or a subdomain of it'],
  ];
  for (const [item, expected] of ofComments) {
    it(`${item}, of comments`, () => assert.equal(meaning(item, 'comment'), expected));
  }
});
