// The manifest of a kind: what readers may see, who writes, and how far imports have come. One document, read in real
// time and replaced by compare-and-set, so that a batch becomes visible as a whole, and in every process.
//
//   open ──claim──► writing ──► refreshing ──publish (generation + 1)──► open
//
// Documents of generation + 1 may be in the index from `writing` on. Nothing shows them before `refreshing`, but where a
// shard was started anew; from then on shards show them one after the other, until the manifest is open again.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type OpenSearchClient, pathOf } from './client.ts';

export interface Manifest {
  /** Goes up whenever other records are to be seen; 0: nothing was ever written. */
  readonly generation: number;
  readonly phase: 'open' | 'writing' | 'refreshing';
  /** null: nobody writes. */
  readonly writer: Writer | null;
  /** Goes up with every call that hides. */
  readonly hides: number;
  /** Removals that are not folded in yet, by their numbers (overlays.ts), in order. */
  readonly overlays: readonly number[];
  /** State of each import that is not complete, by its source. */
  readonly checkpoints: Readonly<Record<string, string>>;
}

export interface Writer {
  readonly token: string;
  /** Goes up while the writer lives. */
  readonly beat: number;
}

export const NO_MANIFEST: Manifest = {
  ...{ generation: 0, phase: 'open', writer: null, hides: 0, overlays: [], checkpoints: {} },
};

/** A writer whose beat stands still for so long has died. In milliseconds. */
const DEAD_AFTER_MS = 15_000;
const BEAT_MS = 3_000;
/** How often a writer looks whether another has ended. */
const POLL_MS = 100;
/** How long it waits for others. */
const PATIENCE_MS = 120_000;
/** How often a change is tried against those of others. */
const MAX_CONFLICTS = 100;

interface Stored {
  readonly manifest: Manifest;
  /** Of the write; absent in the condition that nothing was written. */
  readonly nonce: string | null;
  readonly at:
    | { readonly if_seq_no: number; readonly if_primary_term: number }
    | { readonly op_type: 'create' };
}

interface GetReply {
  readonly found?: boolean;
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: { readonly body: { readonly manifest: Manifest; readonly nonce: string } };
}

/** Of one kind, in the index that controls (indices.ts), which is there. */
export class ManifestStore {
  readonly #client: OpenSearchClient;
  readonly #control: string;
  readonly #kind: Kind;

  constructor(client: OpenSearchClient, control: string, kind: Kind) {
    this.#client = client;
    this.#control = control;
    this.#kind = kind;
  }

