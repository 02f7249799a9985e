// What many small files cost beside one of the same lines: CPU seconds of `import`, all threads, each in a process of
// its own. `npm run bench -- small-files [files] [lines of each]`; 600 files of 100 lines where nothing is said.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importInto } from '../src/features/import/command.ts';
import { FEATURES } from '../src/features.ts';
import { dumpLines } from './dump-lines.ts';

const [first = '600', second = '100', data = ''] = process.argv.slice(2);
if (first === '--import') await importHere(second, data);
else compare(Number(first), Number(second));

/** Prints what it cost this process. */
async function importHere(source: string, folder: string): Promise<void> {
  const before = process.cpuUsage();
  const { report } = await importInto([source], {
    ...{ kind: null, restart: false, data: folder, features: FEATURES },
  });
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(JSON.stringify({ added: report.added, seconds: (user + system) / 1e6 }));
}

function compare(files: number, lines: number): void {
  const place = mkdtempSync(join(tmpdir(), 'colloquy-small-files-'));
  try {
    const many = join(place, 'many');
    mkdirSync(many);
    const all = dumpLines(files * lines);
    for (let i = 0; i < files; i++) {
      const name = `${String(i).padStart(6, '0')}.ndjson`;
      writeFileSync(join(many, name), all.slice(i * lines, (i + 1) * lines).join(''));
    }
    writeFileSync(join(place, 'one.ndjson'), all.join(''));
    const one = measured(join(place, 'one.ndjson'), join(place, 'data-one'));
    const small = measured(many, join(place, 'data-many'));
    const ratio = small.seconds / one.seconds;
    process.stdout.write(
      `one file of ${one.added} records: ${one.seconds.toFixed(2)} s of CPU\n` +
        `${files} files of ${lines}: ${small.seconds.toFixed(2)} s of CPU, ${ratio.toFixed(2)} times as much\n`,
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function measured(source: string, folder: string): { added: number; seconds: number } {
  const script = fileURLToPath(import.meta.url);
  const output = execFileSync(process.execPath, [script, '--import', source, folder], { encoding: 'utf8' });
  return JSON.parse(output);
}
