import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, readableTime } from '../../model/time.ts';
import { age, count, counted, portion, punycode, sentiment, webAddress } from './format.ts';

const row = (rule: string, actual: unknown, expected: unknown) =>
  it(rule, () => assert.equal(actual, expected));

describe('sentiment: sign and two decimals', () => {
  for (const [rating, shown] of [
    [0.4321, '+0.43'],
    [-0.1249, '-0.12'],
    [0, '+0.00'],
    [-0, '+0.00'],
    [-0.004, '+0.00'],
    [-0.005, '-0.01'],
    [0.005, '+0.01'],
    [1, '+1.00'],
    [-1, '-1.00'],
  ] as const) {
    row(`${rating}`, sentiment(rating), shown);
  }
});

describe('times and numbers', () => {
  const shares = [0, 0.0004, 0.123, 0.9999, 1].map(portion).join(' ');
  row('a share, with one decimal', shares, '0.0% < 0.1% 12.3% 99.9% 100%');
  row('date and time, UTC', readableTime(1_678_795_653), '2023-03-14, 12:07:33');
  row('the first second', readableTime(0), '1970-01-01, 00:00:00');
  row('the last second', readableTime(4_294_967_295), '2106-02-07, 06:28:15');
  row('groups of three', count(12_408), '12,408');
  row('one', counted(1, 'post'), '1 post');
  row('none', counted(0, 'post'), '0 posts');
  row('years', age(0, 3 * 366 * DAY), '3 years ago');
  row('one hour', age(0, 3700), '1 hour ago');
  row('now', age(0, 59), 'just now');
  row('the future', age(100, 0), 'in the future');
});

describe('addresses that are linked', () => {
  for (const [address, linked] of [
    ['https://example.org/a b', 'https://example.org/a%20b'],
    ['HTTP://example.org', 'http://example.org/'],
    ['javascript:alert(1)', null],
    [' javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['//example.org/', null],
    ['/r/a', null],
    ['http://', null],
    ['', null],
    [null, null],
  ] as const) {
    row(JSON.stringify(address), webAddress(address), linked);
  }
  row('look-alike letters show as punycode', punycode('аррӏе.com'), 'xn--80ak6aa92e.com');
  row('ASCII needs none', punycode('apple.com'), null);
});
