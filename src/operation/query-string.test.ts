import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseQueryString } from './parameters.ts';

describe('query string', () => {
  const good: readonly [rule: string, raw: string, ...pairs: (readonly [string, string])[]][] = [
    ['nothing: no pair', ''],
    ['pairs come in the order given', 'b=1&a=2', ['b', '1'], ['a', '2']],
    ['a piece without = has an empty value', 'query', ['query', '']],
    ['only the first = parts name and value', 'a=b=c', ['a', 'b=c']],
    ['empty pieces are passed over', '&a=1&&', ['a', '1']],
    ['+ is a space', 'a=b+c', ['a', 'b c']],
    ['an escaped + is a plus', 'a=b%2Bc', ['a', 'b+c']],
    ['escapes are read in either case', 'a=%2c%2C%3a', ['a', ',,:']],
    ['names are decoded too', '%61=1', ['a', '1']],
    ['escapes are bytes of UTF-8', 'a=caf%C3%A9%F0%9F%98%80', ['a', 'café😀']],
    ['raw bytes of UTF-8 count as they are', 'a=caf\u00c3\u00a9', ['a', 'café']],
    ['a byte order mark stays', 'a=%EF%BB%BF', ['a', '\ufeff']],
    ['NUL is a character', 'a=%00', ['a', '\0']],
  ];
  const read = (raw: string) => parseQueryString(raw).map(({ name, value }) => [name, value]);
  for (const [rule, raw, ...pairs] of good) it(rule, () => assert.deepEqual(read(raw), pairs));

  const bad: readonly [rule: string, raw: string, found: RegExp][] = [
    ['a percent sign without digits', 'a=100%', /`a`.*found `%`/],
    ['a percent sign with one digit', 'a=%4', /found `%4`/],
    ['a percent sign with other characters', 'a=%zz', /found `%zz`/],
    ['an escape in two digits and a sign', 'a=%+1', /found `% 1`/],
    ['a byte that begins nothing', 'a=%ff', /no UTF-8/],
    ['a character cut short', 'a=%C3', /no UTF-8/],
    ['an overlong form', 'a=%C0%AF', /no UTF-8/],
    ['half a surrogate pair', 'a=%ED%A0%80', /no UTF-8/],
    ['a broken name', '%zz=1', /name of a parameter/],
    ['a character that is no byte', 'a=é\u0100', /the character `Ā`/],
  ];
  for (const [rule, raw, found] of bad) {
    it(`${rule} is bad_encoding`, () =>
      assert.throws(() => parseQueryString(raw), { code: 'bad_encoding', message: found }));
  }

  it('reads what URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' }).map((any) => any.toWellFormed());
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        assert.deepEqual(read(new URLSearchParams(pairs).toString()), pairs);
      }),
    );
  });
});
