// Any history of imports, removals, undos and purges, held against a plain model of what should be found.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { Remover } from '../../src/removals/remover.ts';
import type { Target } from '../../src/removals/target.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { EMBEDDED } from '../embedded-index.ts';
import { folderHarness } from '../engine-harness.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { wholeStats } from '../whole-stats.ts';

const rules = { keepOriginals: false };
const COMMUNITIES = ['cats', 'dogs', 'energy'];
const POST_IDS = ['1', '2', '3', '4', '5', '6'];
const COMMENT_IDS = ['1', '2', '7', '8', '9', 'a', 'b', 'c'];

/** The community and the post of a record follow from its id. */
function recordOf(kind: Kind, id: string, score: number): StoredRecord {
  const number = Number.parseInt(id, 36);
  const community = COMMUNITIES[number % 3]!;
  const text = number % 2 === 0 ? 'even' : 'odd';
  if (kind === 'post') return post({ id, community, title: text, score });
  return comment({ id, community, post: POST_IDS[number % 6]!, body: text, score });
}

type Step =
  | { readonly do: 'import'; readonly records: readonly StoredRecord[] }
  | { readonly do: 'remove'; readonly target: Target }
  | { readonly do: 'undo'; readonly which: number }
  | { readonly do: 'purge' }
  | { readonly do: 'maintain' };

type Named = Pick<StoredRecord, 'kind' | 'id'>;
const key = ({ kind, id }: Named) => `${kind} ${id}`;

/** What is found, what is hidden by which removals, and what each removal lists. */
class Model {
  readonly live = new Map<string, StoredRecord>();
  readonly hidden = new Map<string, { readonly record: StoredRecord; readonly by: Set<number> }>();
  readonly listed = new Map<number, (record: StoredRecord) => boolean>();
  /** Back by an undo, unless a merge had left them behind before. */
  readonly unsure = new Set<string>();

  import(records: readonly StoredRecord[]): void {
    for (const record of records) {
      if ([...this.listed.values()].some((refuses) => refuses(record))) continue;
      this.live.set(key(record), record);
      this.unsure.delete(key(record));
    }
  }

  remove(removal: number, target: Target): void {
    const refuses = this.refusedBy(target);
    this.listed.set(removal, refuses);
    for (const [name, record] of [...this.live]) {
      if (!refuses(record)) continue;
      this.live.delete(name);
      this.hidden.set(name, { record, by: new Set() });
    }
    for (const { record, by } of this.hidden.values()) if (refuses(record)) by.add(removal);
  }

  undo(removal: number): void {
    this.listed.delete(removal);
    for (const [name, { record, by }] of [...this.hidden]) {
      if (!by.delete(removal) || by.size > 0) continue;
      this.hidden.delete(name);
      this.live.set(name, record);
      this.unsure.add(name);
    }
  }

  refusedBy(target: Target): (record: StoredRecord) => boolean {
    if (target.kind === 'communities') return ({ community }) => target.names.includes(community);
    const isNamed = this.#names(target);
    return (record) =>
      isNamed(record) ||
      (target.withComments && record.kind === 'comment' && isNamed({ kind: 'post', id: record.post }));
  }

  #names(target: Exclude<Target, { kind: 'communities' }>): (record: Named) => boolean {
    if (target.kind === 'records') return ({ kind, id }) => kind === target.of && target.ids.includes(id);
    // Queries here are one word.
    const [item] = target.query.items;
    const word = item?.kind === 'words' ? item.words[0]?.typed : undefined;
    const textOf = (record: StoredRecord) => (record.kind === 'post' ? record.title : record.body);
    const asked = [...this.live.values()].filter(({ kind }) => target.kinds.includes(kind));
    const names = new Set(asked.filter((record) => textOf(record) === word).map(key));
    return (record) => names.has(key(record));
  }
}

