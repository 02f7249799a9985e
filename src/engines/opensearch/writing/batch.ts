// Writes the records of one batch. It tries to create every record, and reads, merges and replaces only those that are
// there already: so a first import reads nothing.
//
// Nothing is locked. Each write has a condition: of two writers, the slower one reads and merges again. Each write is
// signed, so a writer that lost the answer recognises its own document.

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CopyRules, mergeCopies } from '../../../model/copies.ts';
import type { IndexReport } from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { isNews } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { ArrivalTime } from '../../../model/time.ts';
import { unixNow } from '../../../model/time.ts';
import { type Operation, type Outcome, type Version, writeAll } from '../cluster/bulk.ts';
import type { OpenSearchClient } from '../cluster/client.ts';
import {
  cameInWith,
  documentJson,
  prepareDocument,
  type RecordSource,
  timeOf,
} from '../cluster/documents.ts';
import { multiGet } from '../cluster/documents-walk.ts';
import { changeOf } from '../cluster/search.ts';
import { hiddenBy, type Overlay } from '../state/overlays.ts';

/** So many documents are prepared in one turn of the event loop. */
const PREPARED_AT_ONCE = 32;

/** How often an id is read and written again while others write it. */
const MAX_ROUNDS = 20;

interface Target {
  readonly client: OpenSearchClient;
  readonly index: string;
  readonly rules: CopyRules;
  /** The generation that readers see; the batch is part of the next one. */
  readonly visible: number;
  /** Runs before each request that writes. */
  readonly before: () => Promise<unknown>;
}

/** A record, and when it came in. */
interface Held extends Pick<RecordSource, 'r' | 'a'> {
  /** It comes in with this batch: its arrival is that of the generation that it is written for. */
  readonly isNew: boolean;
}

/** An id of the batch. */
interface Entry {
  readonly id: string;
  /** In the order of the batch; fewer where some are left out. */
  copies: readonly Held[];
  /** What the copies make without a base; null: not computed yet. */
  alone: { readonly of: readonly Held[]; readonly held: Held | null } | null;
  /** What it held before; null: nothing, or nobody has looked. */
  base: Held | null;
  /** The document that is there; null: none, or nobody has looked. */
  there: { readonly at: Version; readonly holds: 'base' | Signed; readonly generation: number } | null;
  isUnsure: boolean;
}

/** The number of copies that a document of this batch was made of. */
type Signed = number;

export class Batch {
  readonly records: number;
  readonly #entries = new Map<string, Entry>();
  /** By the records that will most likely be written. */
  readonly #prepared = new Map<StoredRecord, string>();
  readonly #signature = randomUUID();
  #leftOut = 0;
  #hasUnseen = false;
  #takenBack = 0;
  /** False: another process writes too, perhaps one that was taken for dead. */
  #isAlone = true;

  /** `arrived`: when each of them came in; absent: now. */
  constructor(records: readonly StoredRecord[], arrived?: readonly ArrivalTime[]) {
    this.records = records.length;
    const now = unixNow();
    const held = records.map(
      (r, i): Held => ({ r, a: arrived === undefined ? now : arrived[i]!, isNew: true }),
    );
    const copies = Map.groupBy(held, ({ r }) => r.id);
    for (const [id, ofId] of copies) {
      this.#entries.set(id, { id, copies: ofId, alone: null, base: null, there: null, isUnsure: false });
    }
  }

  /** Whether the index may have documents, of this batch or of one that broke off, that readers do not see yet. */
  get hasUnseen(): boolean {
    return this.#hasUnseen;
  }

  /** How many documents it wrote and took back: their texts are in files still. */
  get takenBack(): number {
    return this.#takenBack;
  }

  /** Prepares documents until `signal` is aborted, while another process writes. The rest is made when written. */
  async prepare(rules: CopyRules, signal: AbortSignal): Promise<void> {
    let made = 0;
    for (const entry of this.#entries.values()) {
      if (made++ % PREPARED_AT_ONCE === 0) await nextTurn();
      if (signal.aborted) return;
      const { r } = this.#heldBy(entry, rules)!;
      this.#prepared.set(r, prepareDocument(r));
    }
  }

