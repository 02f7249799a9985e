// Undoing: a removal is taken off the hidden copies, and those that no other hides are found again, unless a copy that
// ranks higher has come in meanwhile. Each is written among the records before it goes from the hidden copies, so that
// a process may die anywhere: the same call again brings back the rest.

import { randomUUID } from 'node:crypto';
import { compareCopies } from '../../model/copies.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Kind } from '../../model/record.ts';
import { type Operation, writeAll } from './bulk.ts';
import { documentOf, type RecordSource } from './documents.ts';
import { foldOverlays, publish } from './fold.ts';
import { changeHidden, countHidden, type HiddenCopy, hiddenCopies } from './hidden.ts';
import type { Claim } from './manifest.ts';
import { type Found, multiGet } from './multi-get.ts';
import type { Store } from './store.ts';

/** How often an id is read and written again while others write it. */
const MAX_ROUNDS = 20;

/** How many records of this kind are back. */
export async function restoreKind(store: Store, kind: Kind, removal: number): Promise<number> {
  const manifests = store.manifests[kind];
  const query = { term: { by: removal } };
  const { overlays } = await manifests.read();
  if (overlays.length === 0 && (await countHidden(store, kind, query)) === 0) return 0;
  return await manifests.writing(async (claim) => {
    const folded = await foldOverlays(store, kind, claim);
    const back = new Back(store, kind, claim);
    let waiting: HiddenCopy[] = [];
    for await (const copies of hiddenCopies(store, kind, query)) {
      // Those of one id stand together: the rest of the last one's may be on the next page.
      const all = [...waiting, ...copies];
      const last = all.at(-1)!.source.id;
      waiting = all.filter(({ source }) => source.id === last);
      await back.take(
        all.filter(({ source }) => source.id !== last),
        removal,
      );
    }
    await back.take(waiting, removal);
    if (back.count > 0 || folded.numbers.length > 0) await publish(store, kind, claim, folded);
    return back.count;
  });
}

class Back {
  /** Records that are back. */
  count = 0;
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #claim: Claim;
  readonly #signature = randomUUID();

  constructor(store: Store, kind: Kind, claim: Claim) {
    this.#store = store;
    this.#kind = kind;
    this.#claim = claim;
  }

  /** Takes the removal off these, all of an id at once. */
  async take(copies: readonly HiddenCopy[], removal: number): Promise<void> {
    const changes = copies.map((copy) => ({ copy, by: copy.source.by.filter((other) => other !== removal) }));
    const free = changes.flatMap(({ copy, by }) => (by.length === 0 ? [copy] : []));
    await this.#show([...Map.groupBy(free, ({ source }) => source.id).values()]);
    await changeHidden(this.#store, this.#kind, changes, () => this.#claim.renew());
  }

  /** Of each id the copy that ranks highest, what is found now among them. */
  async #show(groups: readonly (readonly HiddenCopy[])[]): Promise<void> {
    let open = groups.map((group) => this.#highest(group));
    for (let round = 0; open.length > 0; round++) {
      if (round > MAX_ROUNDS) {
        throw new EngineUnavailable('OpenSearch: others write what is to come back; run the same again');
      }
      open = await this.#write(open);
    }
  }

  /** Returns what was not as it was thought to be. */
  async #write(copies: readonly HiddenCopy[]): Promise<HiddenCopy[]> {
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
    this.count += outcomes.filter(({ kind }) => kind === 'done').length;
    return todo.flatMap(({ copy }, i) => (outcomes[i]!.kind === 'done' ? [] : [copy]));
  }

  /** null: what is found now stays. */
  #operationFor({ source: { r, a } }: HiddenCopy, there: Found<RecordSource> | undefined): Operation | null {
    if (there?.source.b === this.#signature) {
      // The answer to a first try was lost.
      this.count++;
      return null;
    }
    if (there !== undefined && compareCopies(r, there.source.r, this.#store.rules) <= 0) return null;
    const generation = this.#claim.began.generation + 1;
    const document = () => documentOf(r, { arrived: a, batch: this.#signature, generation });
    const { id } = r;
    return there === undefined
      ? { kind: 'create', id, document }
      : { kind: 'index', id, document, at: there.at };
  }

  #highest(group: readonly HiddenCopy[]): HiddenCopy {
    return group.reduce((highest, copy) =>
      compareCopies(copy.source.r, highest.source.r, this.#store.rules) > 0 ? copy : highest,
    );
  }
}
