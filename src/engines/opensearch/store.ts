// What every part of the engine works with: the cluster, the names in it, the manifests, and the folder's rules.

import type { CopyRules } from '../../model/copies.ts';
import type { EngineOptions } from '../../model/engine-module.ts';
import type { Kind } from '../../model/record.ts';
import { NO_REMOVALS, type RemovalList } from '../../model/removals.ts';
import type { OpenSearchClient } from './client.ts';
import { expectOurs } from './index-check.ts';
import { type IndexNames, type IndexRole, indexNames, makeIndex } from './indices.ts';
import { ManifestStore } from './manifest.ts';
import { upgradeMapping } from './mapping-upgrade.ts';
import { claimIndices } from './owner.ts';
import type { OpenSearchSettings } from './settings.ts';

export interface Store {
  readonly client: OpenSearchClient;
  readonly settings: OpenSearchSettings;
  readonly names: IndexNames;
  readonly manifests: Readonly<Record<Kind, ManifestStore>>;
  readonly rules: CopyRules;
  readonly removals: RemovalList;
  /** Makes these indices where they are not there; costs nothing once they are. Whoever writes calls it first. */
  make(...indices: readonly IndexRole[]): Promise<void>;
}

/** Asks nothing of the cluster yet. The client is the caller's to close. */
export function storeOf(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  { rules, removals = NO_REMOVALS, identity }: EngineOptions,
): Store {
  const names = indexNames(settings);
  const made = new Map<string, Promise<void>>();
  const makeAsOurs = async (index: IndexRole) => {
    await makeIndex(client, settings, index);
    // One may have been there, and a template may have had a hand in it.
    const found = await expectOurs(client, settings);
    await upgradeMapping(client, names, index, found);
    if (index === 'control') await claimIndices(client, settings, identity);
  };
  const makeOnce = (index: IndexRole) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const making = makeAsOurs(index);
    made.set(index, making);
    making.catch(() => made.delete(index));
    return making;
  };
  return {
    ...{ client, settings, names, rules, removals },
    manifests: {
      post: new ManifestStore(client, names.control, 'post'),
      comment: new ManifestStore(client, names.control, 'comment'),
    },
    make: async (...indices) => void (await Promise.all(indices.map(makeOnce))),
  };
}