  /** As it is now; NO_MANIFEST where none was written. */
  async read(signal?: AbortSignal): Promise<Manifest> {
    return (await this.#get(signal)).manifest;
  }

  /**
   * Replaces the manifest by what `change` makes of it, as often as others are faster; returns what it is now. Where
   * `change` returns null nothing is changed, and null returned.
   */
  async change(change: (manifest: Manifest) => Manifest | null): Promise<Manifest | null> {
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const stored = await this.#get();
      const manifest = change(stored.manifest);
      if (manifest === null) return null;
      const nonce = randomUUID();
      const body = { what: 'manifest', kind: this.#kind, body: { manifest, nonce } };
      const call = { method: 'PUT', path: this.#path, query: stored.at, body } as const;
      const { status } = await this.#client.request(call, { expect: [409] });
      // The answer to a first try may have been lost.
      if (status !== 409 || (await this.#get()).nonce === nonce) return manifest;
    }
    throw new EngineUnavailable('OpenSearch: the manifest is changed by too many at once');
  }

  /**
   * Runs `work` as the one writer of the kind: waits until no other writes, and takes over from one that has died.
   * `publish` ends it; where `work` ends without, the manifest is open again as it was.
   */
  async writing<T>(work: (claim: Claim) => Promise<T>): Promise<T> {
    const token = randomUUID();
    await this.#claim(token);
    const beat = setInterval(() => void this.#beat(token).catch(() => undefined), BEAT_MS);
    const claim = new Claim(this, token);
    try {
      return await work(claim);
    } finally {
      clearInterval(beat);
      if (!claim.isPublished) await this.#letGo(token);
    }
  }

  /** As `writing`; null where another writes, without waiting. */
  async writingIfFree<T>(work: (claim: Claim) => Promise<T>): Promise<T | null> {
    const { writer } = await this.read();
    return writer === null ? await this.writing(work) : null;
  }

  async #claim(token: string): Promise<void> {
    const began = performance.now();
    let seen = { beat: '', since: began };
    for (;;) {
      let other: Writer | null = null;
      const isDead = (writer: Writer) =>
        seen.beat === nameOf(writer) && performance.now() - seen.since >= DEAD_AFTER_MS;
      const claimed = await this.change((manifest) => {
        other = manifest.writer;
        if (other !== null && !isDead(other)) return null;
        // What a dead writer refreshed can be seen: `refreshing` stays, so that no reader takes it for its generation.
        const phase = manifest.phase === 'refreshing' ? 'refreshing' : 'writing';
        return { ...manifest, phase, writer: { token, beat: 0 } };
      });
      if (claimed !== null) return;
      const name = nameOf(other!);
      if (name !== seen.beat) seen = { beat: name, since: performance.now() };
      if (performance.now() - began > PATIENCE_MS) {
        throw new EngineUnavailable('OpenSearch: others have been writing to this index for two minutes');
      }
      await sleep(POLL_MS);
    }
  }

  async #beat(token: string): Promise<void> {
    await this.change((manifest) =>
      manifest.writer?.token === token
        ? { ...manifest, writer: { token, beat: manifest.writer.beat + 1 } }
        : null,
    );
  }

  async #letGo(token: string): Promise<void> {
    await this.change((manifest) =>
      manifest.writer?.token === token
        ? { ...manifest, writer: null, phase: manifest.phase === 'writing' ? 'open' : manifest.phase }
        : null,
    ).catch(() => null);
  }

  async #get(signal?: AbortSignal): Promise<Stored> {
    const { status, body } = await this.#client.request<GetReply>(
      { method: 'GET', path: this.#path },
      { expect: [404], signal },
    );
    if (status === 404 || body.found === false) {
      return { manifest: NO_MANIFEST, nonce: null, at: { op_type: 'create' } };
    }
    const { manifest, nonce } = body._source.body;
    return { manifest, nonce, at: { if_seq_no: body._seq_no, if_primary_term: body._primary_term } };
  }

  get #path(): string {
    return pathOf(this.#control, '_doc', `manifest-${this.#kind}`);
  }
}

/** What a writer does with its manifest. Throws an EngineUnavailable where another has taken over. */
export class Claim {
  isPublished = false;
  readonly #store: ManifestStore;
  readonly #token: string;

  constructor(store: ManifestStore, token: string) {
    this.#store = store;
    this.#token = token;
  }

  /** As it is now, changed: others hide meanwhile. */
  async change(change: (manifest: Manifest) => Manifest | null): Promise<Manifest | null> {
    return await this.#store.change((manifest) => {
      if (manifest.writer?.token !== this.#token) {
        throw new EngineUnavailable('OpenSearch: another process has taken over the writing of this index');
      }
      return change(manifest);
    });
  }

  /** From now on the shards may be refreshed. */
  async refreshing(): Promise<void> {
    await this.change((manifest) => ({ ...manifest, phase: 'refreshing' }));
  }

  /**
   * Shows what was written, all shards refreshed, as the next generation, changed as `change` says. Where that returns
   * null nothing is shown yet, and false returned: the writer has more to do.
   */
  async publish(change: (manifest: Manifest) => Manifest | null): Promise<boolean> {
    const published = await this.change((manifest) => {
      const changed = change(manifest);
      return (
        changed && { ...changed, generation: manifest.generation + 1, phase: 'open' as const, writer: null }
      );
    });
    this.isPublished = published !== null;
    return this.isPublished;
  }
}

function nameOf({ token, beat }: Writer): string {
  return `${token} ${beat}`;
}

interface ManifestsReply {
  readonly docs: readonly {
    readonly _id: string;
    readonly found?: boolean;
    readonly _source?: GetReply['_source'];
    readonly error?: { readonly type: string; readonly reason?: string };
  }[];
}

/** Those of both kinds at one moment; NO_MANIFEST where none was written. */
export async function readManifests(
  client: OpenSearchClient,
  control: string,
  signal?: AbortSignal,
): Promise<Readonly<Record<Kind, Manifest>>> {
  const docs = KINDS.map((kind) => ({ _index: control, _id: `manifest-${kind}` }));
  const { body } = await client.request<ManifestsReply>(
    { method: 'POST', path: '/_mget', body: { docs } },
    { signal },
  );
  const [post, comment] = KINDS.map((kind) => {
    const doc = body.docs.find(({ _id }) => _id === `manifest-${kind}`);
    if (doc?.found === true) return doc._source!.body.manifest;
    if (doc?.found === false || doc?.error?.type === 'index_not_found_exception') return NO_MANIFEST;
    throw new EngineUnavailable(`OpenSearch: a manifest cannot be read: ${JSON.stringify(doc)}`);
  });
  return { post: post!, comment: comment! };
}
