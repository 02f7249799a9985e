// The manifest of a kind: what readers may see, who writes, and how far imports have come. It is one document, read in
// real time and replaced by compare-and-set, so a batch becomes visible as a whole, and in every process.
//
// A commit, and a view that is opened beside it:
//
//   phase       the writer                                      a reader
//   open        waits for its turn: claim                       opens a PIT; the manifest must be the same behind it
//   writing     folds removals in, writes documents of          opens a PIT; a shard that restarted may show documents
//               generation + 1: bulks on disk on every copy     of generation + 1: the view is torn, and says so
//   refreshing  refreshes all shards, counts all records        waits, or keeps its older view: shards show
//                                                               generation + 1 one after the other
//   open        publish: generation + 1, checkpoint, sum        opens a PIT of generation + 1
//
// A writer beats every 3 seconds while it lives. If it dies, its phase stays until the next writer has waited 15
// seconds: that one writes its own batch beside what is left, refreshes and publishes. The import of the dead one
// resumes at the last checkpoint and finds its own documents there: none is lost or counted twice.

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import { type Version, type Versioned, versionOf } from '../cluster/bulk.ts';
import { type CallOptions, type OpenSearchClient, pathOf } from '../cluster/client.ts';
import { multiGet, type ReadOptions } from '../cluster/documents-walk.ts';
import { type KeptSum, NO_SUM, unknownSum } from '../cluster/search.ts';

export interface Manifest {
  /** Counts the changes of what readers see; 0: nothing was ever written. */
  readonly generation: number;
  readonly phase: 'open' | 'writing' | 'refreshing';
  /** null: nobody writes. */
  readonly writer: Writer | null;
  /** Tokens of waiting writers, the first in line first. */
  readonly waiting: readonly string[];
  /** Counts the calls that hide. */
  readonly hides: number;
  /** Removals that are not folded in yet, by their numbers (overlays.ts), in order. */
  readonly overlays: readonly number[];
  /** Of the visible records, without those that overlays hide. So folding an overlay in does not change it. */
  readonly sum: KeptSum;
  /** The state of each incomplete import, by its source. */
  readonly checkpoints: Readonly<Record<string, string>>;
  /** What was deleted for good and may still be in files; null: nothing. */
  readonly erasing: Erasing | null;
  /** Of the indices that were written last; null: none was. */
  readonly uuids: Uuids | null;
}

/** The cluster's own ids of the control index and of the index of records. */
export interface Uuids {
  readonly control: string;
  readonly records: string;
}

/** Deleted copies whose texts are being taken out of the files (removing/purge.ts). */
interface Erasing {
  readonly records: number;
  /** Only files that these points in time hold still have them; null: segments may have them too. */
  readonly keptBy: readonly string[] | null;
}

interface Writer {
  readonly token: string;
  /** Goes up while the writer lives. */
  readonly beat: number;
}

export const NO_MANIFEST: Manifest = {
  ...{ generation: 0, phase: 'open', writer: null, waiting: [], hides: 0 },
  ...{ overlays: [], sum: NO_SUM, checkpoints: {}, erasing: null, uuids: null },
};

/** A writer whose beat stands still for so long has died. In milliseconds. */
export const DEAD_AFTER_MS = 15_000;
const BEAT_MS = 3_000;
/** How often a writer looks whether another has ended. */
const POLL_MS = 100;
/** The first in line has died if it does not write for so long while nobody else does. In milliseconds. */
const NOT_TAKEN_MS = 1_000;
/** How long a node may take for one document; then another is asked. */
const TRY_MS = 10_000;
/** How often a change is tried against those of others. */
const MAX_CONFLICTS = 100;
/** How many of the last changes a manifest knows: more than are made while a lost answer is asked for again. */
const NONCES = 200;
const NONCE_BYTES = 9;
const OF_WRITER = { isOfWriter: true } as const;

interface Stored {
  readonly manifest: Manifest;
  /** Names of the last changes, newest last. A writer whose answer was lost finds its change by them. */
  readonly nonces: readonly string[];
  readonly at: Version | { readonly op_type: 'create' };
}

interface GetReply extends Versioned {
  readonly found?: boolean;
  readonly _source: { readonly body: { readonly manifest: Manifest; readonly nonces: readonly string[] } };
}

/** Of one kind, in the index that controls (cluster/indices.ts), which is there. */
export class ManifestStore {
  readonly #client: OpenSearchClient;
  readonly #control: string;
  readonly #kind: Kind;
  /** The manifest that this process wrote last. The first try builds on it without reading. */
  #last: Stored | null = null;

  constructor(client: OpenSearchClient, control: string, kind: Kind) {
    this.#client = client;
    this.#control = control;
    this.#kind = kind;
  }

