import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openKind } from '../../../../test/embedded-index.ts';
import { FileRemovals } from '../../../../test/file-removals.ts';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { BATCHES, batchOf, idsIn, SECRET } from '../../../../test/removal-corpus.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { KINDS } from '../../../model/record.ts';
import { type Hidden, hiddenOf, KEPT_AFTER_HIDING } from '../../../model/removals.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { checkIndex } from '../check.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { digestOf, ManifestDb } from '../index/manifest-db.ts';

const rules = { keepOriginals: false };
const IMPORTER = fileURLToPath(new URL('../../../../test/removal-importer.ts', import.meta.url));
const ALL = Array.from({ length: BATCHES }, (_, n) => batchOf(n, 0)).flat();

/** An importer that runs in a process of its own until the end of the scope. */
class Importer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: NodeJS.AsyncIterator<string>;
  /** The last batch that was acknowledged. */
  round = -1;
  /** Records that it left out. */
  removed = 0;

  constructor(folder: string, list: string) {
    const args = [IMPORTER, folder, list];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  /** Waits until `count` more batches are acknowledged, whatever is in the pipe already. */
  async batches(count: number): Promise<void> {
    for (const end = this.round + count; this.round < end; ) await this.#line();
  }

  /** Stops the batches; the lock stays. */
  async idle(): Promise<void> {
    this.#child.stdin!.write('idle\n');
    while (await this.#line());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.stdin!.end();
    for await (const _ of { [Symbol.asyncIterator]: () => this.#lines });
    await exited;
  }

  /** False for the line that says that there are no more. */
  async #line(): Promise<boolean> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the importer ended');
    const [round, removed] = String(value).split(' ');
    if (round === 'idle') return false;
    this.round = Number(round);
    this.removed += Number(removed);
    return true;
  }
}

async function foundIds(engine: SearchEngine): Promise<Set<string>> {
  await engine.refresh();
  const ids = new Set<string>();
  for await (const batch of engine.scan('comment', { items: [] }, 'oldest')) {
    for (const { id } of batch) ids.add(id);
  }
  return ids;
}

/** Fails where anything of `removed` is found, or anything else is not. */
async function expectAllBut(engine: SearchEngine, removed: ReadonlySet<string>): Promise<void> {
  const found = await foundIds(engine);
  assert.ok(found.isDisjointFrom(removed), 'what was removed is found');
  assert.equal(found.size, ALL.length - removed.size);
}

const WAYS: readonly Hidden[] = [
  { ids: ALL.filter((_, i) => i % 50 === 3).map(({ id }) => id) },
  { community: 'community4' },
  { threads: ['thread7', 'thread8'] },
  { ids: ALL.slice(0, 30).map(({ id }) => id) },
  { community: 'community9' },
];

/** An engine with a list of removals beside it, and what is on that. */
async function withList(workers: number) {
  await using owned = new AsyncDisposableStack();
  const { path } = owned.use(temporaryFolder());
  const [data, list] = [join(path, 'data'), join(path, 'list')];
  const removals = new FileRemovals(list);
  const engine = owned.use(await openEmbeddedEngine(data, { rules, workers, removals }));
  const removed = new Set<string>();
  /** Returns how many records the engine hid. */
  const remove = async (number: number, what: Hidden) => {
    removals.add(what);
    const { records } = await engine.hide(number, 'comment', what);
    const isMeant = hiddenOf(ALL, what);
    for (const [i, { id }] of ALL.entries()) if (isMeant[i]) removed.add(id);
    return records;
  };
  const kept = owned.move();
  return { engine, data, list, removed, remove, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Everything in the folder that contains a removed text: files with its bytes, records and words of segments. */
function tracesOf(folder: string, removed: ReadonlySet<string>): string[] {
  const traces: string[] = [];
  for (const file of globSync('**/*', { cwd: folder, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = readFileSync(join(file.parentPath, file.name), 'latin1');
    for (const id of idsIn(text)) if (removed.has(id)) traces.push(`${file.name} holds the bytes of ${id}`);
  }
  for (const kind of KINDS) {
    using opened = openKind(folder, kind);
    for (const { segment } of opened.view.segments) {
      for (let doc = 0; doc < segment.docs; doc++) {
        if (removed.has(segment.id(doc))) traces.push(`${segment.name} holds the record ${segment.id(doc)}`);
      }
      for (const { key } of segment.dictionary.entries()) {
        if (!key.startsWith(`t${SECRET}`)) continue;
        const [id] = idsIn(key);
        if (id === undefined || removed.has(id)) traces.push(`${segment.name} holds the word ${key}`);
      }
    }
  }
  return traces;
}

describe('removals beside an importer of another process', () => {
  it('are never found again, whatever comes in later, and erased by it from every file, also while it is idle', async () => {
    await using opened = await withList(1);
    const { engine, removed, remove, data } = opened;
    await using importer = new Importer(data, opened.list);
    await importer.batches(BATCHES);
    for (const [i, what] of WAYS.slice(0, 3).entries()) {
      const before = removed.size;
      assert.equal(await remove(i + 1, what), removed.size - before);
      await expectAllBut(engine, removed);
      await importer.batches(BATCHES + 1);
      await expectAllBut(engine, removed);
    }
    assert.ok(importer.removed > 0);
    await engine.purge();
    await importer.idle();
    for (const [i, what] of WAYS.slice(3).entries()) await remove(i + 4, what);
    assert.ok(tracesOf(data, removed).length > 0);
    await engine.purge();
    assert.deepEqual(tracesOf(data, removed), []);
    assert.equal(await engine.hiddenCount(), 0);
    await expectAllBut(engine, removed);
    assert.deepEqual((await checkIndex(data)).problems, []);
  });
});

describe('upkeep', () => {
  /** Moves all times of hiding in this folder into the past by `seconds`. */
  function backdate(folder: string, seconds: number): void {
    const db = new ManifestDb(join(folder, 'comments.db'));
    db.run('UPDATE hidden SET time = time - ?', seconds);
    db.run('UPDATE state SET version = version + 1, scrub_due = scrub_due - ?', seconds);
    db.run('UPDATE state SET digest = ?', digestOf(db));
    db.close();
  }

  it('erases what was hidden longer ago than it is kept, nothing before, and lets the lock go again', async () => {
    using folder = temporaryFolder();
    const removed = new Set(ALL.slice(0, 40).map(({ id }) => id));
    const open = () => openEmbeddedEngine(folder.path, { rules, workers: 0 });
    {
      await using engine = await open();
      for (let n = 0; n < BATCHES; n++) await engine.index('comment', packRecords(batchOf(n, 0)));
      await engine.hide(1, 'comment', { ids: [...removed] });
    }
    const early = 60;
    backdate(folder.path, KEPT_AFTER_HIDING - early);
    await using keeper = await open();
    await keeper.maintain();
    assert.equal(await keeper.hiddenCount(), removed.size);
    backdate(folder.path, early);
    await using fresh = await open();
    await fresh.maintain();
    assert.equal(await fresh.hiddenCount(), 0);
    assert.deepEqual(tracesOf(folder.path, removed), []);
    await expectAllBut(fresh, removed);
    await keeper.index('comment', packRecords([ALL[0]!]));
    await fresh.maintain();
  });

  it('a purge of a server and batches of the same process do not get in the way of each other', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 1 });
    const indexing = (async () => {
      for (let round = 0; round < 12; round++) {
        await engine.index('comment', packRecords(batchOf(round % BATCHES, round)));
      }
    })();
    const purging = (async () => {
      for (let i = 1; i < 6; i++) {
        await engine.hide(i, 'comment', { community: `community${i}` });
        await Promise.all([engine.purge(), engine.maintain()]);
      }
    })();
    await Promise.all([indexing, purging]);
    assert.deepEqual((await checkIndex(folder.path)).problems, []);
  });
});
