// Undoing a removal: writes back the hidden copies that no other removal hides, unless a higher copy has come in
// meanwhile, then takes the removal off the copies. The copies stay until the records are shown. So a process may die
// anywhere: the same call again brings back the rest.

import { randomUUID } from 'node:crypto';
import { compareCopies } from '../../../model/copies.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { type MovedRecords, NONE_MOVED } from '../../../model/removals.ts';
import { MoveCount } from '../../shared/day-table.ts';
import { type Operation, writeAll } from '../cluster/bulk.ts';
import { documentOf, type RecordSource } from '../cluster/documents.ts';
import { type Found, multiGet } from '../cluster/documents-walk.ts';
import { added, changeOf, type Dsl, NO_SUM } from '../cluster/search.ts';
import type { Claim } from '../state/manifest.ts';
import type { Store } from '../state/store.ts';
import { foldOverlays, publish } from './fold.ts';
import { changeHidden, countHidden, type HiddenCopy, hiddenCopies } from './hidden.ts';

/** How often an id is read and written again while others write it. */
const MAX_ROUNDS = 20;

export async function restoreKind(store: Store, kind: Kind, removal: number): Promise<MovedRecords> {
  const manifests = store.manifests[kind];
  const { overlays } = await manifests.read();
  if (overlays.length === 0 && (await countHidden(store, kind, namedBy(removal))) === 0) return NONE_MOVED;
  return await manifests.writing(async (claim) => {
    const folded = await foldOverlays(store, kind, claim);
    const back = new Back(store, kind, claim);
    let isAny = folded.numbers.length > 0;
    for await (const copies of freeCopies(store, kind, removal)) {
      isAny ||= copies.length > 0;
      await back.write(copies);
    }
    // Also if nothing was written now: a call that broke off may have written it without showing it.
    if (isAny) await publish(store, kind, claim, { folded, came: back.change });
    for await (const copies of hiddenCopies(store, kind, namedBy(removal))) {
      const changes = copies.map((copy) => ({
        copy,
        by: copy.source.by.filter((other) => other !== removal),
      }));
      await changeHidden(store, kind, changes, () => claim.renew());
    }
    return back.count.value();
  });
}

function namedBy(removal: number): Dsl {
  return { term: { by: removal } };
}

/** Copies that no other removal hides, the highest of each id, in parts. */
async function* freeCopies(store: Store, kind: Kind, removal: number): AsyncGenerator<readonly HiddenCopy[]> {
  let last: HiddenCopy | null = null;
  for await (const copies of hiddenCopies(store, kind, namedBy(removal))) {
    const free: HiddenCopy[] = [];
    for (const copy of copies) {
      if (copy.source.by.length > 1) continue;
      // The copies of one id follow each other, perhaps on the next page.
      const before: HiddenCopy | null = last;
      if (before?.source.id !== copy.source.id) {
        if (before !== null) free.push(before);
        last = copy;
      } else if (compareCopies(copy.source.r, before.source.r, store.rules) > 0) {
        last = copy;
      }
    }
    yield free;
  }
  if (last !== null) yield [last];
}

class Back {
  readonly count = new MoveCount();
  /** The change of the sum of visible records; null: unknown. */
  change: IndexFingerprint | null = NO_SUM;
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #claim: Claim;
  readonly #signature = randomUUID();

  constructor(store: Store, kind: Kind, claim: Claim) {
    this.#store = store;
    this.#kind = kind;
    this.#claim = claim;
  }

  async write(copies: readonly HiddenCopy[]): Promise<void> {
    let open = copies;
    for (let round = 0; open.length > 0; round++) {
      if (round > MAX_ROUNDS) {
        throw new EngineUnavailable('OpenSearch: others write what is to come back; run the same again');
      }
      open = await this.#writeOnce(open);
    }
  }

  /** Returns the copies whose documents had changed meanwhile. */
  async #writeOnce(copies: readonly HiddenCopy[]): Promise<HiddenCopy[]> {
    const { client, names } = this.#store;
    const index = names[this.#kind];
    const there = await multiGet<RecordSource>(
      client,
      index,
      copies.map(({ source }) => source.id),
    );
    const todo = copies.flatMap((copy) => {
      const operation = this.#operationFor(copy, there.get(copy.source.id));
      return operation === null ? [] : [{ copy, operation }];
    });
    const outcomes = await writeAll(
      client,
      index,
      todo.map(({ operation }) => operation),
      () => this.#claim.renew(),
    );
    const isDone = (_: unknown, i: number) => outcomes[i]!.kind === 'done';
    const done = todo.filter(isDone).map(({ copy }) => copy.source.r);
    for (const { created } of done) this.count.add(created);
    const replaced = done.flatMap(({ id }) => there.get(id)?.source.r ?? []);
    this.change &&= added(this.change, changeOf(done, replaced));
    return todo.filter((_, i) => !isDone(_, i)).map(({ copy }) => copy);
  }

  /** null: the document that is there stays. */
  #operationFor({ source: { r, a } }: HiddenCopy, there: Found<RecordSource> | undefined): Operation | null {
    const { generation: visible } = this.#claim.began;
    if (there !== undefined) {
      const order = compareCopies(r, there.source.r, this.#store.rules);
      // A call that broke off, or a try whose answer was lost, wrote it: no reader has seen it yet.
      if (order === 0 && there.source.g > visible) {
        this.count.add(r.created);
        this.change = null;
      }
      if (order <= 0) return null;
    }
    const generation = visible + 1;
    const document = () => documentOf(r, { arrived: a, batch: this.#signature, generation });
    const { id } = r;
    return there === undefined
      ? { kind: 'create', id, document }
      : { kind: 'index', id, document, at: there.at };
  }
}