  /** Leaves out what must not come in; `write` takes back what is in. */
  leaveOut(refused: (records: readonly StoredRecord[]) => readonly boolean[]): void {
    const entries = [...this.#entries.values()];
    const answers = refused(entries.flatMap(({ copies }) => copies.map(({ r }) => r)));
    let at = 0;
    for (const entry of entries) {
      const kept = entry.copies.filter(() => answers[at++] === false);
      this.#leftOut += entry.copies.length - kept.length;
      entry.copies = kept;
    }
  }

  /** Brings the index to what the copies that are left make of it; again, where some were left out since. */
  async write(target: Target): Promise<void> {
    let open = [...this.#entries.values()];
    // A call that broke off may have written records that are refused by now.
    const unsure = open.filter(({ isUnsure }) => isUnsure);
    this.#hasUnseen ||= unsure.length > 0;
    await this.#look(target, unsure);
    for (let round = 0; open.length > 0; round++) {
      if (round > MAX_ROUNDS) {
        throw new EngineUnavailable(
          'OpenSearch: too many processes write the same records at once; run the same again, with fewer of them',
        );
      }
      open = await this.#writeOnce(target, open);
      await this.#look(target, open);
    }
  }

  /** The change of the sum that readers see, where `overlays` have come to hide some; null: nobody knows. */
  change({ rules }: Pick<Target, 'rules'>, overlays: readonly Overlay[]): IndexFingerprint | null {
    if (!this.#isAlone) return null;
    const [came, went]: [StoredRecord[], StoredRecord[]] = [[], []];
    for (const entry of this.#entries.values()) {
      const [held, base] = [this.#heldBy(entry, rules)?.r, entry.base?.r];
      if (held === base) continue;
      if (held !== undefined) came.push(held);
      if (base !== undefined) went.push(base);
    }
    const seen = (records: readonly StoredRecord[]) => {
      const by = hiddenBy(records, overlays);
      return records.filter((_, i) => by[i]!.length === 0);
    };
    return changeOf(seen(came), seen(went));
  }

  /** Another process has taken this one for dead: both may have written. */
  isTakenOver(): void {
    this.#isAlone = false;
  }

  report({ rules }: Pick<Target, 'rules'>): IndexReport {
    let added = 0;
    let replaced = 0;
    for (const entry of this.#entries.values()) {
      const { base } = entry;
      const held = this.#heldBy(entry, rules);
      if (base === null && held !== null) added++;
      if (base !== null && held?.r !== base.r) replaced++;
    }
    const unchanged = this.records - this.#leftOut - added - replaced;
    return { added, replaced, unchanged, removed: this.#leftOut };
  }

  /** Returns the entries that were not as they were thought to be. */
  async #writeOnce(target: Target, entries: readonly Entry[]): Promise<Entry[]> {
    const todo = entries.flatMap((entry) => {
      const operation = this.#operationFor(entry, target);
      return operation === null ? [] : [{ entry, operation }];
    });
    for (const { entry } of todo) entry.isUnsure = true;
    const outcomes = await writeAll(
      target.client,
      target.index,
      todo.map(({ operation }) => operation),
      target.before,
    );
    this.#hasUnseen ||= outcomes.some(({ kind }) => kind === 'done');
    this.#takenBack += todo.filter(
      ({ entry: { there, copies } }, i) =>
        outcomes[i]!.kind === 'done' && typeof there?.holds === 'number' && there.holds > copies.length,
    ).length;
    const generation = target.visible + 1;
    return todo
      .filter(({ entry }, i) => !isSettled(entry, outcomes[i]!, generation))
      .map(({ entry }) => entry);
  }

  async #look({ client, index, visible }: Target, entries: readonly Entry[]): Promise<void> {
    const ids = entries.map(({ id }) => id);
    const found = await multiGet<RecordSource>(client, index, ids, { isOfWriter: true });
    for (const entry of entries) {
      const document = found.get(entry.id);
      entry.isUnsure = false;
      if (document === undefined) {
        [entry.base, entry.there] = [null, null];
        continue;
      }
      const { at, source } = document;
      // A writer that was taken over may have written behind its generation.
      this.#hasUnseen ||= source.g >= visible;
      const holds = this.#signedBy(source.b);
      if (holds === null && source.g > visible) this.#isAlone = false;
      entry.there = { at, holds: holds ?? 'base', generation: source.g };
      if (holds === null) entry.base = { r: source.r, a: source.a, isNew: false };
    }
  }

  /** null: the index is as it should be. */
  #operationFor(entry: Entry, { rules, visible }: Target): Operation | null {
    const { id, base, there, copies } = entry;
    const generation = visible + 1;
    // If another writer has published that generation, the record must come in with the next: callers were told.
    if (there?.holds === copies.length && there.generation === generation) return null;
    const held = this.#heldBy(entry, rules);
    if (there?.holds === 'base' && held?.r === base?.r) return null;
    if (held === null) return there === null ? null : { kind: 'delete', id, at: there.at };
    const { r } = held;
    const arrived = held.isNew ? cameInWith(generation, timeOf(held.a)) : held.a;
    const written = { arrived, batch: this.#sign(copies.length), generation };
    const document = () => documentJson(this.#prepared.get(r) ?? prepareDocument(r), r, written);
    return there === null ? { kind: 'create', id, document } : { kind: 'index', id, document, at: there.at };
  }

  #heldBy(entry: Entry, rules: CopyRules): Held | null {
    const { base, copies } = entry;
    if (base !== null) return this.#merged(base, copies, rules);
    // The same object at each call: its document may be there already.
    if (entry.alone?.of !== copies) {
      entry.alone = { of: copies, held: this.#merged(null, copies, rules) };
    }
    return entry.alone.held;
  }

  #merged(base: Held | null, copies: readonly Held[], rules: CopyRules): Held | null {
    let held = base;
    for (const copy of copies) {
      if (held === null) {
        held = copy;
        continue;
      }
      const r = mergeCopies(held.r, copy.r, rules);
      if (r === held.r) continue;
      const { a, isNew }: Held = isNews(held.r, r) ? copy : held;
      held = { r, a, isNew };
    }
    return held;
  }

  #sign(copies: Signed): string {
    return `${this.#signature} ${copies}`;
  }

  #signedBy(name: string): Signed | null {
    const [signature, copies] = name.split(' ');
    return signature === this.#signature ? Number(copies) : null;
  }
}

/** Notes the outcome in the entry; false: the document must be read. */
function isSettled(entry: Entry, outcome: Outcome, generation: number): boolean {
  if (outcome.kind === 'conflict') return false;
  entry.isUnsure = false;
  const isGone = outcome.kind === 'absent' || entry.copies.length + Number(entry.base !== null) === 0;
  entry.there = isGone ? null : { at: outcome.at, holds: entry.copies.length, generation };
  return true;
}
