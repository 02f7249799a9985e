import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normaliseEmail } from './email.ts';

describe('email address', () => {
  const accepted = [
    ['ann@example.org', 'ann@example.org'],
    ['  Ann@EXAMPLE.org ', 'ann@example.org'],
    ['ann+keys@example.org', 'ann+keys@example.org'],
    ['ann@localhost', 'ann@localhost'],
    ["o'neill@example.org", "o'neill@example.org"],
    ['a\u0308nn@example.org', 'änn@example.org'],
    [`${'a'.repeat(242)}@example.org`, `${'a'.repeat(242)}@example.org`],
  ] as const;
  for (const [text, email] of accepted) {
    it(`${JSON.stringify(text.slice(0, 30))} is taken`, () => assert.equal(normaliseEmail(text), email));
  }

  const refused = [
    '',
    'ann',
    '@example.org',
    'ann@',
    'ann@b@example.org',
    'ann b@example.org',
    'Ann <ann@example.org>',
    'ann@example.org,ben@example.org',
    'ann@example.org\u0000',
    'ann\u202E@example.org',
    'ann@exam\nple.org',
    `${'a'.repeat(243)}@example.org`,
  ];
  for (const text of refused) {
    it(`${JSON.stringify(text.slice(0, 30))} is refused with what would be right`, () => {
      assert.throws(() => normaliseEmail(text), {
        name: 'UsageError',
        message: /^expected an email address/,
      });
    });
  }
});
