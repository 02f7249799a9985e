// Whether the indices that are there are those that we would make: what another mapping or setting leads to is wrong
// answers that nobody notices.

import { StorageError } from '../../errors.ts';
import type { CallOptions, OpenSearchClient } from './client.ts';
import { type IndexRole, indexBody, indexNames, type Mapping, mappingBefore } from './indices.ts';
import type { OpenSearchSettings } from './settings.ts';

/** As `GET /<index>?flat_settings=true` gives it. */
export interface FoundIndex {
  readonly mappings: Mapping;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface IndexChecks {
  /** What must be changed first. */
  readonly problems: readonly string[];
  /** What should be known. */
  readonly warnings: readonly string[];
}

/** What changes documents or searches on their way, and is never ours. */
const PIPELINES = ['index.default_pipeline', 'index.final_pipeline', 'index.search.default_pipeline'];
/** What may be changed while the index is in use. */
const CHANGEABLE = [
  'index.refresh_interval',
  'index.translog.durability',
  'index.max_terms_count',
  'index.search.concurrent_segment_search.mode',
  'index.merge.policy.expunge_deletes_allowed',
];

/** What OpenSearch sets where a disk is full. */
const FLOOD_BLOCK = 'index.blocks.read_only_allow_delete';

const ANOTHER_PREFIX = 'set another `COLLOQUY_OPENSEARCH_PREFIX`';
const OTHER_VERSION =
  'run `move --to embedded` with the Colloquy that made it, then `move --to opensearch` with this one and another ' +
  '`COLLOQUY_OPENSEARCH_PREFIX`, or import the dumps again under that prefix';

/** Those under our names, by their own. */
export async function findIndices(
  client: Pick<OpenSearchClient, 'request'>,
  settings: OpenSearchSettings,
  options?: CallOptions,
): Promise<ReadonlyMap<string, FoundIndex>> {
  const path = `/${Object.values(indexNames(settings)).join(',')}`;
  const query = { ignore_unavailable: true, flat_settings: true };
  const { body } = await client.request<Record<string, FoundIndex>>({ method: 'GET', path, query }, options);
  return new Map(Object.entries(body));
}

/** Those that are there. Throws a StorageError where one of them is not as we would make it, or made it before. */
export async function expectOurs(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
): Promise<ReadonlyMap<string, FoundIndex>> {
  const found = await findIndices(client, settings);
  const { problems } = indexChecks(found, settings);
  if (problems.length > 0) throw new StorageError(`OpenSearch: ${problems.join('; ')}`);
  return found;
}

/** Whether it is one of records, of before arrivals were counted: read as it is, written once it is upgraded. */
export function isOfBefore(index: IndexRole, { mappings }: FoundIndex): boolean {
  const isOfRecords = index === 'post' || index === 'comment';
  return isOfRecords && isMappedAs(mappings, mappingBefore());
}

/** `found` by name; an index that is not there is made later. */
export function indexChecks(
  found: ReadonlyMap<string, FoundIndex>,
  settings: OpenSearchSettings,
): IndexChecks {
  const names = indexNames(settings);
  const strange = [...found.keys()]
    .filter((name) => !Object.values(names).includes(name))
    .map(
      (name) => `expected no alias with a name of ours, found one of index \`${name}\`; ${ANOTHER_PREFIX}`,
    );
  const checks = (Object.keys(names) as IndexRole[])
    .filter((index) => found.has(names[index]))
    .map((index) => {
      const one = found.get(names[index])!;
      const body = indexBody(settings, index);
      const mappings = isOfBefore(index, one) ? mappingBefore() : body.mappings;
      return checksOf(names[index], one, { ...body, mappings });
    });
  return {
    problems: [...strange, ...checks.flatMap(({ problems }) => problems)],
    warnings: checks.flatMap(({ warnings }) => warnings),
  };
}

function checksOf(name: string, found: FoundIndex, ours: ReturnType<typeof indexBody>): IndexChecks {
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
    problems: [...mapping, ...settingProblems(name, found.settings, ours.settings.index)],
    warnings: settingWarnings(name, found.settings, ours.settings.index),
  };
}

function settingProblems(
  name: string,
  found: FoundIndex['settings'],
  ours: Readonly<Record<string, unknown>>,
): string[] {
  const wrong = Object.entries(ours)
    .map(([key, value]) => ({ key: `index.${key}`, expected: textOf(value) }))
    .filter(({ key }) => key !== 'index.number_of_replicas')
    .filter(({ key, expected }) => textOf(found[key]) !== expected);
  const pipelines = PIPELINES.filter((key) => found[key] !== undefined && found[key] !== '_none');
  return [
    ...wrong.map(({ key, expected }) => {
      const what = `index \`${name}\`: expected \`${key}\` ${expected}, found ${textOf(found[key])}`;
      return `${what}; ${mendSetting(name, key, expected, textOf(found[key]))}`;
    }),
    ...pipelines.map((key) => {
      const what = `index \`${name}\`: expected no \`${key}\`, found ${textOf(found[key])}`;
      return `${what}; take it away with ${putSetting(name, key, null)}`;
    }),
  ];
}

function mendSetting(name: string, key: string, expected: string, found: string): string {
  if (CHANGEABLE.includes(key)) return `set it back with ${putSetting(name, key, expected)}`;
  if (key === 'index.number_of_shards') {
    return (
      `set \`COLLOQUY_OPENSEARCH_SHARDS\` to ${found}, since shards are fixed when an index is made, ` +
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
