// The memory allocator is told to keep few arenas wherever a server is started by something of ours.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('MALLOC_ARENA_MAX', () => {
  it('is set by the unit, the container and the command, unless the environment sets it', () => {
    assert.match(read('examples/colloquy.service'), /^Environment=MALLOC_ARENA_MAX=2$/m);
    assert.match(read('Containerfile'), /^ENV MALLOC_ARENA_MAX=2$/m);
    assert.match(read('bin/colloquy.mjs'), /^ +env: \{ MALLOC_ARENA_MAX: '2', \.\.\.process\.env \},$/m);
  });
});
