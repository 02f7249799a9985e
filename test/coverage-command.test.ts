// `colloquy coverage` as a process.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CoverageAnswer } from '../src/analysis/coverage.ts';
import { temporaryFolder } from './helpers.ts';
import { colloquy as startColloquy } from './import/cli-helpers.ts';
import { commentLine } from './import/import-helpers.ts';
import { colloquy } from './one-process.ts';

describe('colloquy coverage', () => {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const content = [commentLine('a'), commentLine('b', { subreddit: 'cats' })].join('\n');

  before(async () => {
    const file = join(folder.path, 'RC_2020-09');
    writeFileSync(file, content);
    const { code, stderr } = await startColloquy(['import', file, '--data', data]);
    assert.equal(code, 0, stderr);
  });
  after(() => folder[Symbol.dispose]());

  it('prints a table of months, and the sources with their checksums', async () => {
    const { code, stdout } = await startColloquy(['coverage', '--data', data]);
    const lines = stdout.trimEnd().split('\n');
    assert.equal(code, 0);
    assert.match(lines[0]!, /^kind +month +records +communities +withdrawn +unrated +score_at_capture$/);
    assert.match(lines[1]!, /^comments +2020-09 +2 +2 +0 +2$/);
    const digest = createHash('sha256').update(content).digest('hex');
    assert.match(
      lines[2]!,
      new RegExp(
        `^source: RC_2020-09 \\(comments; imported [-0-9]+; ${content.length} bytes, SHA-256 ${digest}\\)$`,
      ),
    );
    assert.equal(lines.length, 3);
  });

  it('--json is the answer of the API, --csv the months, those of communities behind those of all', async () => {
    const json = await colloquy([
      'coverage',
      '--json',
      '--step',
      'day',
      '--subreddit',
      'cats',
      '--data',
      data,
    ]);
    const answer = JSON.parse(json.stdout) as CoverageAnswer;
    assert.deepEqual([answer.type, answer.step, answer.kinds.comments.records], ['coverage', 'day', 2]);
    assert.equal(answer.kinds.comments.subreddits?.[0]?.records, 1);
    const csv = await colloquy(['coverage', '--csv', '--subreddit', 'cats', '--data', data]);
    assert.deepEqual(csv.stdout.split('\n'), [
      'kind,subreddit,start,records,communities,withdrawn,unrated,score_at_capture',
      'comments,,1598918400,2,2,0,2,',
      'comments,cats,1598918400,1,,,,',
      '',
    ]);
  });

  it('what is no name is exit code 2, and so is a folder that is not there, which is not made', async () => {
    const bad = await colloquy(['coverage', '--subreddit', 'a,,b', '--data', data]);
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /^colloquy: `--subreddit`: expected names of communities, separated by commas/);
    const nowhere = join(folder.path, 'nowhere');
    assert.equal((await colloquy(['coverage', '--data', nowhere])).code, 2);
    assert.ok(!existsSync(nowhere));
  });
});
