import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  checkNewPassword,
  hashesAtOnce,
  hashPassword,
  isCommonPassword,
  isMadeOfNames,
  isOutdated,
  isRepeatOrRun,
  MIN_PASSWORD_LENGTH,
  verifyPassword,
} from './password.ts';

describe('password', () => {
  // From the test suite of the reference implementation (https://github.com/P-H-C/phc-winner-argon2, src/test.c).
  const published = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';

  it("a hash of argon2's own test suite is met by its password alone, and is outdated", async () => {
    assert.equal(await verifyPassword('password', published), true);
    assert.equal(await verifyPassword('Password', published), false);
    assert.equal(isOutdated(published), true);
  });

  it('the hash tells its parameters, has a salt of its own and is met by the password alone', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(first, second);
    assert.equal(isOutdated(first), false);
    assert.equal(await verifyPassword('correct horse', first), true);
    assert.equal(await verifyPassword('correct horsf', first), false);
    assert.equal(await verifyPassword('', first), false);
  });

  it('composed and decomposed letters are one password', async () => {
    assert.equal(await verifyPassword('pa\u0308sswort', await hashPassword('p\u00e4sswort')), true);
  });

  it('a hash of another shape is a fault of the file, not a wrong password', async () => {
    for (const stored of ['', 'password', published.replace('v=19', 'v=16'), `${published}$`]) {
      await assert.rejects(verifyPassword('password', stored), /expected an argon2id hash in PHC form/);
    }
  });

  it('where there is no hash, no password is right', async () => {
    assert.equal(await verifyPassword('', null), false);
    assert.equal(await verifyPassword('password', null), false);
  });

  const lengths = [
    ['a'.repeat(7), false],
    ['horse 88', true],
    ['ab cd ef '.repeat(23).slice(7), true],
    ['a'.repeat(201), false],
    ['🔑🐎🔋📎🔑🐎🔋🎈', true],
    ['🔑'.repeat(4), false],
  ] as const;
  for (const [password, isAccepted] of lengths) {
    it(`${[...password].length} characters of ${password.slice(0, 2)} are ${isAccepted ? 'taken' : 'refused'}`, () => {
      const check = () => checkNewPassword(password, 'ann@example.org');
      if (isAccepted) check();
      else assert.throws(check, /8 to 200 characters, found/);
    });
  }

  it('common ones, and those made of the address, are refused', () => {
    assert.throws(() => checkNewPassword('Passw0rd', 'ann@example.org'), /one of the most common ones/);
    assert.throws(() => checkNewPassword('00000000', 'ann@example.org'), /a repeat or a run/);
    assert.throws(() => checkNewPassword('ann@example.org', 'ann@example.org'), /made of the address/);
  });
});

describe('hashes at once', () => {
  for (const [cores, expected] of Object.entries({ 1: 1, 2: 1, 3: 1, 4: 2, 7: 3, 16: 8, 32: 8 }))
    it(`${cores} cores: ${expected}`, () => assert.equal(hashesAtOnce(Number(cores)), expected));
});

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
  const made = 'ann.lee@example.org ANN.LEE@EXAMPLE.ORG ann.lee1 Ann.Lee2026! 123ann.lee !!ann.lee!!';
  for (const password of [...made.split(' '), 'colloquy', 'Colloquy1', '2026 Colloquy!']) {
    it(`${password} is one`, () => assert.ok(isMadeOfNames(password, email)));
  }
  for (const password of ['12345678', '!!!!!!!!', 'ann.lee is at home', 'colloquyial', 'annlee-and-more']) {
    it(`${password} is none`, () => assert.equal(isMadeOfNames(password, email), false));
  }

  it('an address whose name is digits alone does not refuse every password of digits', () => {
    assert.equal(isMadeOfNames('87654321', '123@example.org'), false);
  });
});
