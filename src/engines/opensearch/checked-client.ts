// A client that asks nothing of a cluster that has not passed the checks (start-checks.ts). Where the cluster is out of
// reach at first, a server starts all the same, and the checks are made when it answers.

import { StorageError, wordsOf } from '../../errors.ts';
import { log } from '../../log.ts';
import { untilAborted } from '../../model/aborted.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import {
  type Call,
  type CallOptions,
  OpenSearchClient,
  OpenSearchRefusal,
  type Patience,
  type Reply,
  UNBLOCK,
} from './client.ts';
import { expectOwner, type Identity } from './owner.ts';
import type { OpenSearchSettings } from './settings.ts';
import { checkCluster } from './start-checks.ts';

/** Milliseconds for each request of the checks, tries again included: the first time, and before a question. */
const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 2_000;

export interface OpenOptions {
  readonly identity?: Identity;
  /** Milliseconds for each request of the first checks. */
  readonly timeoutMs?: number;
  /** Absent parts are those of OpenSearchClient. */
  readonly patience?: Partial<Patience> | undefined;
}

export class CheckedClient extends OpenSearchClient {
  readonly #settings: OpenSearchSettings;
  readonly #identity: Identity;
  #isChecked = false;
  #underWay: Promise<void> | undefined;
  /** What was logged last, so that it is not repeated with every question. */
  #told = '';

  private constructor(settings: OpenSearchSettings, { identity, patience }: OpenOptions) {
    super(settings, patience);
    this.#settings = settings;
    this.#identity = identity;
  }

  /**
   * Throws a StorageError that says what to change where the cluster answers and is not as it must be. Where it
   * does not answer, every request makes the checks first, until they are passed.
   */
  static async open(settings: OpenSearchSettings, options: OpenOptions = {}): Promise<CheckedClient> {
    const { timeoutMs = FIRST_TIMEOUT_MS } = options;
    const client = new CheckedClient(settings, options);
    try {
      await client.#check(timeoutMs);
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
   * As of OpenSearchClient; throws an EngineUnavailable too where the cluster is not as it must be, a StorageError
   * where it does not let us do this, or an index is blocked.
   */
  override async request<T>(call: Call, options: CallOptions = {}): Promise<Reply<T>> {
    if (!this.#isChecked) await this.#passChecks(options.signal);
    try {
      return await super.request<T>(call, options);
    } catch (error) {
      if (isNotLetIn(error)) throw refusedWords(error, this.#settings);
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

  async #check(timeoutMs: number): Promise<void> {
    const asker = { request: <T>(call: Call, options?: CallOptions) => super.request<T>(call, options) };
    const check = async () => {
      const found = await checkCluster(asker, this.#settings, { timeoutMs });
      await expectOwner(asker, this.#settings, this.#identity, { timeoutMs });
      return found;
    };
    const warnings = await check().catch((error: unknown) => {
      throw error instanceof OpenSearchRefusal ? refusedWords(error, this.#settings) : error;
    });
    for (const warning of warnings) log.warn({ nodes: this.#settings.nodes }, `OpenSearch: ${warning}`);
    this.#isChecked = true;
  }

  #tell(words: string): void {
    if (words === this.#told) return;
    this.#told = words;
    log.error({ nodes: this.#settings.nodes }, words);
  }
}

const BLOCKED = 'cluster_block_exception';

/** A block of an index is a 403 too, and no matter of rights. */
function isNotLetIn(error: unknown): error is OpenSearchRefusal {
  return error instanceof OpenSearchRefusal && [401, 403].includes(error.status) && error.type !== BLOCKED;
}

/** What to change where the cluster does not let us in. */
function refusedWords(refusal: OpenSearchRefusal, { signIn }: OpenSearchSettings): StorageError {
  const user = signIn === null ? 'without a user' : `user \`${signIn.user}\``;
  const mend: Readonly<Record<number, string>> = {
    401: 'check `COLLOQUY_OPENSEARCH_USER` and the password in `COLLOQUY_OPENSEARCH_PASSWORD_FILE`',
    403: 'give it the role of docs/opensearch.md',
  };
  const hint = mend[refusal.status] ?? 'check `COLLOQUY_OPENSEARCH_NODES`';
  return new StorageError(`OpenSearch refuses this (${user}): ${wordsOf(refusal)}; ${hint}`, {
    cause: refusal,
  });
}
