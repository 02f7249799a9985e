import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../test/helpers.ts';
import type { Reject } from './formats/block.ts';
import { blankRejects, RejectsFile } from './rejects-file.ts';

function reject(line: number, text: string): Reject {
  return { line, reason: 'bad_json', text };
}

/** The lines of a list; text is blank where nothing but blanks is left of it. */
function linesOf(path: string): { source: string; line: number; reason: string; text: string }[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('blanking the lists of rejected lines', () => {
  it('takes every text out, whatever it is made of, and nothing else', () => {
    using folder = temporaryFolder();
    let round = 0;
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('x","text":"y"}'));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (rejected) => {
        const place = join(folder.path, String(round++));
        using list = new RejectsFile(place);
        for (const [line, [source, found]] of rejected.entries()) list.add(source, [reject(line, found)]);
        const { size } = statSync(list.path!);
        assert.equal(blankRejects(place), 1);
        assert.equal(statSync(list.path!).size, size);
        const left = linesOf(list.path!).map((line) => ({ ...line, text: line.text.trim() }));
        const blank = rejected.map(([source], line) => ({ source, ...reject(line, '') }));
        assert.deepEqual(left, blank);
      }),
      { numRuns: 50 },
    );
  });

  it('an import goes on writing its list, and what it adds is whole', () => {
    using folder = temporaryFolder();
    using list = new RejectsFile(folder.path);
    list.add('a', [reject(1, 'first')]);
    blankRejects(folder.path);
    list.add('a', [reject(2, 'second')]);
    const left = linesOf(list.path!).map(({ line, text }) => `${line}: ${text.trim()}`);
    assert.deepEqual(left, ['1: ', '2: second']);
    blankRejects(folder.path);
    assert.ok(!/first|second/.test(readFileSync(list.path!, 'utf8')));
  });

  it('a line that a killed import left half written loses its text too', () => {
    using folder = temporaryFolder();
    using list = new RejectsFile(folder.path);
    list.add('a', [reject(1, 'first')]);
    appendFileSync(list.path!, '{"source":"a","line":2,"reason":"bad_json","text":"half a te');
    blankRejects(folder.path);
    assert.ok(readFileSync(list.path!, 'utf8').endsWith('"reason":"bad_json","text":"         '));
  });

  it('no folder, no list: nothing happens', () => {
    using folder = temporaryFolder();
    assert.equal(blankRejects(join(folder.path, 'rejects')), 0);
    assert.equal(blankRejects(folder.path), 0);
  });
});
