// A client that asks nothing of a cluster that has not passed the checks below. Where the cluster is out of reach at
// first, a server starts all the same, and the checks are made when it answers.

import { StorageError, wordsOf } from '../../../errors.ts';
import { log } from '../../../log.ts';
import { EngineUnavailable, untilAborted } from '../../../model/engine-errors.ts';
import { MAX_PREFIX_TOKENS } from '../../../model/query.ts';
import {
  type Call,
  type CallOptions,
  OpenSearchClient,
  OpenSearchRefusal,
  type OpenSearchSettings,
  type Patience,
  type Reply,
  UNBLOCK,
} from '../cluster/client.ts';
import { type IndexRole, indexNames } from '../cluster/indices.ts';
import { controlProblem, type FoundIndices, findIndices, indexChecks } from './index-check.ts';
import { expectOwner, type Identity } from './owner.ts';

/** Milliseconds for each request of the checks, tries again included: the first time, and before a question. */
const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 2_000;

interface OpenOptions {
  readonly identity?: Identity;
  /** Absent parts are those of OpenSearchClient. */
  readonly patience?: Partial<Patience> | undefined;
}

export class CheckedClient extends OpenSearchClient {
  readonly #identity: Identity;
  #isChecked = false;
  #underWay: Promise<void> | undefined;
  /** What was logged last, so that it is not repeated with every question. */
  #told = '';

  private constructor(settings: OpenSearchSettings, { identity, patience }: OpenOptions) {
    super(settings, patience);
    this.#identity = identity;
  }

  /**
   * Throws a StorageError with the remedy if the cluster is wrong. If it does not answer, every request repeats the
   * checks until they pass.
   */
  static async open(settings: OpenSearchSettings, options: OpenOptions = {}): Promise<CheckedClient> {
    const client = new CheckedClient(settings, options);
    try {
      await client.#check(FIRST_TIMEOUT_MS);
    } catch (error) {
      // The first request says so: whoever makes it tells it.
      if (!(error instanceof EngineUnavailable)) {
        await client[Symbol.asyncDispose]();
        throw error;
      }
    }
    return client;
  }

  /**
   * As OpenSearchClient, but also throws an EngineUnavailable for a wrong cluster, and a StorageError without rights or
   * for a blocked index.
   */
  override async request<T>(call: Call, options: CallOptions = {}): Promise<Reply<T>> {
    if (!this.#isChecked) await this.#passChecks(options.signal);
    try {
      return await super.request<T>(call, options);
    } catch (error) {
      if (isNotLetIn(error)) throw refusedWords(error, this.settings);
      const isBlocked = error instanceof OpenSearchRefusal && error.type === BLOCKED;
      throw isBlocked
        ? new StorageError(`OpenSearch: ${error.message}; ${UNBLOCK}`, { cause: error })
        : error;
    }
  }

  async #passChecks(signal: AbortSignal | undefined): Promise<void> {
    try {
      await untilAborted(signal, () => {
        this.#underWay ??= this.#check(TIMEOUT_MS).finally(() => {
          this.#underWay = undefined;
        });
        return this.#underWay;
      });
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#tell(error.message);
      throw new EngineUnavailable(error.message, { cause: error });
    }
  }

  async #check(mostMs: number): Promise<void> {
    const timeoutMs = Math.min(mostMs, this.patience.requestMs);
    const asker = { request: <T>(call: Call, options?: CallOptions) => super.request<T>(call, options) };
    const check = async () => {
      const found = await checkCluster(asker, this.settings, { timeoutMs });
      await expectOwner(asker, this.settings, this.#identity, { timeoutMs });
      return found;
    };
    const warnings = await check().catch((error: unknown) => {
      throw error instanceof OpenSearchRefusal ? refusedWords(error, this.settings) : error;
    });
    for (const warning of warnings) log.warn({ nodes: this.settings.nodes }, `OpenSearch: ${warning}`);
    this.#isChecked = true;
  }

  #tell(words: string): void {
    if (words === this.#told) return;
    this.#told = words;
    log.error({ nodes: this.settings.nodes }, words);
  }
}

const BLOCKED = 'cluster_block_exception';

/** A block of an index is a 403 too, and no matter of rights. */
function isNotLetIn(error: unknown): error is OpenSearchRefusal {
  return error instanceof OpenSearchRefusal && [401, 403].includes(error.status) && error.type !== BLOCKED;
}