const records = fc.oneof(
  fc.tuple(fc.constant<Kind>('post'), fc.constantFrom(...POST_IDS), fc.nat(3)),
  fc.tuple(fc.constant<Kind>('comment'), fc.constantFrom(...COMMENT_IDS), fc.nat(3)),
);
const imports: fc.Arbitrary<Step> = fc
  .array(records, { maxLength: 12 })
  .map((given) => ({ do: 'import', records: given.map(([...fields]) => recordOf(...fields)) }));
const targets: fc.Arbitrary<Target> = fc.oneof(
  fc.record({
    kind: fc.constant('records' as const),
    of: fc.constant<Kind>('post'),
    ids: fc.array(fc.constantFrom(...POST_IDS), { minLength: 1, maxLength: 3 }),
    withComments: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('records' as const),
    of: fc.constant<Kind>('comment'),
    ids: fc.array(fc.constantFrom(...COMMENT_IDS), { minLength: 1, maxLength: 3 }),
    withComments: fc.constant(false),
  }),
  fc.record({
    kind: fc.constant('communities' as const),
    names: fc.array(fc.constantFrom(...COMMUNITIES), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('query' as const),
    query: fc.constantFrom('even', 'odd').map((text) => interpretWithoutWindow(text).query),
    kinds: fc.constantFrom<readonly Kind[]>(KINDS, ['post'], ['comment']),
    withComments: fc.boolean(),
  }),
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: imports },
  { weight: 3, arbitrary: targets.map((target): Step => ({ do: 'remove', target })) },
  { weight: 2, arbitrary: fc.nat(9).map((which): Step => ({ do: 'undo', which })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'purge' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'maintain' }) },
);

const ENGINES = [folderHarness('reference engine', openReferenceEngine), EMBEDDED];

async function foundIn(engine: SearchEngine): Promise<Set<string>> {
  const found = new Set<string>();
  await engine.refresh();
  for (const kind of KINDS) {
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) {
      for (const record of batch) {
        assert.ok(!found.has(key(record)), `${key(record)} is found twice`);
        found.add(key(record));
      }
    }
    const ofKind = [...found].filter((name) => name.startsWith(kind));
    assert.equal((await wholeStats(engine))[kind].records, ofKind.length);
  }
  return found;
}

describe('any history of imports and removals', () => {
  for (const harness of ENGINES) {
    it(harness.name, { timeout: 240_000 }, async () => {
      using folder = temporaryFolder();
      let round = 0;
      const property = fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 20 }), async (history) => {
        await using catalogue = Catalogue.open(join(folder.path, String(round++)));
        const { removals } = catalogue;
        await using place = harness.place();
        await using engine = await place.open({ rules, removals });
        const remover = new Remover({ copies: [], log: removals, engine, eraseBeside() {} });
        const model = new Model();
        const check = async () => {
          const found = await foundIn(engine);
          const wrong = [...found].filter((each) => !model.live.has(each));
          const sure = [...model.live.keys()].filter((each) => !model.unsure.has(each));
          const missing = sure.filter((each) => !found.has(each));
          assert.deepEqual([wrong, missing], [[], []]);
        };
        for (const step of history) {
          if (step.do === 'import') {
            for (const kind of KINDS) {
              await engine.index(kind, packRecords(step.records.filter((record) => record.kind === kind)));
            }
            model.import(step.records);
          } else if (step.do === 'remove') {
            const preview = await remover.preview(step.target);
            const { id, ...report } = await remover.remove(step.target);
            assert.deepEqual(report, preview);
            if (id !== null) model.remove(id, step.target);
          } else if (step.do === 'undo') {
            const id = [...model.listed.keys()][step.which % Math.max(1, model.listed.size)];
            if (id === undefined) continue;
            await remover.undo(id);
            model.undo(id);
          } else if (step.do === 'purge') {
            await remover.purge();
            model.hidden.clear();
            assert.equal(await engine.hiddenCount(), 0);
          } else {
            await remover.maintain(0);
          }
          await check();
        }
      });
      await fc.assert(property, { numRuns: 30 });
    });
  }
});
