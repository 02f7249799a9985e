// What every part of the engine works with: the cluster, the names in it, the manifests, and the folder's rules.

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
  readonly manifests: Readonly<Record<Kind, ManifestStore>>;
  readonly rules: CopyRules;
  readonly removals: RemovalList;
  /**
   * Makes the control index, and for `records` that of the kind, if missing. Call it before each write. Throws the
   * IndexDamage of the kind.
   */
  make(kind: Kind, of: 'records' | 'nothing'): Promise<void>;
  /** Throws the IndexDamage of the kind. */
  expectWhole(kind: Kind): Promise<void>;
}

/** Asks nothing of the cluster yet. The client is the caller's to close. */
export function storeOf(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  { rules, removals = NO_REMOVALS, identity }: EngineOptions,
): Store {
  const names = indexNames(settings);
  const manifests = {
    post: new ManifestStore(client, names.control, 'post'),
    comment: new ManifestStore(client, names.control, 'comment'),
  };
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
  const makeRecords = async (kind: Kind) => {
    // First: an index of records without a manifest is damage.
    await manifests[kind].change((manifest) => manifest);
    await makeIndex(client, settings, kind);
    // One may have been there, and a template may have had a hand in it.
    const { uuids } = await look(kind);
    await manifests[kind].change((manifest) => ({ ...manifest, uuids }));
  };
  return {
    ...{ client, settings, names, rules, removals, manifests },
    make: async (kind, of) => {
      const { manifest, uuids } = await look(kind);
      if (manifest === NO_MANIFEST) owned = undefined;
      owned ??= makeControl().catch((error) => {
        owned = undefined;
        throw error;
      });
      await owned;
      const isWritten = uuids !== null && manifest.uuids?.records === uuids.records;
      if (of === 'records' && !isWritten) await makeRecords(kind);
    },
    expectWhole: async (kind) => void (await look(kind)),
  };
}
