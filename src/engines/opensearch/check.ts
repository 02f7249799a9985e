// Reads the records of a cluster back and compares the fields by which each is counted, ordered and summed up with the
// record. OpenSearch does not give back what a record is found by (words, sites, post).

import { damageOrThrow, IndexDamage } from '../../model/engine-errors.ts';
import type { CheckOptions, CheckReport } from '../../model/engine-module.ts';
import { hex64, recordMix, Sum64 } from '../../model/hash.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { scanHits } from './answering/pages.ts';
import { allIn } from './answering/queries.ts';
import { Fingerprints, statsOf } from './answering/stats.ts';
import type { OpenSearchSettings } from './cluster/client.ts';
import { Deadline } from './cluster/deadline.ts';
import { documentOf } from './cluster/documents.ts';
import { indexNames } from './cluster/indices.ts';
import { type Hit, Searcher, unknownSum } from './cluster/search.ts';
import { CheckedClient } from './state/checked-client.ts';
import { ManifestStore } from './state/manifest.ts';
import type { Store } from './state/store.ts';
import { Views } from './state/views.ts';

/** Fields beside the source, by which records are ordered and counted. */
const FIELDS = [
  ...['created', 'key', 'score', 'rank', 'community', 'cid', 'adult', 'domains', 'orphan', 'undated'],
  ...['n', 'came', 'age', 'm0', 'm1', 'm2', 'm3', 'q0', 'q1'],
];

/** Lines of each kind; more are only counted. */
const MOST_LINES = 100;

type Checked = Pick<Store, 'client' | 'names'> & { readonly views: Views };

/** `EngineModule.check`. Throws an EngineUnavailable if the cluster, or any shard, does not answer. */
export async function checkIndices(
  settings: OpenSearchSettings,
  options: CheckOptions = {},
): Promise<CheckReport> {
  await using client = await CheckedClient.open(settings);
  const names = indexNames(settings);
  await using views = new Views({ client, names, settings });
  const total = { segments: 0, records: 0, problems: [] as string[] };
  for (const kind of KINDS) {
    options.progress?.(names[kind]);
    const checked = await checkKind({ client, names, views }, kind, options.signal).catch(damageOrThrow);
    const { segments, records, problems } =
      checked instanceof IndexDamage ? { segments: 0, records: 0, problems: [checked.message] } : checked;
    total.segments += segments;
    total.records += records;
    total.problems.push(...problems.map((line) => `${names[kind]}: ${line}`));
  }
  return total;
}

async function checkKind(
  { client, names, views }: Checked,
  kind: Kind,
  signal: AbortSignal | undefined,
): Promise<CheckReport> {
  const searcher = new Searcher(client, new Deadline(Infinity, signal));
  using held = await views.hold(kind);
  const { view } = held;
  const [told, { segments }] = await Promise.all([
    new Fingerprints({ client, names }).of(searcher, view),
    statsOf(searcher, names, view),
  ]);
  const lines: string[] = [];
  let wrong = 0;
  let records = 0;
  const sum = new Sum64();
  const scan = { query: allIn(view), order: 'newest', after: null, fields: FIELDS } as const;
  for await (const hits of scanHits(searcher, views, { view: held, ...scan })) {
    signal?.throwIfAborted();
    for (const hit of hits) {
      records++;
      sum.add(recordMix(hit._source.r));
      const problem = problemOf(hit, kind);
      if (problem === null) continue;
      wrong++;
      if (lines.length < MOST_LINES) lines.push(problem);
    }
  }
  if (wrong > lines.length) lines.push(`${wrong - lines.length} records more are not as they say`);
  if (records !== told.records) lines.push(`expected ${told.records} records, as counted, found ${records}`);
  const found = hex64(sum.value());
  if (found !== told.fingerprint) {
    lines.push(`expected the fingerprint ${told.fingerprint}, found records of ${found}`);
  }
  if (records !== told.records || found !== told.fingerprint) {
    // The next reader, or upkeep, sums it up again.
    const manifest = new ManifestStore(client, names.control, kind);
    await manifest.change((now) => (now.sum.short === null ? { ...now, sum: unknownSum() } : null));
  }
  return { segments, records, problems: lines };
}

/** null: everything agrees with the record. */
function problemOf(
  { _id: id, _source: { r: record, a, b, g }, fields = {} }: Hit,
  kind: Kind,
): string | null {
  if (record.kind !== kind || record.id !== id) return `record ${id}: expected a ${kind} of this id`;
  const expected = documentOf(record, { arrived: a, batch: b, generation: g }) as Record<string, object>;
  const differing = FIELDS.filter((field) => !isSame(expected[field], fields[field]));
  return differing.length === 0 ? null : `record ${id}: expected what it says in ${differing.join(', ')}`;
}

/** In any order. Absent means no value. */
function isSame(expected: object | undefined, found: readonly unknown[] = []): boolean {
  const values = new Set<unknown>(expected === undefined ? [] : [expected].flat());
  return values.size === found.length && found.every((value) => values.has(value));
}
