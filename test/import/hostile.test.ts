import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ImportReport, SourceReport } from '../../src/ingest/report.ts';
import { temporaryFolder } from '../helpers.ts';
import { hostileFiles, hostileLines } from './hostile-files.ts';
import { commentLine, expectSum, test } from './import-helpers.ts';

/** Of the importing process, above what Node, engine and language detector take anyway (some 350). */
const MAX_MEGABYTES = 1000;

describe('hostile lines', () => {
  for (const [what, line, outcome] of hostileLines()) {
    test(`${what}: ${outcome}, and the lines around it are in`, async (place) => {
      const lines = [`${commentLine('before')}\n`, line, `\n${commentLine('after')}`];
      const path = place.file('dump', Buffer.concat(lines.map((part) => Buffer.from(part))));
      const report = await place.run([path], { workers: 0 });
      const ids = (await place.records()).map(({ id }) => id);
      assert.ok(ids.includes('before') && ids.includes('after'), JSON.stringify(report));
      const expected = outcome === 'read' || outcome === 'nothing' ? {} : { [outcome]: 1 };
      assert.deepEqual(report.rejected, expected);
      assert.equal(report.read, outcome === 'nothing' ? 2 : 3);
    });
  }
});

describe('hostile files', () => {
  let result: { report: ImportReport; ids: string[]; megabytes: number };
  const files = hostileFiles();

  before(() => {
    using folder = temporaryFolder();
    const sources = join(folder.path, 'sources');
    mkdirSync(sources);
    for (const [name, content] of files) writeFileSync(join(sources, name), content);
    // The long lines too: in this process their memory would not be told apart from the tests'.
    for (const [what, line] of hostileLines()) {
      const path = join(sources, `line-${what.replaceAll(/\W+/g, '-')}`);
      writeFileSync(path, Buffer.concat([Buffer.from(`${commentLine('g')}\n`), Buffer.from(line)]));
    }
    const script = fileURLToPath(new URL('hostile-run.ts', import.meta.url));
    const output = execFileSync(process.execPath, [script, join(folder.path, 'data'), sources], {
      maxBuffer: 2 ** 28,
    });
    result = JSON.parse(output.toString());
  });

  const source = (name: string): SourceReport => {
    const found = result.report.sources.find((report) => basename(report.name) === name);
    assert.ok(found !== undefined, name);
    return found;
  };

  it('there are more than a hundred', () => assert.ok(hostileLines().length + files.size > 100));

  it('each is told of, in one line', () => {
    for (const name of files.keys()) {
      // An archive without a readable directory has no contents to tell of.
      const { state, notes } = source(name);
      if (state !== 'whole') assert.ok(notes.length > 0, name);
      for (const note of notes) assert.ok(!note.includes('\n') && note.length < 400, note);
    }
  });

  it('every object that was read is accounted for, and memory stays within bounds', () => {
    expectSum(result.report);
    assert.ok(result.megabytes < MAX_MEGABYTES, `${result.megabytes} MB`);
  });

  it('ten gigabytes in a few kilobytes are not unpacked to their end', () => {
    assert.ok((files.get('bomb-10-gigabytes')?.length ?? Infinity) < 10_000);
    const [note] = source('bomb-10-gigabytes').notes;
    assert.match(note ?? '', /^it unpacks to more than 1 GiB, over 2,000 times /);
  });

  it('what a damaged file still holds is in', () => {
    assert.equal(source('garbage-behind.zst').read, 500);
    assert.match(source('garbage-behind.zst').notes[0] ?? '', /something else follows: not read/);
    assert.ok(result.ids.includes('w0') && result.ids.includes('w499'));
  });

  it('open quotes cost the rows they stand in', () => {
    assert.equal(source('open-quotes.csv').read, 20_000);
    assert.equal(source('proto.csv').read, 1);
  });
});
