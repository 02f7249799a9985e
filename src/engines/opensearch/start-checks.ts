// What a cluster must be like before anything is asked of it. Some settings that OpenSearch comes with give wrong or no
// answers to some questions, and say nothing of it before.

import { StorageError } from '../../errors.ts';
import { MAX_PREFIX_TOKENS } from '../../model/query.ts';
import type { OpenSearchClient } from './client.ts';
import { controlProblem, type FoundIndices, findIndices, indexChecks } from './index-check.ts';
import { type IndexRole, indexNames } from './indices.ts';
import type { OpenSearchSettings } from './settings.ts';

/** The oldest version of each major one; others are refused. The tests run against 3.8. */
const OLDEST: Readonly<Record<number, number>> = { 2: 19, 3: 0 };

/** How many buckets an exact breakdown may need. */
const MIN_BUCKETS = 1_000_000;
/** A prefix may stand for as many tokens as its limit, and one more proves that it is over. */
const MIN_CLAUSES = MAX_PREFIX_TOKENS + 1;

/** Setting → what OpenSearch takes where nothing is set. */
const DEFAULTS = {
  'indices.query.bool.max_clause_count': '1024',
  'search.max_buckets': '65535',
  'action.auto_create_index': 'true',
} as const;

type SettingName = keyof typeof DEFAULTS;
type FlatSettings = Readonly<Record<string, string | readonly string[] | undefined>>;

interface FoundNode {
  readonly name: string;
  readonly version: string;
  readonly roles: readonly string[];
  readonly settings: FlatSettings;
}

interface Found {
  readonly distribution: string | undefined;
  readonly nodes: readonly FoundNode[];
  /** Those of the cluster, the transient ones before the persistent ones. */
  readonly ofCluster: readonly FlatSettings[];
  readonly indices: FoundIndices;
}

export interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that each request may take. */
  readonly timeoutMs: number;
}

type Asker = Pick<OpenSearchClient, 'request'>;

/**
 * What an operator should know, a line each; empty: all is well. Throws a StorageError that says what has to be
 * changed, an EngineUnavailable where the cluster does not answer.
 */
export async function checkCluster(
  client: Asker,
  settings: OpenSearchSettings,
  options: CheckOptions,
): Promise<string[]> {
  const found = await look(client, settings, options);
  const roles = Object.keys(indexNames(settings)) as IndexRole[];
  const { problems, warnings } = indexChecks(found.indices, settings, roles);
  const ofIndices = new Set(
    [...problems, controlProblem(found.indices, settings)].filter((one) => one !== null),
  );
  const refusals = [...versionProblems(found), ...settingProblems(found, settings), ...ofIndices];
  if (refusals.length > 0) throw new StorageError(`OpenSearch: ${refusals.join('; ')}`);
  const health = await healthWarnings(client, [...found.indices.keys()], options);
  return [...nodeWarnings(found, settings), ...warnings, ...health];
}

async function look(client: Asker, settings: OpenSearchSettings, options: CheckOptions): Promise<Found> {
  const get = async <T extends object>(path: string, query: Record<string, string | boolean> = {}) =>
    (await client.request<T>({ method: 'GET', path, query }, options)).body;
  const root = await get<{ version?: { distribution?: string } }>('/');
  const { nodes = {} } = await get<{ nodes?: Record<string, FoundNode> }>('/_nodes/settings', FLAT);
  const { transient = {}, persistent = {} } = await get<{
    transient?: FlatSettings;
    persistent?: FlatSettings;
  }>('/_cluster/settings', FLAT);
  return {
    distribution: root.version?.distribution,
    nodes: Object.values(nodes),
    ofCluster: [transient, persistent],
    indices: await findIndices(client, settings, options),
  };
}

const FLAT = { flat_settings: true };

function versionProblems({ distribution, nodes }: Found): string[] {
  if (distribution !== 'opensearch') {
    return [`expected OpenSearch 2.19 or 3 at the nodes, found ${distribution ?? 'something else'} there`];
  }
  return nodes
    .filter(({ version }) => {
      const [major = 0, minor = 0] = version.split('.').map(Number);
      return !(minor >= (OLDEST[major] ?? Number.POSITIVE_INFINITY));
    })
    .map(({ name, version }) => `expected version 2.19 or 3, found ${version} on node \`${name}\``);
}

