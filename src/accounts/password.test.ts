import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkNewPassword, hashesAtOnce, hashPassword, isOutdated, verifyPassword } from './password.ts';

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
      if (isAccepted) checkNewPassword(password, 'ann@example.org');
      else {
        const refused = () => checkNewPassword(password, 'ann@example.org');
        assert.throws(refused, /8 to 200 characters, found/);
      }
    });
  }

  it('common ones, and those made of the address, are refused', () => {
    assert.throws(() => checkNewPassword('Passw0rd', 'ann@example.org'), /one of the most common ones/);
    assert.throws(() => checkNewPassword('00000000', 'ann@example.org'), /a repeat or a run/);
    assert.throws(() => checkNewPassword('ann@example.org', 'ann@example.org'), /made of the address/);
  });
});

describe('hashes at once', () => {
  for (const [cores, expected] of [
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [7, 3],
    [16, 8],
    [32, 8],
  ] as const) {
    it(`${cores} cores: ${expected}`, () => assert.equal(hashesAtOnce(cores), expected));
  }
});