function refusedWords(refusal: OpenSearchRefusal, { signIn }: OpenSearchSettings): StorageError {
  const user = signIn === null ? 'without a user' : `user \`${signIn.user}\``;
  const mend: Readonly<Record<number, string>> = {
    401: 'check the user and the password in `COLLOQUY_OPENSEARCH_LOGIN`',
    403: 'give it the role of docs/opensearch.md',
  };
  const hint = mend[refusal.status] ?? 'check `COLLOQUY_OPENSEARCH_NODES`';
  return new StorageError(`OpenSearch refuses this (${user}): ${wordsOf(refusal)}; ${hint}`, {
    cause: refusal,
  });
}

/** The oldest version of each major one; others are refused. The tests run against 3.8. */
const OLDEST: Readonly<Record<number, number>> = { 2: 19, 3: 0 };

/** How many buckets an exact breakdown may need. */
const MIN_BUCKETS = 1_000_000;
/** A prefix may stand for as many tokens as its limit, and one more proves that it is over. */
const MIN_CLAUSES = MAX_PREFIX_TOKENS + 1;

interface NodeSetting {
  /** What OpenSearch takes where nothing is set. */
  readonly unset: string;
  readonly toSet: string | number;
  readonly expected: string;
  /** `names`: of our indices. */
  isMet(value: string, names: readonly string[]): boolean;
}

const SETTINGS: Readonly<Record<string, NodeSetting>> = {
  'indices.query.bool.max_clause_count': atLeast(MIN_CLAUSES, '1024'),
  'search.max_buckets': atLeast(MIN_BUCKETS, '65535'),
  'action.auto_create_index': {
    ...{ unset: 'true', toSet: 'false' },
    expected: '`false`, or a pattern that keeps our indices from being made by others',
    isMet: (value, names) => !names.some((name) => makesByItself(value, name)),
  },
};

function atLeast(min: number, unset: string): NodeSetting {
  return { unset, toSet: min, expected: `${min} or more`, isMet: (value) => Number(value) >= min };
}

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

type Asker = Pick<OpenSearchClient, 'request'>;

/**
 * Checks what a cluster must be like before anything is asked of it. Some settings that OpenSearch comes with give
 * wrong or no answers to some questions, and say nothing of it before. Returns what an operator should know, a line
 * each; empty: all is well. Throws a StorageError that says what has to be changed, an EngineUnavailable where the
 * cluster does not answer.
 */
export async function checkCluster(
  client: Asker,
  settings: OpenSearchSettings,
  options: CallOptions,
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

async function look(client: Asker, settings: OpenSearchSettings, options: CallOptions): Promise<Found> {
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
  const names = Object.values(indexNames(settings));
  const toSet: Record<string, string | number> = {};
  const problems = Object.entries(SETTINGS).flatMap(([name, { expected, isMet, ...setting }]) => {
    const missed = found.nodes
      .filter(answersSearches)
      .map((node) => ({ node: node.name, value: settingOf(found, node, name) ?? setting.unset }))
      .find(({ value }) => !isMet(value, names));
    if (missed === undefined) return [];
    toSet[name] = setting.toSet;
    return [`expected \`${name}\`: ${expected}, found ${missed.value} on node \`${missed.node}\``];
  });
  if (problems.length === 0) return [];
  const call = `PUT /_cluster/settings ${JSON.stringify({ persistent: toSet })}`;
  return [...problems, `set it on the cluster with \`${call}\`, or in the opensearch.yml of every node`];
}

/** A node with no more to do than the cluster's own affairs gets no search. */
function answersSearches({ roles }: FoundNode): boolean {
  const own = ['cluster_manager', 'master', 'remote_cluster_client'];
  return roles.length === 0 || roles.some((role) => !own.includes(role));
}

/** undefined: it is not set. */
function settingOf({ ofCluster }: Found, node: FoundNode, name: string): string | undefined {
  const values = [...ofCluster, node.settings].map((settings) => settings[name]);
  return values.find((value) => value !== undefined)?.toString();
}

/**
 * Whether OpenSearch creates this index by itself. The setting is `true`, `false`, or patterns: the first that fits
 * decides, against it with a leading `-`.
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
  options: CallOptions,
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