/** What every node that searches must have set, and one call that sets all of it. */
function settingProblems(found: Found, settings: OpenSearchSettings): string[] {
  const wanted: Readonly<Record<SettingName, { readonly expected: string; isMet(value: string): boolean }>> =
    {
      'indices.query.bool.max_clause_count': atLeast(MIN_CLAUSES),
      'search.max_buckets': atLeast(MIN_BUCKETS),
      'action.auto_create_index': {
        expected: '`false`, or a pattern that keeps our indices from being made by others',
        isMet: (value) => !Object.values(indexNames(settings)).some((name) => makesByItself(value, name)),
      },
    };
  const toSet: Record<string, string | number> = {};
  const problems = Object.entries(wanted).flatMap(([key, { expected, isMet }]) => {
    const name = key as SettingName;
    const missed = found.nodes
      .filter(answersSearches)
      .map((node) => ({ node: node.name, value: settingOf(found, node, name) }))
      .find(({ value }) => !isMet(value));
    if (missed === undefined) return [];
    toSet[name] = TO_SET[name];
    return [`expected \`${name}\`: ${expected}, found ${missed.value} on node \`${missed.node}\``];
  });
  if (problems.length === 0) return [];
  const call = `PUT /_cluster/settings ${JSON.stringify({ persistent: toSet })}`;
  return [...problems, `set it on the cluster with \`${call}\`, or in the opensearch.yml of every node`];
}

const TO_SET: Readonly<Record<SettingName, string | number>> = {
  'indices.query.bool.max_clause_count': MIN_CLAUSES,
  'search.max_buckets': MIN_BUCKETS,
  'action.auto_create_index': 'false',
};

function atLeast(min: number): { readonly expected: string; isMet(value: string): boolean } {
  return { expected: `${min} or more`, isMet: (value) => Number(value) >= min };
}

/** A node with no more to do than the cluster's own affairs gets no search. */
function answersSearches({ roles }: FoundNode): boolean {
  const own = ['cluster_manager', 'master', 'remote_cluster_client'];
  return roles.length === 0 || roles.some((role) => !own.includes(role));
}

function settingOf({ ofCluster }: Found, node: FoundNode, name: SettingName): string {
  const values = [...ofCluster, node.settings].map((settings) => settings[name]);
  return String(values.find((value) => value !== undefined) ?? DEFAULTS[name]);
}

/**
 * Whether OpenSearch makes an index of this name for the first document that names it. `true`, `false`, or a list of
 * patterns of which the first that fits decides, against it where it begins with `-`.
 */
function makesByItself(value: string, name: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  for (const pattern of value.split(',').map((one) => one.trim())) {
    const bare = pattern.replace(/^[+-]/, '');
    const parts = bare.split('*').map((part) => RegExp.escape(part));
    if (new RegExp(`^${parts.join('.*')}$`).test(name)) return !pattern.startsWith('-');
  }
  return false;
}

function nodeWarnings({ nodes }: Found, { replicas }: OpenSearchSettings): string[] {
  const holding = nodes.filter(({ roles }) => roles.includes('data')).length;
  if (holding > replicas) return [];
  return [
    `expected ${replicas + 1} data nodes for shards with ${replicas} replica${replicas === 1 ? '' : 's'}, ` +
      `found ${holding}: with one node lost, records are lost; add nodes, ` +
      'or set `COLLOQUY_OPENSEARCH_REPLICAS` to what there are nodes for',
  ];
}

/** Of the indices that are there. */
async function healthWarnings(
  client: Asker,
  names: readonly string[],
  options: CheckOptions,
): Promise<string[]> {
  if (names.length === 0) return [];
  const call = { method: 'GET', path: `/_cluster/health/${names.join(',')}` } as const;
  // Where an index has gone in between, the cluster waits for it, and says 408.
  const { body } = await client.request<{ status?: string; unassigned_shards?: number }>(call, {
    ...options,
    expect: [408],
  });
  if (body.status === 'green') return [];
  const meaning =
    body.status === 'yellow'
      ? 'shards have fewer copies than set, and another node lost may lose records'
      : 'some records cannot be read, and questions are refused until they can';
  return [
    `the health of the indices is ${body.status ?? 'unknown'} (${body.unassigned_shards ?? 'some'} shards ` +
      `are not assigned): ${meaning}; \`GET /_cluster/allocation/explain\` says why`,
  ];
}
