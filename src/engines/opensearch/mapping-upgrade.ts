// The upgrade of an index of records that was made before arrivals were counted. Its documents stay as they are: of
// those it is not known which came in first.

import { type OpenSearchClient, pathOf } from './client.ts';
import { type FoundIndex, isOfBefore } from './index-check.ts';
import { type IndexNames, type IndexRole, MAPPING_UPGRADE } from './indices.ts';

/** Adds the fields of arrivals where the index lacks them; several processes may do so at once. */
export async function upgradeMapping(
  client: OpenSearchClient,
  names: IndexNames,
  index: IndexRole,
  found: ReadonlyMap<string, FoundIndex>,
): Promise<void> {
  const name = names[index];
  const one = found.get(name);
  if (one === undefined || !isOfBefore(index, one)) return;
  await client.request({ method: 'PUT', path: pathOf(name, '_mapping'), body: MAPPING_UPGRADE });
}
