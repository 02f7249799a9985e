import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isCommonPassword, isMadeOfNames, isRepeatOrRun } from './common-passwords.ts';
import { MIN_PASSWORD_LENGTH } from './password.ts';

describe('common passwords', () => {
  const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');

  it('are 3,000 at least that are long enough, each once and as it is compared', () => {
    assert.ok(list.length >= 3_000);
    assert.equal(new Set(list).size, list.length);
    for (const password of list) {
      assert.ok([...password].length >= MIN_PASSWORD_LENGTH, password);
      assert.equal(password, password.normalize('NFKC').toLowerCase());
      assert.ok(isCommonPassword(password));
    }
  });

  for (const password of ['password', 'PassWord', '12345678', 'qwertyuiop', 'iloveyou', 'ｐａｓｓｗｏｒｄ']) {
    it(`${password} is one`, () => assert.ok(isCommonPassword(password)));
  }
  for (const password of ['correct horse battery', 'password ', 'a7#kP0-vQ2']) {
    it(`${password} is none`, () => assert.equal(isCommonPassword(password), false));
  }
});

describe('repeats and runs of the alphabet, digits and keyboard rows', () => {
  for (const password of [
    ...['00000000', 'aaaaaaaa', '123123123', '12341234', 'HelloHello', 'AbcAbcAb', '🔑'.repeat(8)],
    ...['87654321', '0123456789', '7890123456', 'abcdefgh', 'ZYXWVUTS', 'qwertyui', 'lkjhgfdsa', 'zxcvbnm,'],
    ...['abcd1234', '1234qwer', '11112222', '11223344', '12344321', '!@#$%^&*', 'azertyuiop', 'йцукенгш'],
  ]) {
    it(`${password} is one`, () => assert.ok(isRepeatOrRun(password)));
  }
  for (const password of ['correct horse', 'horse 88', 'trees were there', 'a7#kP0-vQ2', '8-234-abc-890']) {
    it(`${password} is none`, () => assert.equal(isRepeatOrRun(password), false));
  }
});

describe('passwords made of names', () => {
  const email = 'Ann.Lee@example.org';
  for (const password of [
    ...[
      'ann.lee@example.org',
      'ANN.LEE@EXAMPLE.ORG',
      'ann.lee1',
      'Ann.Lee2026!',
      '123ann.lee',
      '!!ann.lee!!',
    ],
    ...['colloquy', 'Colloquy1', '2026 Colloquy!'],
  ]) {
    it(`${password} is one`, () => assert.ok(isMadeOfNames(password, email)));
  }
  for (const password of ['12345678', '!!!!!!!!', 'ann.lee is at home', 'colloquyial', 'annlee-and-more']) {
    it(`${password} is none`, () => assert.equal(isMadeOfNames(password, email), false));
  }

  it('an address whose name is digits alone does not refuse every password of digits', () => {
    assert.equal(isMadeOfNames('87654321', '123@example.org'), false);
  });
});
