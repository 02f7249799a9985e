import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadedBytes } from './byte-source.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) {
    if (text === 'BREAK') throw new Error('broken off');
    yield Buffer.from(text);
  }
}

async function rest(bytes: HeadedBytes): Promise<string> {
  return Buffer.concat(await Array.fromAsync(bytes)).toString();
}

test('what was looked at is read again', async () => {
  for (const size of [0, 1, 3, 100]) {
    const bytes = new HeadedBytes(chunks('ab', 'cd', 'ef'));
    assert.equal((await bytes.head(size)).toString(), 'abcdef'.slice(0, size));
    assert.equal((await bytes.head(2)).toString(), 'ab');
    assert.equal(await rest(bytes), 'abcdef');
  }
});

test('an error met while looking comes behind what came before it', async () => {
  const bytes = new HeadedBytes(chunks('ab', 'cd', 'BREAK'));
  assert.equal((await bytes.head(100)).toString(), 'abcd');
  let read = '';
  await assert.rejects(async () => {
    for await (const chunk of bytes) read += chunk.toString();
  }, /broken off/);
  assert.equal(read, 'abcd');
});

test('closing lets go of the source', async () => {
  let isOpen = true;
  async function* source() {
    try {
      yield Buffer.from('a');
      yield Buffer.from('b');
    } finally {
      isOpen = false;
    }
  }
  const bytes = new HeadedBytes(source());
  await bytes.head(1);
  await bytes.close();
  assert.equal(isOpen, false);
});
