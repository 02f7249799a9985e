// Removals from end to end: the list in the catalogue first, then the index, so that no batch of an import
// under way brings a removed record back, whenever a process dies in between.
//
//   remove   listing → pending (imports refuse from here on) → published copies withdrawn → hidden in the index
//            → done
//   undo     done → undoing (imports still refuse) → back in the index → undone (imports take in again)
//
// If one kind cannot be read, the work for the other is done; a removal that concerns both is completed when
// the kind can be read again, like one that a dead process left.

import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Removals } from '../catalogue/removals.ts';
import { UsageError } from '../errors.ts';
import type { PurgeReport, SearchEngine } from '../model/engine.ts';
import { damageOrThrow, EngineUnavailable, eachOf, IndexDamage } from '../model/engine-errors.ts';
import { type Query, queryOfNames } from '../model/query.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { chunks, NAMED_AT_ONCE, type RecordCopies, type Removal } from '../model/removals.ts';
import { unixNow } from '../model/time.ts';
import { entriesOf, hiddenParts, hideListed, type Ids, kindsOf, subjectOf, type Target } from './target.ts';

export interface RemoverDeps {
  readonly log: Removals;
  readonly engine: SearchEngine;
  /** Erases removed texts from the files of the data folder that do not belong to the index. */
  readonly eraseBeside: () => void;
  readonly copies: readonly RecordCopies[];
}

export interface RemovalProgress {
  readonly step: 'waiting' | 'finding' | 'listing' | 'hiding' | 'erasing';
  readonly done: number;
  readonly total: number | null;
}

type OnProgress = (progress: RemovalProgress) => void;

/** How often to check whether another process has ended its removal. */
const LOCK_CHECK_MS = 100;

export class Remover {
  readonly #deps: RemoverDeps;
  readonly #onProgress: OnProgress;

  constructor(deps: RemoverDeps, onProgress: OnProgress = () => {}) {
    this.#deps = deps;
    this.#onProgress = onProgress;
  }

