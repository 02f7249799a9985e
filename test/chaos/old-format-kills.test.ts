// A folder of an older format whose first opening by this version, which brings it up to date, is killed: before or
// after each call that changes a file or ends a transaction. All of them with COLLOQUY_TEST_KILLS=all.

import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { askAll, type FixtureAnswers } from '../fixtures/answers.ts';
import { unpackFolder, unpackJson } from '../fixtures/packed-folder.ts';
import { temporaryFolder } from '../helpers.ts';
import { openEngine } from './folder-state.ts';
import { runAndKill } from './killed-process.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const FORMATS = globSync('*.folder.zst', { cwd: FIXTURES })
  .map((file) => basename(file, '.folder.zst'))
  .sort();
const isWhole = process.env.COLLOQUY_TEST_KILLS === 'all';
/** In the short form, calls of the oldest format alone, so far from each other. */
const STRIDE = 13;

describe('an older format, killed while it is brought up to date', () => {
  for (const format of isWhole ? FORMATS : FORMATS.slice(0, 1)) {
    it(`${format}: opens, answers as before, and has no fault`, async (test) => {
      using folder = temporaryFolder();
      const answers = unpackJson<FixtureAnswers>(readFileSync(join(FIXTURES, `${format}.answers.zst`)));
      const questions = answers.answers.map(({ question }) => question);
      const packed = readFileSync(join(FIXTURES, `${format}.folder.zst`));
      const cache = join(folder.path, 'cache');
      let kills = 0;
      for (let number = isWhole ? 1 : 3, wasKilled = true; wasKilled; number += isWhole ? 1 : STRIDE) {
        const when = isWhole || kills % 2 === 0 ? 'before' : 'after';
        for (const each of isWhole ? (['before', 'after'] as const) : [when as 'before' | 'after']) {
          const place = join(folder.path, `${number}-${each}`);
          const data = join(place, 'data');
          mkdirSync(place);
          unpackFolder(packed, data);
          const plan = { data, log: join(place, 'log'), backup: join(place, 'backup'), batchRecords: 1_000 };
          const work = { ...plan, steps: [], firstStep: 0, countFrom: 0 };
          ({ wasKilled } = await runAndKill(work, { kind: 'call', number, when: each }, cache));
          if (wasKilled) kills++;
          {
            await using engine = await openEngine(data);
            assert.deepEqual(await askAll(engine, questions), answers, `${number}, ${each}`);
          }
          assert.deepEqual((await checkIndex(data)).problems, [], `${number}, ${each}`);
        }
      }
      assert.ok(kills > 0);
      test.diagnostic(`${kills} kills`);
    });
  }
});