  /** As it is now; NO_MANIFEST where none was written. */
  async read(signal?: AbortSignal): Promise<Manifest> {
    return (await this.#get({ signal })).manifest;
  }

  /**
   * Replaces the manifest by the result of `change`, again if another process was faster. null from `change` changes
   * nothing. It may see outdated manifests, whose results are dropped.
   */
  async change(
    change: (manifest: Manifest) => Manifest | null,
    options: Pick<CallOptions, 'isOfWriter'> = {},
  ): Promise<Manifest | null> {
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const last = this.#last;
      this.#last = null;
      const stored = last ?? (await this.#get(options));
      const manifest = last === null ? change(stored.manifest) : unlessThrown(change, stored.manifest);
      if (manifest === null && last === null) return null;
      if (manifest !== null && (await this.#replace(stored, manifest, options))) return manifest;
    }
    throw new EngineUnavailable(
      'OpenSearch: too many processes write at once; run the same again, with fewer of them',
    );
  }

  /**
   * Runs `work` as the kind's only writer; waits for another, and takes over from a dead one. `publish` ends it.
   * Otherwise the manifest reopens unchanged, and what was written stays unseen.
   */
  async writing<T>(work: (claim: Claim) => Promise<T>): Promise<T> {
    const token = randomUUID();
    const claim = await this.#claim(token);
    let isBeating = false;
    const beat = setInterval(async () => {
      if (isBeating) return;
      isBeating = true;
      await claim.beat().catch(() => undefined);
      isBeating = false;
    }, BEAT_MS);
    try {
      return await work(claim);
    } catch (error) {
      claim.isLeft = true;
      throw error;
    } finally {
      clearInterval(beat);
      if (!claim.isEnded) await claim.end((manifest) => manifest).catch(() => undefined);
    }
  }

  /** As `writing`; null where another writes or waits for that, without waiting. */
  async writingIfFree<T>(work: (claim: Claim) => Promise<T>): Promise<T | null> {
    const { writer, waiting } = await this.read();
    return writer === null && waiting.length === 0 ? await this.writing(work) : null;
  }

  /** Waits until every writer that came before has ended or died. */
  async #claim(token: string): Promise<Claim> {
    let isLeft = false;
    /** Watches the first in line while nobody writes. */
    const [writing, next] = [new Watch(DEAD_AFTER_MS), new Watch(NOT_TAKEN_MS)];
    for (;;) {
      let isClaim = false;
      const changed = await this.change((manifest) => {
        isClaim = false;
        const { writer, waiting } = manifest;
        if (writing.isDead(writer)) {
          const [first] = waiting;
          const isOther = first !== undefined && first !== token;
          if (isOther && next.isStill(first)) return { ...manifest, waiting: waiting.slice(1) };
          if (waiting.length === 0 || waiting[0] === token) {
            isClaim = true;
            isLeft = manifest.phase !== 'open';
            // Shards show what a dead writer refreshed: with `refreshing`, no reader takes it for a whole
            // generation.
            const phase = manifest.phase === 'refreshing' ? 'refreshing' : 'writing';
            return { ...manifest, phase, writer: { token, beat: 0 }, waiting: waiting.slice(1) };
          }
        }
        return waiting.includes(token) ? null : { ...manifest, waiting: [...waiting, token] };
      }, OF_WRITER);
      if (changed !== null && isClaim) return new Claim(this, token, { began: changed, isLeft });
      // A random pause, so that waiting processes do not look in step.
      await sleep(POLL_MS * (0.2 + 0.8 * Math.random()));
    }
  }

  /** false: it has changed since. */
  async #replace({ at, nonces: before }: Stored, manifest: Manifest, options: CallOptions): Promise<boolean> {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const nonces = [...before, nonce].slice(-NONCES);
    const document = { what: 'manifest', kind: this.#kind, body: { manifest, nonces } };
    const { status, body } = await this.#client.request<Versioned>(
      { method: 'PUT', path: this.#path, query: { ...at }, body: document },
      { ...options, expect: [409], tryMs: TRY_MS },
    );
    const isReplaced = status !== 409;
    this.#last = isReplaced ? { manifest, nonces, at: versionOf(body) } : await this.#get(options);
    // The answer to a first try may be lost, and others may have written since.
    return isReplaced || this.#last.nonces.includes(nonce);
  }

  async #get(options: CallOptions): Promise<Stored> {
    const { status, body } = await this.#client.request<GetReply>(
      { method: 'GET', path: this.#path },
      { ...options, expect: [404], tryMs: TRY_MS },
    );
    if (status === 404 || body.found === false) {
      return { manifest: NO_MANIFEST, nonces: [], at: { op_type: 'create' } };
    }
    return { ...body._source.body, at: versionOf(body) };
  }

  get #path(): string {
    return pathOf(this.#control, '_doc', idOf(this.#kind));
  }
}

/** Another process took this one for dead and writes now: what is not published has to be done again. */
export class ClaimLost extends EngineUnavailable {
  constructor() {
    super('OpenSearch: another process has taken over the writing of this index; run the same again');
    this.name = 'ClaimLost';
  }
}

/** What a writer does with its manifest. Throws a ClaimLost where another has taken over. */
export class Claim {
  isEnded = false;
  /** As claimed, or shown last. Its phase is `refreshing` from when this writer, or a dead one, was at it. */
  began: Manifest;
  /** Whether the index may have documents of a writer that broke off, which nobody has published since. */
  isLeft: boolean;
  #confirmed = performance.now();
  readonly #store: ManifestStore;
  readonly #token: string;