  /**
   * `id`: its number; null if a query found nothing, since then nothing was listed. `notThere`: ids that were asked for
   * but do not exist now, or are already hidden; listed all the same.
   *
   * When it resolves, no answer and no published file contains the records any more. Waits for a removal of another
   * process.
   */
  async remove(target: Target) {
    using _ = await this.#lock();
    await this.#finishAll();
    const ids = await this.#find(target);
    const found = ids.post.length + ids.comment.length;
    if (target.kind === 'query' && found === 0) return { id: null, posts: 0, comments: 0, notThere: 0 };
    const removal = await this.#list(target, ids);
    for (const copies of this.#deps.copies) copies.withdraw(removal);
    const hid = await this.#hideTarget(removal, target, ids).catch((error: unknown) => {
      throw error instanceof IndexDamage ? error : told(error, `removal ${removal} is noted`, 'go out');
    });
    this.#deps.log.finish(removal);
    const notThere = target.kind === 'records' ? found - hid.named : 0;
    return { id: removal, posts: hid.post, comments: hid.comment, notThere };
  }

  /**
   * `notBack`: records that it had hidden and that are not back: they were erased, or another removal hides them too.
   *
   * Undoes a removal, also one that damage has interrupted. Throws a UsageError if there is none with this number, or
   * it is already undone; an IndexDamage if a kind cannot be read, whose records come back later.
   */
  async undo(removal: number) {
    using _ = await this.#lock();
    await this.#finishAll();
    const known = this.#deps.log.all().find(({ id }) => id === removal);
    if (known === undefined) throw new UsageError(noSuchRemoval(removal, this.#deps.log.all()));
    if (known.state === 'undone') throw new UsageError(`removal ${removal} has already been undone`);
    this.#deps.log.beginUndo(removal);
    const back = await this.#finishUndo(known).catch((error: unknown) => {
      throw told(error, `removal ${removal} is being undone`, 'come back');
    });
    return { back, notBack: Math.max(0, known.posts + known.comments - back) };
  }

  /**
   * When it resolves with `now`, no file of the data folder or the index contains removed text; with `scheduled`, the
   * engine will erase it, or another process has it in what it is about to publish; the removals are marked as erased
   * once it is gone (`maintain`). If a kind cannot be read, erases the rest and throws its IndexDamage.
   */
  async purge(): Promise<PurgeReport> {
    const { erased, damage } = await this.#erase();
    if (damage !== null) throw damage;
    return { erased };
  }

  /** `damage`: why something could not be erased; null: everything is erased, or will be. */
  async #erase(): Promise<PurgeReport & { readonly damage: IndexDamage | null }> {
    await this.finishPending();
    const time = unixNow();
    const removals = this.#unerased();
    this.#onProgress({ step: 'erasing', done: 0, total: null });
    const erased: Kind[] = [];
    const damages: IndexDamage[] = [];
    for (const kind of KINDS) {
      const report = await this.#deps.engine.purge([kind]).catch(damageOrThrow);
      if (report instanceof IndexDamage) damages.push(report);
      else if (report.erased === 'now') erased.push(kind);
    }
    this.#deps.eraseBeside();
    const areCopiesErased = this.#eraseCopies();
    if (areCopiesErased) this.#markErased(removals, erased, time);
    const left = [...this.#leftBehind(), ...this.#unerased(time)];
    const isLeft = (kind: Kind) => left.some((each) => kindsOf(each).includes(kind));
    return {
      erased: areCopiesErased && erased.length + damages.length === KINDS.length ? 'now' : 'scheduled',
      damage: damages.find(({ kind }) => isLeft(kind)) ?? null,
    };
  }

  /** False: another process works on some copies, which may have removed texts; they are checked again later. */
  #eraseCopies(): boolean {
    return this.#deps.copies.map((copies) => copies.eraseLeft()).every(Boolean);
  }

  /** Marks the removals that concern only these kinds as erased. */
  #markErased(removals: readonly Removal[], erased: readonly Kind[], time: number): void {
    const isErased = (removal: Removal) => kindsOf(removal).every((kind) => erased.includes(kind));
    const ids = removals.filter(isErased).map(({ id }) => id);
    this.#deps.log.markErased(ids, time);
  }

  /** Completes removals that a process left when it died; if another process is at work, leaves that to it. */
  async finishPending(): Promise<void> {
    if (this.#leftBehind().length === 0) return;
    using lock = this.#deps.log.tryToLock();
    if (lock !== null) await this.#finishAll();
  }

  /**
   * To be called before a process writes: completes removals that another one left, and erases texts removed
   * `dueSeconds` ago or earlier. Throws a UsageError if the list does not know all removals of the index.
   */
  async catchUp(dueSeconds: number): Promise<void> {
    await this.#expectWholeList();
    await this.finishPending();
    if (this.#unerased(unixNow() - dueSeconds).length > 0) await this.#erase();
  }

  /** An import would bring in what a lost list refused. */
  async #expectWholeList(): Promise<void> {
    const { last, listed } = await this.#lastNumbers(0);
    if (last <= listed) return;
    throw new UsageError(
      `expected the removals of this index in \`catalogue.db\`, found no removal ${last}: an import would bring back ` +
        'what it hides; put a newer `catalogue.db` back, or run `colloquy remove --purge`',
    );
  }

  /**
   * For a server to call now and then: completes removals that a process left, and erases texts removed `dueSeconds`
   * ago or earlier; those left in copies, at once.
   */
  async maintain(dueSeconds: number): Promise<void> {
    await this.finishPending();
    const time = unixNow();
    const removals = this.#unerased(time - dueSeconds);
    await this.#deps.engine.maintain();
    // Closes files that another process has replaced.
    await this.#deps.engine.refresh();
    const areCopiesErased = this.#eraseCopies();
    if (removals.length === 0) return;
    this.#deps.eraseBeside();
    if (!areCopiesErased) return;
    const damages = await this.#deps.engine.damages();
    const erased: Kind[] = [];
    for (const kind of KINDS) {
      if (damages[kind] === null && (await this.#deps.engine.hiddenCount([kind])) === 0) erased.push(kind);
    }
    this.#markErased(removals, erased, time);
  }

  async preview(target: Target) {
    await this.#deps.engine.refresh();
    if (target.kind === 'communities') {
      const items = target.names.map((name) => ({ kind: 'community', name, negated: false }) as const);
      return await this.#totals({ items }, KINDS);
    }
    if (target.kind === 'query' && !target.withComments) {
      return await this.#totals(target.query, target.kinds);
    }
    const ids = await this.#find(target);
    const present = async (kind: Kind) => {
      let found = 0;
      for (const some of chunks(ids[kind], NAMED_AT_ONCE)) {
        const query = queryOfNames(some.map((id) => ({ id, of: kind })));
        found += (await this.#deps.engine.ask({ kind, query })).total;
      }
      return found;
    };
    const posts = await present('post');
    const comments = target.withComments ? await this.#withComments(ids) : await present('comment');
    const asked = target.kind === 'records' ? ids[target.of].length : 0;
    const there = target.kind === 'records' && target.of === 'comment' ? comments : posts;
    return { posts, comments, notThere: Math.max(0, asked - there) };
  }

  async #totals(query: Query, kinds: readonly Kind[]) {
    const total = async (kind: Kind) =>
      kinds.includes(kind) ? (await this.#deps.engine.ask({ kind, query })).total : 0;
    return { posts: await total('post'), comments: await total('comment'), notThere: 0 };
  }

  /** How many comments have one of the ids or belong to one of the posts. */
  async #withComments(ids: Ids): Promise<number> {
    const comments = new Set(ids.comment);
    for (const posts of chunks(ids.post, NAMED_AT_ONCE)) {
      const items = posts.map((id) => ({ kind: 'post', id, negated: false }) as const);
      for await (const batch of this.#deps.engine.scan('comment', { items }, 'newest')) {
        for (const { id } of batch) comments.add(id);
      }
    }
    return comments.size;
  }

  async #lock(): Promise<Disposable> {
    for (let isFirst = true; ; isFirst = false) {
      const lock = this.#deps.log.tryToLock();
      if (lock !== null) return lock;
      if (isFirst) this.#onProgress({ step: 'waiting', done: 0, total: null });
      await setTimeout(LOCK_CHECK_MS);
    }
  }

  #leftBehind(): Removal[] {
    return this.#deps.log.all().filter(({ state }) => state !== 'done' && state !== 'undone');
  }

  /** Only while holding the lock, so that nobody else works on these. Leaves removals that concern a damaged kind. */
  async #finishAll(): Promise<void> {
    for (const removal of this.#leftBehind()) await this.#finish(removal).catch(damageOrThrow);
  }

  async #finish(removal: Removal): Promise<void> {
    const { id, state } = removal;
    if (state === 'listing') this.#deps.log.drop(id);
    else if (state === 'undoing') await this.#finishUndo(removal);
    else {
      for (const copies of this.#deps.copies) copies.withdraw(id);
      await eachOf(kindsOf(removal), (kind) => hideListed(this.#deps.engine, this.#deps.log, id, kind));
      this.#deps.log.finish(id);
    }
  }

  /** Returns how many records are back. */
  async #finishUndo(removal: Removal): Promise<number> {
    const { id } = removal;
    let records = 0;
    await eachOf(kindsOf(removal), async (kind) => {
      const back = await this.#deps.engine.restore(id, [kind]);
      this.#deps.log.countBack(id, kind, back);
      records += back.records;
    });
    for (const copies of this.#deps.copies) copies.undone(id);
    this.#deps.log.finishUndo(id);
    return records;
  }

  /** Without ids for communities, which are removed as a whole. */
  async #find(target: Target): Promise<Ids> {
    const ids: Ids = { post: [], comment: [] };
    if (target.kind === 'communities') return ids;
    if (target.kind === 'records') {
      ids[target.of] = [...new Set(target.ids)];
      return ids;
    }
    await this.#deps.engine.refresh();
    for (const kind of target.kinds) {
      for await (const batch of this.#deps.engine.scan(kind, target.query, 'newest')) {
        for (const { id } of batch) ids[kind].push(id);
        this.#onProgress({ step: 'finding', done: ids.post.length + ids.comment.length, total: null });
      }
    }
    return ids;
  }

  /** Returns its number; from then on imports refuse what it lists. If it fails, nothing is listed. */
  async #list(target: Target, ids: Ids): Promise<number> {
    const withComments = 'withComments' in target && target.withComments;
    const removal = this.#deps.log.begin(subjectOf(target), withComments, await this.#numberBeyondList());
    try {
      const entries = entriesOf(target, ids);
      let done = 0;
      for (const some of chunks(entries, NAMED_AT_ONCE)) {
        this.#deps.log.add(removal, some);
        done += some.length;
        this.#onProgress({ step: 'listing', done, total: entries.length });
        // Lets signals and other work of this process run.
        await setImmediate();
      }
      this.#deps.log.hold(removal);
      return removal;
    } catch (error) {
      this.#deps.log.drop(removal);
      throw error;
    }
  }

  /**
   * The next number after those that the index knows, if the list lacks them: it was lost, or an older one came back.
   * null: the list knows the next.
   */
  async #numberBeyondList(): Promise<number | null> {
    // A damaged kind may hide records under any number of a lost list.
    const { last, listed } = await this.#lastNumbers(this.#deps.log.all().length === 0 ? unixNow() : 0);
    return last > listed ? last + 1 : null;
  }

  /**
   * The largest number under which the index hides something (a damaged kind counts as `ofDamaged`), and the largest of
   * the list.
   */
  async #lastNumbers(ofDamaged: number): Promise<{ readonly last: number; readonly listed: number }> {
    const ofKind = async (kind: Kind) => {
      const number = await this.#deps.engine.lastRemoval(kind).catch(damageOrThrow);
      return number instanceof IndexDamage ? ofDamaged : number;
    };
    const last = Math.max(...(await Promise.all(KINDS.map(ofKind))));
    return { last, listed: Math.max(0, ...this.#deps.log.all().map(({ id }) => id)) };
  }

  /** Hides what can be read; throws an IndexDamage at the end if a kind could not be. `named`: hidden by their id. */
  async #hideTarget(removal: number, target: Target, ids: Ids) {
    const hid = { post: 0, comment: 0, named: 0 };
    const damages: IndexDamage[] = [];
    const total = ids.post.length + ids.comment.length;
    let done = 0;
    for (const [kind, what] of hiddenParts(target, ids)) {
      const hidden = await this.#deps.engine.hide(removal, kind, what).catch(damageOrThrow);
      if (hidden instanceof IndexDamage) damages.push(hidden);
      else {
        this.#deps.log.count(removal, kind, hidden);
        hid[kind] += hidden.records;
        if ('ids' in what) hid.named += hidden.records;
      }
      if (!('ids' in what)) continue;
      done += what.ids.length;
      this.#onProgress({ step: 'hiding', done, total });
    }
    if (damages.length === 0) return hid;
    throw told(damages[0], `removal ${removal} is listed and out of what can be read`, 'go out');
  }

  /** Removals in force whose texts may still be in files, begun at this Unix second or earlier. */
  #unerased(until = Infinity): Removal[] {
    return this.#deps.log
      .all()
      .filter(({ state, erased, begun }) => state === 'done' && erased === null && begun <= until);
  }
}

/**
 * Adds to damage what was done and what happens once the kind can be read; to an unreachable engine, who continues.
 * Returns other errors unchanged.
 */
function told(error: unknown, done: string, willDo: string): unknown {
  if (error instanceof EngineUnavailable) {
    const words = `${error.message} (${done}; a running server does the rest, as does the next import or removal)`;
    return new EngineUnavailable(words, { cause: error });
  }
  if (!(error instanceof IndexDamage)) return error;
  const { kind, message, isNewer } = error;
  const words = `${message} (${done}; the ${kind}s ${willDo} when they can be read again)`;
  return new IndexDamage(kind, words, { isNewer, cause: error });
}

function noSuchRemoval(removal: number, all: readonly Removal[]): string {
  const last = all.at(-1)?.id;
  const known = last === undefined ? 'there is none yet' : `the last one is ${last} (\`remove --list\`)`;
  return `expected the number of a removal, found ${removal}: ${known}`;
}
