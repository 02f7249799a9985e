// Damage to the files of an index: each question is then answered as before, or by an error that names the file. Never
// otherwise, and neither the process nor a thread of it ends. Used by corruption.test.ts (a sample) and
// long/corruption.ts (all of it).

import assert from 'node:assert/strict';
import { cpSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { FileSource, PAGE_BYTES, readFooter } from '../src/engines/embedded/format/segment-file.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { StorageError, UsageError } from '../src/errors.ts';
import type { Answer, Question, SearchEngine } from '../src/model/engine.ts';
import { KINDS, type Kind } from '../src/model/record.ts';
import type { FolderDamage } from './engine-harness.ts';
import { fixtureQuestions } from './fixtures/answers.ts';
import { recordArbitrary } from './generators/records.ts';
import { folderInMemory, temporaryFolder } from './helpers.ts';
import { silenceLog } from './silent-log.ts';

/** One way in which files go wrong. */
export interface Damage {
  readonly name: string;
  /** Below the data folder; one of them an error must name. */
  readonly files: readonly string[];
  apply(folder: string): void;
}

/** What became of the questions after one damage. */
export interface Outcome {
  readonly same: number;
  readonly refused: number;
  /** Answered as an earlier commit did, all of them. */
  readonly older: number;
}

/** An index to be damaged, with what it answers. */
export interface Victim extends Disposable {
  readonly folder: string;
  readonly questions: readonly Question[];
  /** As of the last commit, and of some before it: newest first. */
  readonly answers: readonly (readonly Answer[])[];
}

// Each damage is logged when it is found.
silenceLog();

const rules = { keepOriginals: false };
const open = (folder: string, workers: 0 | 1 = 0) => openEmbeddedEngine(folder, { rules, workers });

/** Two files of segments a kind, of `docs` records each, and some small segments; tombstones in all of them. */
export async function makeVictim(docs: number, seed = 1): Promise<Victim> {
  const folder = temporaryFolder();
  for (const kind of KINDS) await fillKind(folder.path, kind, docs, seed);
  const questions = fixtureQuestions(24);
  await using engine = await open(folder.path);
  const answers = [await askAll(engine, questions)];
  return { folder: folder.path, questions, answers, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** The same index in a folder of its own: making one takes seconds. */
export function copyOf(victim: Victim): Victim {
  const folder = temporaryFolder();
  cpSync(victim.folder, folder.path, { recursive: true });
  return { ...victim, folder: folder.path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** As a killed process leaves it: the last commits stand in the log of the database of comments alone. */
export async function makeKilledVictim(victim: Victim): Promise<Victim> {
  using whole = copyOf(victim);
  const folder = temporaryFolder();
  await using engine = await open(whole.folder);
  const answers = [...whole.answers];
  for (let commit = 0; commit < 4; commit++) {
    const records = fc.sample(recordArbitrary('comment'), { numRuns: 30, seed: 50 + commit });
    await engine.index('comment', packRecords(records), { source: 'dump', state: `killed ${commit}` });
    answers.unshift(await askAll(engine, whole.questions));
  }
  cpSync(whole.folder, folder.path, { recursive: true });
  for (const name of ['posts', 'comments']) rmSync(join(folder.path, `${name}.db-shm`), { force: true });
  const { questions } = whole;
  return { folder: folder.path, questions, answers, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

async function fillKind(folder: string, kind: Kind, docs: number, seed: number): Promise<void> {
  await using engine = await open(folder);
  const some = fc.sample(recordArbitrary(kind), { numRuns: 2_200, seed });
  const records = Array.from({ length: docs * 2 }, (_, i) => ({
    ...some[i % some.length]!,
    id: ((i * 7919) % 1_000_003).toString(36),
  }));
  await engine.index(kind, packRecords(records.slice(0, docs)));
  await engine.index(kind, packRecords(records.slice(docs)));
  for (let i = 0; i < 3; i++) {
    const newer = records.slice(i * docs * 0.6, i * docs * 0.6 + 40);
    await engine.index(
      kind,
      packRecords(newer.map((record) => ({ ...record, score: 7, retrieved: 900 + i }))),
      { source: 'dump', state: String(i) },
    );
  }
}

async function askAll(engine: SearchEngine, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) answers.push(await engine.ask(question));
  return answers;
}

/** Fails on an answer that is another, on an error that names no damaged file, on a thread that ends. */
export async function tryDamage(victim: Victim, damage: Damage, workers: 0 | 1 = 0): Promise<Outcome> {
  using folder = folderInMemory();
  cpSync(victim.folder, folder.path, { recursive: true });
  damage.apply(folder.path);
  const given: (Answer | null)[] = [];
  try {
    await using engine = await open(folder.path, workers);
    for (const question of victim.questions) given.push(await answerOf(engine, question, damage));
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    assertNamed(error, damage);
    return { same: 0, refused: victim.questions.length, older: 0 };
  }
  return judge(victim, damage, given);
}

function judge(
  { answers, questions }: Victim,
  { name, files }: Damage,
  given: readonly (Answer | null)[],
): Outcome {
  const refused = given.filter((answer) => answer === null).length;
  for (const [i, { kind }] of questions.entries()) {
    const isConcerned = files.some((file) => file.startsWith(`${kind}s`));
    assert.ok(isConcerned || given[i] !== null, `${name}: the ${kind}s are refused`);
  }
  const state = answers.findIndex((all) =>
    given.every((answer, i) => answer === null || isDeepStrictEqual(answer, all[i])),
  );
  if (state < 0) {
    const wrong = given.findIndex(
      (answer, i) => answer !== null && !isDeepStrictEqual(answer, answers[0]![i]),
    );
    assert.deepEqual(given[wrong], answers[0]![wrong], `${name}: ${JSON.stringify(questions[wrong])}`);
  }
  const answered = given.length - refused;
  return { same: state === 0 ? answered : 0, refused, older: state > 0 ? answered : 0 };
}

/** null: refused. */
async function answerOf(engine: SearchEngine, question: Question, damage: Damage): Promise<Answer | null> {
  try {
    return await engine.ask(question);
  } catch (error) {
    assertNamed(error, damage);
    return null;
  }
}

function assertNamed(error: unknown, { name, files }: Damage): void {
  const isTold = error instanceof StorageError || error instanceof UsageError;
  assert.ok(isTold, `${name}: ${error instanceof Error ? error.stack : String(error)}`);
  const names = files.map((file) => basename(file));
  const isNamed = names.some((file) => error.message.includes(file));
  assert.ok(isNamed, `${name}: ${error.message}`);
}

/** Files of segments, below the folder. */
export function segmentFiles(folder: string, kind?: Kind): string[] {
  const kinds = kind === undefined ? KINDS : [kind];
  return kinds.flatMap((one) => readdirSync(join(folder, `${one}s`)).map((name) => join(`${one}s`, name)));
}

/** A part of a file. */
export interface Part {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** What a segment's file consists of: mark, sections, footer, tail. What is empty, and what fills up, is left out. */
export function partsOf(path: string): Part[] {
  const source = new FileSource(path, openSync(path, 'r'));
  try {
    const { sections } = readFooter(source, path);
    const end = Math.max(...Object.values(sections).map(({ offset, length }) => offset + length));
    const footer = Math.ceil(end / 8) * 8;
    return [
      { name: 'mark', offset: 0, length: 8 },
      ...Object.entries(sections).map(([name, { offset, length }]) => ({ name, offset, length })),
      { name: 'footer', offset: footer, length: source.size - 16 - footer },
      { name: 'tail', offset: source.size - 16, length: 16 },
    ].filter(({ length }) => length > 0);
  } finally {
    source.close();
  }
}

/** Turns one bit over. */
export function flipAt(file: string, offset: number, bit: number, where = ''): Damage {
  return {
    name: `${file}: bit ${bit} of byte ${offset}${where}`,
    files: [file],
    apply: (folder) =>
      change(folder, file, (bytes) => {
        bytes[offset]! ^= 1 << bit;
        return bytes;
      }),
  };
}

export function cutAt(file: string, length: number): Damage {
  return {
    name: `${file}: cut to ${length} bytes`,
    files: [file],
    apply: (folder) => change(folder, file, (bytes) => bytes.subarray(0, length)),
  };
}

/** Whole files in the wrong place, or none: what backups, disks and people do. */
export function wrongFiles(folder: string, foreign: Uint8Array): Damage[] {
  const [posts, comments] = KINDS.map((kind) => segmentFiles(folder, kind)) as [string[], string[]];
  const put = (name: string, file: string, bytes: (folder: string) => Uint8Array): Damage => ({
    name: `${file}: ${name}`,
    files: [file],
    apply: (place) => writeFileSync(join(place, file), bytes(place)),
  });
  const [first, second] = [comments[0]!, comments[1]!];
  return [
    {
      name: 'two files of one kind swapped',
      files: [first, second],
      apply: (place) => swap(join(place, first), join(place, second)),
    },
    {
      name: 'files of two kinds swapped',
      files: [first, posts[0]!],
      apply: (place) => swap(join(place, first), join(place, posts[0]!)),
    },
    put('another one of the same kind', first, (place) => readFileSync(join(place, second))),
    put('one of the other kind', first, (place) => readFileSync(join(place, posts[0]!))),
    put('one of another index', first, () => foreign),
    put('empty', first, () => new Uint8Array()),
    put('text', first, () => Buffer.from('not a segment\n'.repeat(100))),
    put('zeros', first, (place) => new Uint8Array(readFileSync(join(place, first)).length)),
    ...[first, 'comments.db'].map((file) => ({
      name: `${file}: missing`,
      files: [file],
      apply: (place: string) => rmSync(join(place, file)),
    })),
    {
      name: 'the database of the other kind',
      files: ['comments.db', ...posts.map((file) => file.replace('posts', 'comments'))],
      apply: (place) => cpSync(join(place, 'posts.db'), join(place, 'comments.db')),
    },
    {
      name: 'comments.db: a database of something else',
      files: ['comments.db'],
      apply: (place) => {
        rmSync(join(place, 'comments.db'));
        const database = new DatabaseSync(join(place, 'comments.db'));
        database.exec('CREATE TABLE other (name TEXT)');
        database.close();
      },
    },
    put('empty', 'comments.db', () => new Uint8Array()),
  ];
}

/** `count` places in the database, spread over all of it; bits in turn. */
export function databaseFlips(folder: string, file: string, count: number): Damage[] {
  const { length } = readFileSync(join(folder, file));
  return Array.from({ length: count }, (_, i) =>
    flipAt(file, Math.floor(((i + 0.5) * length) / count), (i * 3) % 8),
  );
}

function change(folder: string, file: string, how: (bytes: Buffer) => Uint8Array): void {
  writeFileSync(join(folder, file), how(readFileSync(join(folder, file))));
}

function swap(one: string, other: string): void {
  const [first, second] = [readFileSync(one), readFileSync(other)];
  writeFileSync(one, second);
  writeFileSync(other, first);
}

export const INDEX_DAMAGES: readonly FolderDamage[] = [
  {
    name: 'its database is missing beside its files',
    apply: (folder, kind) => rmSync(join(folder, `${kind}s.db`)),
  },
  {
    name: 'its database is none',
    apply: (folder, kind) => writeFileSync(join(folder, `${kind}s.db`), 'no database\n'.repeat(1_000)),
  },
  {
    name: 'a file of it is cut',
    apply: (folder, kind) => {
      const [file] = readdirSync(join(folder, `${kind}s`));
      truncateSync(join(folder, `${kind}s`, file!), 1_000);
    },
  },
  {
    name: 'a newer version wrote it',
    apply: (folder, kind) => {
      const database = new DatabaseSync(join(folder, `${kind}s.db`));
      database.exec('UPDATE state SET format = 99');
      database.close();
    },
  },
];

/** Pages that hold texts and lists and nothing else: what the opening of a file reads is as it was. */
export const LATE_DAMAGE: FolderDamage = {
  name: 'pages of a file of it are changed',
  isLate: true,
  apply: (folder, kind) => damagePages(folder, kind, 'records', 'postings'),
};

/** Of a column that is larger than two pages: what reads whole columns finds it on opening. */
export const COLUMN_DAMAGE: FolderDamage = {
  name: 'pages of a column of a file of it are changed',
  isLate: true,
  apply: (folder, kind) => damagePages(folder, kind, 'place', 'place'),
};

/** All pages but the first of the file that lie within these sections and those between. */
function damagePages(folder: string, kind: Kind, from: string, to: string): void {
  const [file] = readdirSync(join(folder, `${kind}s`));
  const path = join(folder, `${kind}s`, file!);
  const parts = partsOf(path);
  const section = (wanted: string) => parts.find(({ name }) => name === wanted)!;
  const { offset, length } = section(to);
  const begin = Math.max(PAGE_BYTES, Math.ceil(section(from).offset / PAGE_BYTES) * PAGE_BYTES);
  const end = Math.floor((offset + length) / PAGE_BYTES) * PAGE_BYTES;
  assert.ok(end > begin, 'a page behind the first one');
  const bytes = readFileSync(path);
  for (let at = begin; at < end; at++) bytes[at]! ^= 0xff;
  writeFileSync(path, bytes);
}
