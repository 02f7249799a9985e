// assurance.md against the repository: sixty rows, each with a state, and with tests and commands that there are.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { project, read } from './project.ts';

const page = read('test/assurance.md');
const { scripts } = JSON.parse(read('package.json'));
const rows = [...page.matchAll(/^\| (\d+) \|(.*)\|$/gm)].map(([, number, cells]) => {
  const [what = '', promise = '', state = '', shownBy = ''] = cells!.split(' | ').map((cell) => cell.trim());
  return { number: Number(number), what, promise, state, shownBy };
});

describe('test/assurance.md', () => {
  it('has sixty rows, each of which is met, or says what is missing, or is not promised', () => {
    assert.equal(rows.length, 60);
    for (const [i, { number, what, promise, state }] of rows.entries()) {
      assert.equal(number, i + 1);
      assert.ok(what !== '' && promise !== '', `row ${number}`);
      assert.match(state, /^(?:met|partly: .{20,}|not promised)$/, `row ${number}`);
    }
  });

  it('names tests, programs and commands that there are', () => {
    for (const { number, state, shownBy } of rows) {
      const named = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
      const commands = named.filter((name) => name.startsWith('npm run '));
      const files = named.filter((name) => !commands.includes(name));
      assert.ok(named.length > 0 || state === 'not promised', `row ${number} names nothing`);
      for (const file of files) {
        assert.match(file, /^(?:test|src|bench)\/[\w/.-]+\.ts$/, `row ${number}`);
        assert.ok(existsSync(project + file), `row ${number}: ${file}`);
      }
      for (const command of commands) {
        const [, , script, , program] = command.split(' ');
        assert.ok(Object.hasOwn(scripts, script!), `row ${number}: ${command}`);
        assert.ok(program !== undefined || !/bench|test:long/.test(script!), `row ${number}: ${command}`);
      }
      assert.equal(shownBy.replaceAll(/`[^`]+`/g, '').replaceAll(/[,; ]/g, ''), '', `row ${number}`);
    }
  });
});
