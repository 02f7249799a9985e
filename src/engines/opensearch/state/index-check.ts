// Checks that the indices are as we would make them, and the ones that the manifests name. Another index, mapping or
// setting would give wrong answers that nobody notices.

import { setTimeout as sleep } from 'node:timers/promises';
import { IndexDamage } from '../../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import type { CallOptions, OpenSearchClient, OpenSearchSettings } from '../cluster/client.ts';
import type { ReadOptions } from '../cluster/documents-walk.ts';
import {
  type IndexNames,
  type IndexRole,
  indexBody,
  indexNames,
  type Mapping,
  shardsOf,
} from '../cluster/indices.ts';
import { type Manifest, NO_MANIFEST, readManifests, type Uuids } from './manifest.ts';

/** As `GET /<index>?flat_settings=true` gives it. */
interface FoundIndex {
  readonly aliases: Readonly<Record<string, unknown>>;
  readonly mappings: Mapping;
  readonly settings: Readonly<Record<string, unknown>>;
}

export type FoundIndices = ReadonlyMap<string, FoundIndex>;

type Asker = Pick<OpenSearchClient, 'request'>;

interface IndexChecks {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Pipelines change documents or searches. We make none. */
const PIPELINES = ['index.default_pipeline', 'index.final_pipeline', 'index.search.default_pipeline'];
/** What may be changed while the index is in use. */
const CHANGEABLE = [
  'index.refresh_interval',
  'index.translog.durability',
  'index.max_terms_count',
  'index.search.concurrent_segment_search.mode',
  'index.merge.policy.expunge_deletes_allowed',
];

const SHARDS = 'index.number_of_shards';
/** What OpenSearch sets where a disk is full. */
const FLOOD_BLOCK = 'index.blocks.read_only_allow_delete';

const ANOTHER_PREFIX = 'set another `COLLOQUY_OPENSEARCH_PREFIX`';
const MEND_LOST = `restore all indices from one snapshot, or ${ANOTHER_PREFIX} and import again`;
const OTHER_VERSION =
  'run `move --to embedded` with the Colloquy that made it, then `move --to opensearch` with this one and another ' +
  '`COLLOQUY_OPENSEARCH_PREFIX`, or import the dumps again under another prefix';

/** Those under our names, by their own; as the node knows them that is asked, whichever leads the cluster. */
export async function findIndices(
  client: Asker,
  settings: OpenSearchSettings,
  options?: CallOptions,
): Promise<FoundIndices> {
  const path = `/${Object.values(indexNames(settings)).join(',')}`;
  const query = { ignore_unavailable: true, flat_settings: true, local: true };
  const { body } = await client.request<Record<string, FoundIndex>>({ method: 'GET', path, query }, options);
  return new Map(Object.entries(body));
}

interface Look {
  readonly manifests: Readonly<Record<Kind, Manifest>>;
  /** null: it can be read and written. */
  readonly damages: Readonly<Record<Kind, IndexDamage | null>>;
  /** null: an index of the two is not there. */
  readonly uuids: Readonly<Record<Kind, Uuids | null>>;
}

/** How long until damage is looked at again: what one node knows already, another may not. In milliseconds. */
const AGAIN_MS = 100;

/** Throws an EngineUnavailable. */
export async function lookAt(
  client: Asker,
  settings: OpenSearchSettings,
  options?: ReadOptions,
): Promise<Look> {
  const first = await lookOnce(client, settings, options);
  if (KINDS.every((kind) => first.damages[kind] === null)) return first;
  await sleep(AGAIN_MS);
  return await lookOnce(client, settings, options);
}

async function lookOnce(client: Asker, settings: OpenSearchSettings, options?: ReadOptions): Promise<Look> {
  const { signal, patienceMs: timeoutMs } = options ?? {};
  const names = indexNames(settings);
  // Before the manifests: an index of records is made behind its manifest.
  const found = await findIndices(client, settings, { signal, ...(timeoutMs && { timeoutMs }) });
  const problem = controlProblem(found, settings);
  const manifests =
    problem === null
      ? await readManifests(client, names.control, options)
      : { post: NO_MANIFEST, comment: NO_MANIFEST };
  const ofEach = <T>(tell: (kind: Kind) => T) => ({ post: tell('post'), comment: tell('comment') });
  const damages = ofEach((kind) => {
    const changed = indexChecks(found, settings, [kind, `hidden-${kind}`]).problems[0];
    const words = changed ?? problem ?? lostProblem(found, names, kind, manifests[kind]);
    return words === null ? null : new IndexDamage(kind, `OpenSearch: ${words}`);
  });
  return { manifests, damages, uuids: ofEach((kind) => uuidsIn(found, names, kind)) };
}

/** What keeps both kinds from being read: that the manifests cannot be; null: nothing. */
export function controlProblem(found: FoundIndices, settings: OpenSearchSettings): string | null {
  const names = indexNames(settings);
  const control = found.get(names.control);
  const left = KINDS.map((kind) => names[kind]).find((name) => found.has(name));
  if (control === undefined && left !== undefined) return lostManifest(names.control, left);
  return (
    (control !== undefined && closedProblem(names.control, control)) ||
    (indexChecks(found, settings, ['control']).problems[0] ?? null)
  );
}

/** Whether the records are those that the manifest speaks of. */
function lostProblem(found: FoundIndices, names: IndexNames, kind: Kind, manifest: Manifest): string | null {
  const [name, index] = [names[kind], found.get(names[kind])];
  if (index === undefined) {
    return manifest.generation === 0
      ? null
      : `index \`${name}\`: expected its records, found no index; ${MEND_LOST}`;
  }
  if (manifest === NO_MANIFEST) return lostManifest(names.control, name);
  const [uuids, written] = [uuidsIn(found, names, kind), manifest.uuids];
  const isUnknown = uuids === null || written === null;
  // Restored from a snapshot, both are others.
  if (isUnknown || (uuids.control === written.control) === (uuids.records === written.records))
    return closedProblem(name, index);
  return `index \`${name}\`: expected the one that \`${names.control}\` speaks of, found another; ${MEND_LOST}`;
}

function lostManifest(control: string, left: string): string {
  return `index \`${control}\`: expected the manifest of \`${left}\`, found none; ${MEND_LOST}`;
}

function closedProblem(name: string, { settings }: FoundIndex): string | null {
  if (settings['index.verified_before_close'] !== 'true') return null;
  return `index \`${name}\`: expected it open, found it closed; open it with \`POST /${name}/_open\``;
}

function uuidsIn(found: FoundIndices, names: IndexNames, kind: Kind): Uuids | null {
  const [control, records] = [names.control, names[kind]].map(
    (name) => found.get(name)?.settings['index.uuid'],
  );
  return control === undefined || records === undefined
    ? null
    : { control: String(control), records: String(records) };
}

/** Of the indices of these roles, `found` by name; one that is not there is made later. */
export function indexChecks(
  found: FoundIndices,
  settings: OpenSearchSettings,
  roles: readonly IndexRole[],
): IndexChecks {
  const names = indexNames(settings);
  const strange = roles.flatMap((role) => {
    const of = [...found].find(([, { aliases }]) => Object.hasOwn(aliases, names[role]))?.[0];
    const what = `expected no alias \`${names[role]}\`, found one of index \`${of}\``;
    return of === undefined ? [] : `${what}; take it away, or ${ANOTHER_PREFIX}`;
  });
  const shards = foundShards(found, settings);
  const checks = roles
    .filter((role) => found.has(names[role]))
    .map((role) => checksOf(names[role], found.get(names[role])!, indexBody(settings, role), shards));
  return {
    problems: [...strange, ...checks.flatMap(({ problems }) => problems)],
    warnings: checks.flatMap(({ warnings }) => warnings),
  };
}

/** `COLLOQUY_OPENSEARCH_SHARDS` as the indices that are there have it. */
function foundShards(found: FoundIndices, settings: OpenSearchSettings): string {
  const names = indexNames(settings);
  const [posts, comments] = KINDS.map((kind) =>
    textOf(found.get(names[kind])?.settings[SHARDS] ?? shardsOf(settings, kind)),
  );
  return posts === comments ? posts! : `posts:${posts},comments:${comments}`;
}

function checksOf(
  name: string,
  found: FoundIndex,
  ours: ReturnType<typeof indexBody>,
  shards: string,
): IndexChecks {
  const version = ours.mappings._meta!.colloquy;
  const foundVersion = found.mappings._meta?.colloquy;
  if (foundVersion !== version) {
    const [what, mend] =
      foundVersion === undefined
        ? ['one that something else made', ANOTHER_PREFIX]
        : [`one of version ${foundVersion}`, OTHER_VERSION];
    const problem = `index \`${name}\`: expected one of Colloquy, version ${version}, found ${what}; ${mend}`;
    return { problems: [problem], warnings: [] };
  }
  const mapping = isMappedAs(found.mappings, ours.mappings)
    ? []
    : [
        `index \`${name}\`: expected the mapping that Colloquy made, found it changed` +
          `${changedFields(found.mappings, ours.mappings)}; ${ANOTHER_PREFIX} and import again, or restore a snapshot`,
      ];
  return {
    problems: [...mapping, ...settingProblems(name, found.settings, ours.settings.index, shards)],
    warnings: settingWarnings(name, found.settings, ours.settings.index),
  };
}

function settingProblems(
  name: string,
  found: FoundIndex['settings'],
  ours: Readonly<Record<string, unknown>>,
  shards: string,
): string[] {
  const wrong = Object.entries(ours)
    .map(([key, value]) => ({ key: `index.${key}`, expected: textOf(value) }))
    .filter(({ key }) => key !== 'index.number_of_replicas')
    .filter(({ key, expected }) => textOf(found[key]) !== expected);
  const pipelines = PIPELINES.filter((key) => found[key] !== undefined && found[key] !== '_none');
  return [
    ...wrong.map(({ key, expected }) => {
      const what = `index \`${name}\`: expected \`${key}\` ${expected}, found ${textOf(found[key])}`;
      return `${what}; ${mendSetting(name, key, expected, shards)}`;
    }),
    ...pipelines.map((key) => {
      const what = `index \`${name}\`: expected no \`${key}\`, found ${textOf(found[key])}`;
      return `${what}; take it away with ${putSetting(name, key, null)}`;
    }),
  ];
}

function mendSetting(name: string, key: string, expected: string, shards: string): string {
  if (CHANGEABLE.includes(key)) return `set it back with ${putSetting(name, key, expected)}`;
  if (key === SHARDS) {
    return (
      `set \`COLLOQUY_OPENSEARCH_SHARDS\` to ${shards}, since shards are fixed when an index is made, ` +
      'or run `move --to embedded`, and then `move --to opensearch` with another `COLLOQUY_OPENSEARCH_PREFIX`'
    );
  }
  return `it is fixed when an index is made: ${ANOTHER_PREFIX} and import again`;
}

function putSetting(name: string, key: string, value: string | null): string {
  return `\`PUT /${name}/_settings ${JSON.stringify({ [key]: value })}\``;
}

function settingWarnings(
  name: string,
  found: FoundIndex['settings'],
  ours: Readonly<Record<string, unknown>>,
): string[] {
  const [replicas, expected] = [found['index.number_of_replicas'], ours.number_of_replicas].map(textOf);
  const blocks = Object.keys(found).filter((key) => key.startsWith('index.blocks.') && found[key] === 'true');
  return [
    ...(replicas === expected
      ? []
      : [
          `index \`${name}\` has ${replicas} replicas, \`COLLOQUY_OPENSEARCH_REPLICAS\` is ${expected}: it is taken for ` +
            `new indices alone; \`PUT /${name}/_settings {"index.number_of_replicas": ${expected}}\` changes this one`,
        ]),
    ...blocks.map(
      (key) =>
        `index \`${name}\` is blocked by \`${key}\`: what it blocks fails until it is gone; ` +
        (key === FLOOD_BLOCK
          ? 'OpenSearch takes it away itself once its disks have room'
          : `take it away with ${putSetting(name, key, null)}`),
    ),
  ];
}

/** OpenSearch gives texts, or lists of them. */
function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : Array.isArray(value) ? value.join(',') : String(value);
}

/** Whether the mapping that was found is this one. */
function isMappedAs(found: Mapping, ours: Mapping): boolean {
  return canonical(found) === canonical(withoutDefaults(ours));
}

/** `: field t`, where it is fields that differ. */
function changedFields({ properties: found = {} }: Mapping, ours: Mapping): string {
  const { properties: expected = {} } = withoutDefaults(ours);
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  const changed = [...names].filter((name) => canonical(found[name]) !== canonical(expected[name]));
  return changed.length === 0 ? '' : ` (${changed.map((name) => `\`${name}\``).join(', ')})`;
}

/** What OpenSearch leaves out of its answer because it is what it would do anyway. */
function withoutDefaults(mapping: Mapping): Mapping {
  const text = JSON.stringify(mapping, (key, value) => (key === 'index_options' ? undefined : value));
  return JSON.parse(text) as Mapping;
}

/** Equal for equal values, whatever the order of their keys. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  );
}
