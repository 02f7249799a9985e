// The memory allocator is told to keep little of what was freed wherever a server is started by something of ours.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { read } from '../project.ts';

/** What mallopt(3) has for them; of glibc. */
const SETTINGS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
const pairs = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
const line = pairs.join(' ');

it('the allocator is set by the unit, the container and the command, unless the environment sets it; and told', () => {
  assert.ok(read('docs/operating.md').includes(line));
  assert.ok(read('examples/colloquy.service').includes(`\nEnvironment=${line}\n`));
  assert.ok(read('Containerfile').includes(`\nENV ${line}\n`));
  const command = read('bin/colloquy.mjs');
  for (const [name, value] of Object.entries(SETTINGS))
    assert.ok(command.includes(`  ${name}: '${value}',\n`));
  assert.match(command, /^ +env: \{ \.\.\.ALLOCATOR, \.\.\.process\.env \},$/m);
});
