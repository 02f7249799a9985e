// What every part of the engine works with: the cluster, the names in it, and for each kind its indices, its manifest
// and the folder's rules.

import type { CopyRules } from '../../../model/copies.ts';
import type { EngineOptions } from '../../../model/engine-module.ts';
import type { Kind } from '../../../model/record.ts';
import { NO_REMOVALS, type RemovalList } from '../../../model/removals.ts';
import type { OpenSearchClient, OpenSearchSettings } from '../cluster/client.ts';
import { type IndexNames, indexNames, makeIndex } from '../cluster/indices.ts';
import { lookAt } from './index-check.ts';
import { ManifestStore, NO_MANIFEST } from './manifest.ts';
import { claimIndices } from './owner.ts';

export interface Store {
  readonly client: OpenSearchClient;
  readonly settings: OpenSearchSettings;
  readonly names: IndexNames;
  readonly of: Readonly<Record<Kind, KindStore>>;
  /** `of` this kind. Throws its IndexDamage. */
  whole(kind: Kind): Promise<KindStore>;
}

export interface KindStore extends Pick<Store, 'client' | 'settings' | 'names'> {
  readonly kind: Kind;
  /** The names of its indices: of records, and of hidden copies. */
  readonly index: string;
  readonly hidden: string;
  readonly manifest: ManifestStore;
  readonly rules: CopyRules;
  readonly removals: RemovalList;
  /**
   * Makes the control index, and for `records` that of the kind, if missing. Call it before each write. Throws the
   * IndexDamage of the kind.
   */
  make(what: 'records' | 'nothing'): Promise<void>;
}

/** Asks nothing of the cluster yet. The client is the caller's to close. */
export function storeOf(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  { rules, removals = NO_REMOVALS, identity }: EngineOptions,
): Store {
  const names = indexNames(settings);
  const look = async (kind: Kind) => {
    const { damages, manifests: now, uuids } = await lookAt(client, settings);
    const damage = damages[kind];
    if (damage !== null) throw damage;
    return { manifest: now[kind], uuids: uuids[kind] };
  };
  let owned: Promise<void> | undefined;
  const makeControl = async () => {
    await makeIndex(client, settings, 'control');
    await claimIndices(client, settings, identity);
  };
  const ofKind = (kind: Kind): KindStore => {
    const manifest = new ManifestStore(client, names.control, kind);
    const makeRecords = async () => {
      // First: an index of records without a manifest is damage.
      await manifest.change((now) => now);
      await makeIndex(client, settings, kind);
      // One may have been there, and a template may have had a hand in it.
      const { uuids } = await look(kind);
      await manifest.change((now) => ({ ...now, uuids }));
    };
    return {
      ...{ client, settings, names, kind, index: names[kind], hidden: names[`hidden-${kind}`] },
      ...{ manifest, rules, removals },
      make: async (what) => {
        const { manifest: now, uuids } = await look(kind);
        if (now === NO_MANIFEST) owned = undefined;
        owned ??= makeControl().catch((error) => {
          owned = undefined;
          throw error;
        });
        await owned;
        const isWritten = uuids !== null && now.uuids?.records === uuids.records;
        if (what === 'records' && !isWritten) await makeRecords();
      },
    };
  };
  const of = { post: ofKind('post'), comment: ofKind('comment') };
  const whole = async (kind: Kind) => {
    await look(kind);
    return of[kind];
  };
  return { client, settings, names, of, whole };
}
