import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StorageError, storageError } from './errors.ts';

describe('storageError', () => {
  const cases: readonly [string, object, RegExp][] = [
    ['a full disk', { code: 'ENOSPC' }, /^`\/data`: expected free space, .* make room and .* \(the cause\)$/],
    ['a quota', { code: 'EDQUOT' }, /make room/],
    ['a disk that fails', { code: 'EIO' }, /run `colloquy check`/],
    ['too many open files', { code: 'EMFILE' }, /`ulimit -n`/],
    ['a file of another user', { code: 'EACCES', syscall: 'open' }, /: expected .* the right to .* or mode/],
    ['a disk that is mounted to be read', { code: 'EROFS' }, /: expected a writable file or folder, /],
    ['SQLITE_READONLY', { code: 'ERR_SQLITE_ERROR', errcode: 8 }, /: expected a writable file or folder, /],
    ['no room for a `-shm`', { code: 'ERR_SQLITE_ERROR', errcode: 4874 }, /make room/],
    ['SQLITE_FULL', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, /make room/],
    ['SQLITE_IOERR_WRITE', { code: 'ERR_SQLITE_ERROR', errcode: 778 }, /run `colloquy check`/],
  ];
  for (const [name, fields, expected] of cases) {
    it(`${name}: says where, what, and what to do`, () => {
      const error = storageError(Object.assign(new Error('the cause'), fields), '/data');
      assert.ok(error instanceof StorageError);
      assert.match(error.message, expected);
    });
  }

  it('any other error stays what it is', () => {
    const missing = Object.assign(new Error('x'), { code: 'ENOENT' });
    for (const error of [new Error('x'), missing, new StorageError('x'), 'x'])
      assert.equal(storageError(error, '/data'), error);
  });
});
