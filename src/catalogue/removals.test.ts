import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { test } from '../../test/catalogue-fixtures.ts';
import { comment, post, temporaryFolder } from '../../test/helpers.ts';
import type { MovedRecords, RemovalEntry } from '../model/removals.ts';
import { Catalogue } from './catalogue.ts';
import type { Removals } from './removals.ts';

const A = { kind: 'post', name: 'a' } as const;

/** Lists these entries as one removal, which then holds. */
function remove(removals: Removals, entries: readonly RemovalEntry[]): number {
  const id = removals.begin('posts', false);
  removals.add(id, entries);
  removals.hold(id);
  removals.finish(id);
  return id;
}

function moved(records: number): MovedRecords {
  return { records, months: [[0, records]] };
}

function undo(removals: Removals, id: number): void {
  removals.beginUndo(id);
  removals.finishUndo(id);
}

describe('removals: states', () => {
  test('entries count from `hold` to `finishUndo`, and the version goes up at both', async (place) => {
    const { removals } = place.catalogue;
    const isRefused = () => removals.refused([post({ id: 'a' })])[0];
    const seen: string[] = [];
    const look = () => seen.push(`${removals.all()[0]?.state} ${removals.version()} ${isRefused()}`);
    const id = removals.begin('query', true);
    // An entry given twice is listed once.
    for (const entries of [[A], [A, A]]) removals.add(id, entries);
    look();
    removals.hold(id);
    look();
    removals.count(id, 'post', moved(1));
    removals.count(id, 'comment', moved(3));
    removals.count(id, 'comment', moved(1));
    removals.finish(id);
    look();
    removals.markErased([id], 77);
    removals.countBack(id, 'comment', moved(3));
    removals.countBack(id, 'comment', { records: 1, months: [[2_678_400, 1]] });
    assert.deepEqual(removals.months(), [
      { removal: id, kind: 'comment', month: 0, hidden: 4, back: 3 },
      { removal: id, kind: 'comment', month: 2_678_400, hidden: 0, back: 1 },
      { removal: id, kind: 'post', month: 0, hidden: 1, back: 0 },
    ]);
    removals.beginUndo(id);
    look();
    removals.finishUndo(id);
    look();
    const early = ['listing 0 false', 'pending 1 true', 'done 1 true'];
    assert.deepEqual(seen, [...early, 'undoing 1 true', 'undone 2 false']);
    const [row] = removals.all();
    assert.ok(Math.abs(row!.begun - Date.now() / 1000) < 60 && row!.undone! >= row!.begun);
    const { begun: _, undone: __, ...rest } = row!;
    const told = { id, subject: 'query', withComments: true, state: 'undone', listed: 1 };
    assert.deepEqual(rest, { ...told, posts: 1, comments: 4, erased: 77 });
  });

  test('a step out of turn is refused and changes nothing', async ({ catalogue: { removals } }) => {
    const id = remove(removals, [A]);
    const before = removals.all();
    for (const step of ['hold', 'finish', 'drop', 'finishUndo'] as const)
      assert.throws(() => removals[step](id), /removal \d/);
    assert.throws(() => removals.add(id, [{ kind: 'post', name: 'b' }]), /removal \d/);
    assert.throws(() => removals.beginUndo(id + 1), /removal \d/);
    assert.deepEqual(removals.all(), before);
  });

  test('one that is dropped leaves nothing, and its number is not given again', async (place) => {
    const { removals } = place.catalogue;
    const id = removals.begin('posts', false);
    removals.add(id, [A]);
    removals.drop(id);
    assert.deepEqual(removals.all(), []);
    assert.equal(remove(removals, [{ kind: 'post', name: 'z' }]), id + 1);
    assert.deepEqual(removals.refused([post({ id: 'a' }), post({ id: 'z' })]), [false, true]);
  });
});

describe('removals: several processes', () => {
  it('two folders hash one id differently, and no file holds the id', async () => {
    const hashes: string[] = [];
    for (let round = 0; round < 2; round++) {
      using folder = temporaryFolder();
      {
        await using catalogue = Catalogue.open(folder.path);
        const community = { kind: 'community', name: 'tellingname' } as const;
        remove(catalogue.removals, [{ kind: 'post', name: 'tellingid' }, community]);
      }
      const file = join(folder.path, 'catalogue.db');
      assert.ok(!/telling/.test(readFileSync(file, 'latin1')));
      const { DatabaseSync } = await import('node:sqlite');
      using database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare('SELECT hash FROM removal_entries').all();
      assert.equal(rows.length, 2);
      hashes.push(...rows.map(({ hash }) => Buffer.from(hash as Uint8Array).toString('hex')));
    }
    assert.equal(new Set(hashes).size, 4);
  });
});

describe('removals: any history', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const entry: fc.Arbitrary<RemovalEntry> = fc.record({
    kind: fc.constantFrom('post', 'comment', 'community', 'thread'),
    name: names,
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove'), entries: fc.array(entry) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo'), which: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop'), entries: fc.array(entry) }) },
  );
  const record = fc.oneof(
    fc.record({ id: names, community: names }).map(post),
    fc.record({ id: names, community: names, post: fc.oneof(names, fc.constant('')) }).map(comment),
  );

  it('refused is what a removal that holds has an entry for', async () => {
    using folder = temporaryFolder();
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(record, { maxLength: 30 }),
      async (steps, records) => {
        const place = join(folder.path, String(round++));
        await using writer = Catalogue.open(place);
        await using reader = Catalogue.open(place);
        const held = new Map<number, Set<string>>();
        for (const one of steps) {
          if ('which' in one) {
            const id = [...held.keys()][one.which % Math.max(held.size, 1)];
            if (id === undefined) continue;
            undo(writer.removals, id);
            held.delete(id);
          } else if (one.kind === 'remove') {
            const listed = new Set(one.entries.map(({ kind, name }) => `${kind} ${name}`));
            held.set(remove(writer.removals, one.entries), listed);
          } else {
            const id = writer.removals.begin('posts', false);
            writer.removals.add(id, one.entries);
            writer.removals.drop(id);
          }
          const isListed = (what: string) => [...held.values()].some((listed) => listed.has(what));
          const expected = records.map(
            (each) =>
              isListed(`${each.kind} ${each.id}`) ||
              isListed(`community ${each.community}`) ||
              (each.kind === 'comment' && each.post !== '' && isListed(`thread ${each.post}`)),
          );
          assert.deepEqual(reader.removals.refused(records), expected);
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});
