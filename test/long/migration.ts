// An index that an older checkout wrote, with this one: the older one writes it and answers; this one serves it, merges
// it in another process while it is asked on, and at last it is of today's format. The answers are the same throughout,
// and `check` finds nothing.
//
//   npm run test:long -- migration OLDER [--records 1000000] [--batch 50000] [--keep FOLDER]

import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { FORMAT_VERSION } from '../../src/engines/embedded/format/segment-file.ts';
import { KindStore } from '../../src/engines/embedded/index/kind-store.ts';
import type { Answer, Question, SearchEngine } from '../../src/model/engine.ts';
import { ORDERS } from '../../src/model/order.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { formatsOf, mergeSomeOlder } from '../merge-older.ts';

const { values, positionals } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    batch: { type: 'string', default: '50000' },
    keep: { type: 'string' },
    /** For the child alone: the index to merge. */
    merge: { type: 'string' },
  },
  allowPositionals: true,
});
const OPTIONS = { rules: { keepOriginals: false }, workers: 0 } as const;
const QUERIES = [
  ...['', 'the', 'of the', '"of the"', 'people time', '-the', 'score:10', 'score:..-1', "don't", 'bacodu*'],
  ...['after:2023-01-01 before:2023-02-01', 'site:com', '"in the" score:5', 'government|water -people'],
  ...['"the end of the"', 'score:3..4 time', '-score', 'people*', '/r/s1', 'after:2024-06-01 water'],
];
/** How many segments one merge takes. */
const SOURCES = 8;

if (values.merge !== undefined) while (mergeSomeOlder(values.merge, 'comment', SOURCES));
else if (positionals[0] === undefined) throw new Error('expected the folder of an older checkout');
else await migrate(resolve(positionals[0]));

async function migrate(older: string): Promise<void> {
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-migration-'));
  try {
    const questions = QUERIES.flatMap(questionsOf);
    const before = answersOf(older, folder, questions);
    tell(folder, `written and asked by the older version: ${questions.length} answers`);
    await using engine = await openEmbeddedEngine(folder, OPTIONS);
    await compare(engine, questions, before);
    tell(folder, 'the same answers by this version');
    const rounds = await whileMerging(folder, engine, questions, before);
    tell(folder, `the same answers in ${rounds} rounds while another process merged`);
    await engine.refresh();
    await compare(engine, questions, before);
    assert.deepEqual(formatsOf(folder, 'comment'), [FORMAT_VERSION]);
    assert.deepEqual((await checkIndex(folder)).problems, []);
    tell(folder, 'the same answers afterwards; `check` finds nothing');
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function questionsOf(text: string): Question[] {
  const { query } = interpretWithoutWindow(text);
  return ORDERS.map(
    (order): Question => ({
      kind: 'comment',
      query,
      page: { order, limit: 50, after: null },
      breakdowns: (['community', 'domain'] as const).map((field) => ({ field, size: 20, distinct: true })),
      timeline: {},
    }),
  );
}

/** Fills the folder with the code of the older checkout, and asks it, in a process of its own. */
function answersOf(older: string, folder: string, questions: readonly Question[]): readonly unknown[] {
  const script = join(folder, 'write.mjs');
  const file = join(folder, 'answers.json');
  const at = (path: string) => JSON.stringify(pathToFileURL(join(older, path)).href);
  // Those that write format 1 take records as they are, and know of a timeline only that it is wanted.
  const isFirst = !existsSync(join(older, 'src/packing/packed-records.ts'));
  const packed = isFirst
    ? 'const packRecords = (batch) => batch;'
    : `const { packRecords } = await import(${at('src/packing/packed-records.ts')});`;
  const asked = isFirst ? questions.map((question) => ({ ...question, timeline: true })) : questions;
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
    const { openEmbeddedEngine } = await import(${at('src/engines/embedded/engine.ts')});
    ${packed}
    const { syntheticComments } = await import(${at('bench/corpus.ts')});
    const engine = await openEmbeddedEngine(${JSON.stringify(folder)}, ${JSON.stringify(OPTIONS)});
    const sizes = { batch: ${values.batch}, communities: 5000 };
    for (const batch of syntheticComments(${values.records}, sizes)) await engine.index('comment', packRecords(batch));
    const answers = [];
    for (const question of ${JSON.stringify(asked)}) answers.push(await engine.ask(question));
    writeFileSync(${JSON.stringify(file)}, JSON.stringify(answers));
    await engine[Symbol.asyncDispose]();`,
  );
  execFileSync(process.execPath, [script], { cwd: older, stdio: ['ignore', 'inherit', 'inherit'] });
  const answers = JSON.parse(readFileSync(file, 'utf8')) as Answer[];
  for (const path of [script, file]) rmSync(path);
  return answers.map(comparable);
}

async function compare(
  engine: SearchEngine,
  questions: readonly Question[],
  expected: readonly unknown[],
): Promise<void> {
  for (const [i, question] of questions.entries()) {
    const answer: unknown = JSON.parse(JSON.stringify(await engine.ask(question)));
    assert.deepEqual(comparable(answer as Answer), expected[i], JSON.stringify(question));
  }
}

/** What the older version can have said: records had fewer fields. */
function comparable({ page, ...answer }: Answer): unknown {
  const records = page?.records.map((record) => ({ ...record, parent: undefined, lent: undefined }));
  return { ...answer, records };
}

/** Returns how often all was asked. */
async function whileMerging(
  folder: string,
  engine: SearchEngine,
  questions: readonly Question[],
  expected: readonly unknown[],
): Promise<number> {
  const child = fork(import.meta.filename, ['--merge', folder]);
  let code: number | null = null;
  child.on('exit', (exit) => {
    code = exit ?? 1;
  });
  let rounds = 0;
  while (code === null) {
    await engine.refresh();
    await compare(engine, questions, expected);
    // An engine without workers answers at once: nothing else would have its turn.
    await setImmediate();
    rounds++;
  }
  assert.equal(code, 0);
  return rounds;
}

function tell(folder: string, what: string): void {
  const store = new KindStore(folder, 'comment');
  store.refresh();
  const { segments } = store.current;
  const records = segments.reduce((sum, { data }) => sum + data.footer.docs, 0);
  const bytes = segments.reduce((sum, { data }) => sum + data.size, 0);
  store.close();
  const formats = formatsOf(folder, 'comment').join(' and ');
  console.log(
    `${what} (${records} records, ${segments.length} segments of format ${formats}, ${(bytes / records).toFixed(1)} bytes each)`,
  );
}