  constructor(store: ManifestStore, token: string, { began, isLeft }: Pick<Claim, 'began' | 'isLeft'>) {
    this.#store = store;
    this.#token = token;
    this.began = began;
    this.isLeft = isLeft;
  }

  /** As it is now, changed: others hide meanwhile. */
  async change(change: (manifest: Manifest) => Manifest | null): Promise<Manifest | null> {
    return await this.#store.change((manifest) => {
      if (manifest.writer?.token !== this.#token) throw new ClaimLost();
      return change(manifest);
    }, OF_WRITER);
  }

  /** Tells others that this writer lives. */
  async beat(): Promise<void> {
    const asked = performance.now();
    await this.change((manifest) => ({
      ...manifest,
      writer: { token: this.#token, beat: manifest.writer!.beat + 1 },
    }));
    this.#confirmed = asked;
  }

  /** Before anything is written: makes sure that no other process has taken over while this one stood still. */
  async renew(): Promise<void> {
    if (performance.now() - this.#confirmed > DEAD_AFTER_MS / 2) await this.beat();
  }

  /** From now on the shards may be refreshed. */
  async refreshing(): Promise<void> {
    await this.change((manifest) => ({ ...manifest, phase: 'refreshing' }));
    this.began = { ...this.began, phase: 'refreshing' };
  }

  /**
   * Publishes what was written as the next generation, changed by `change`, after a refresh of all shards. null from
   * it: nothing is shown, and false returned. `goesOn`: with writing what is to be the generation after it; otherwise
   * the writer has ended.
   */
  async publish(change: (manifest: Manifest) => Manifest | null, goesOn = false): Promise<boolean> {
    const published = await this.change((manifest) => {
      const changed = change(manifest);
      const then = goesOn ? ({ phase: 'writing' } as const) : ({ phase: 'open', writer: null } as const);
      return changed && { ...changed, ...this.#next(changed), ...then };
    });
    if (published === null) return false;
    this.began = published;
    this.isLeft = false;
    this.isEnded = !goesOn;
    return true;
  }

  /** Ends where there is nothing to show; what is changed beside takes effect. */
  async end(change: (manifest: Manifest) => Manifest): Promise<void> {
    await this.change((manifest) => {
      const changed = change(manifest);
      // Shards may show what was refreshed or written: the phase keeps saying so.
      const phase = changed.phase === 'refreshing' ? 'refreshing' : this.isLeft ? 'writing' : 'open';
      return { ...changed, phase, writer: null };
    });
    this.isEnded = true;
  }

  /** The sum is unknown if a writer broke off before: nobody knows which of its documents are there. */
  #next({ generation, sum }: Manifest): Pick<Manifest, 'generation' | 'sum'> {
    return { generation: generation + 1, sum: this.isLeft ? unknownSum() : sum };
  }
}

/** As if it changed nothing where it throws. */
function unlessThrown(change: (manifest: Manifest) => Manifest | null, manifest: Manifest): Manifest | null {
  try {
    return change(manifest);
  } catch {
    return null;
  }
}

/** Tells from repeated looks at a name whether its owner lives: a living one changes it. A writer's is its beat. */
export class Watch {
  readonly #deadAfterMs: number;
  #seen = '';
  #since = 0;

  /** `deadAfterMs`: how long the name of one that has died stays the same. */
  constructor(deadAfterMs: number) {
    this.#deadAfterMs = deadAfterMs;
  }

  /** Who is seen for the first time lives. */
  isStill(name: string): boolean {
    if (name !== this.#seen) {
      this.#seen = name;
      this.#since = performance.now();
      return false;
    }
    return performance.now() - this.#since >= this.#deadAfterMs;
  }

  /** To be called at each look. null: it has ended, as if it were dead. */
  isDead(writer: Writer | null): boolean {
    return writer === null || this.isStill(`${writer.token} ${writer.beat}`);
  }
}

/** Those of both kinds at one moment; NO_MANIFEST where none was written. */
export async function readManifests(
  client: Pick<OpenSearchClient, 'request'>,
  control: string,
  options?: ReadOptions,
): Promise<Readonly<Record<Kind, Manifest>>> {
  const found = await multiGet<GetReply['_source']>(client, control, KINDS.map(idOf), options);
  const [post, comment] = KINDS.map((kind) => found.get(idOf(kind))?.source.body.manifest ?? NO_MANIFEST);
  return { post: post!, comment: comment! };
}

function idOf(kind: Kind): string {
  return `manifest-${kind}`;
}

/** The manifest after so many documents were deleted whose texts must not stay in files; upkeep takes them out. */
export function withErasing(manifest: Manifest, records: number): Manifest {
  if (records === 0) return manifest;
  return { ...manifest, erasing: { records: (manifest.erasing?.records ?? 0) + records, keptBy: null } };
}
