// The operator's settings of a cluster, and one request to it: to which node, when it is tried again, and what an
// answer means. The client's transport keeps connections (nodes, TLS, sign-in); tries are decided here, since only we
// know that every request of ours may be repeated.

import { setTimeout as sleep } from 'node:timers/promises';
import { type API, Client, errors, Serializer, type Types } from '@opensearch-project/opensearch';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { Kind } from '../../../model/record.ts';
import { turn } from '../../../model/waiting.ts';

/** What replies are: only this file has to do with the package. */
export type { API, Types };

export interface OpenSearchSettings {
  /** Addresses of nodes, `http://` or `https://`; at least one. Requests take turns among them. */
  readonly nodes: readonly string[];
  /** Prefix of all index names, in lower case. One for each data folder. */
  readonly prefix: string;
  /** Primary shards of a kind's index, 1 to 1024; a number is of each. It is fixed when the index is made. */
  readonly shards: number | Readonly<Record<Kind, number>>;
  /** Copies of each shard besides the primary, 0 to 10. */
  readonly replicas: number;
  readonly signIn: { readonly user: string; readonly password: string } | null;
}

/** Whether the node of this address is only reachable on this machine. */
export function isOnThisMachine(node: string): boolean {
  // URL writes every form of an IPv4 address (`127.1`, `2130706433`) as four numbers.
  return /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(new URL(node).hostname);
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  /** With its slash; names in it are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** As JSON. */
  readonly body?: object;
  /** Lines of JSON, each with its line feed, instead of `body`. */
  readonly lines?: string;
}

export interface CallOptions {
  /** Statuses besides 2xx that are answers; absent: none. */
  readonly expect?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all tries. Absent: the patience of the client. */
  readonly timeoutMs?: number;
  /** Milliseconds for one try; absent: all that is left. */
  readonly tryMs?: number;
  /** A writer waits for it, for up to `Patience.slowMs` while the cluster is slow. */
  readonly isOfWriter?: true;
}

export interface Reply<T> {
  readonly status: number;
  readonly body: T;
}

/** How long slow work of the cluster is tried again or waited for, in milliseconds. */
export interface Patience {
  /** A usual request. */
  readonly requestMs: number;
  /** A writer's request whose tries are late, each by its own time. */
  readonly slowMs: number;
  /** Documents of a bulk that are refused for the moment. */
  readonly documentsMs: number;
  /** Folding removals in, in one turn; then other writers have theirs. */
  readonly foldMs: number;
  /** A purge, until the cluster drops what was deleted; usually half of this is enough. */
  readonly erasingMs: number;
  /** The pause between requests to a cluster that has not answered several in a row. */
  readonly askedAgainMs: number;
}

const PATIENCE: Patience = {
  ...{ requestMs: 30_000, slowMs: 15 * 60_000, documentsMs: 60_000, foldMs: 30_000, erasingMs: 60_000 },
  askedAgainMs: 5_000,
};
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/** The message if a full disk prevents writing, for imports and removals alike. */
export const DISK_FULL =
  'a disk of OpenSearch is full, and nothing is written; free space there, and run the same again: ' +
  'an import goes on where it stopped';

/** The message to a writer whom the cluster kept waiting too long. */
const GO_ON = 'what came in before is safe; run the same again: an import goes on where it stopped';

/** What to do if an operator has blocked an index. */
export const UNBLOCK =
  'take the block of the index away (`GET /<index>/_settings` names it), and run the same again';

/** Whether the cluster refuses writing because a disk is above its flood-stage watermark. */
export function isDiskBlock(type: string, reason: string): boolean {
  return type === 'cluster_block_exception' && /read-only-allow-delete|create-index/.test(reason);
}

/** UTF-16 units of an answer in plain text that are shown. */
const MAX_WORDS = 200;

const TRY_AGAIN = new Set([429, 502, 503, 504]);
/** A 500 because a node has gone, or a shard is starting on another (seen when nodes were killed). */
const GONE =
  /^(?:search_phase_execution|node_\w+|no_shard_available_action|retry_on_\w+|shard_not_in_primary_mode)_exception$/;

/** The cluster understood the request and refuses it. */
export class OpenSearchRefusal extends Error {
  readonly status: number;
  /** The type that OpenSearch names (`index_not_found_exception`); empty if it names none. */
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.name = 'OpenSearchRefusal';
    this.status = status;
    this.type = type;
  }
}

export class OpenSearchClient implements AsyncDisposable {
  readonly settings: OpenSearchSettings;
  readonly patience: Patience;
  readonly #client: Client;
  readonly #circuit: Circuit;

  constructor(settings: OpenSearchSettings, patience: Partial<Patience> = {}) {
    const { nodes, signIn } = settings;
    this.settings = settings;
    this.patience = { ...PATIENCE, ...patience };
    this.#circuit = new Circuit(this.patience.askedAgainMs);
    this.#client = new Client({
      nodes: [...nodes],
      maxRetries: 0,
      Serializer: LateSerializer,
      suggestCompression: nodes.some((node) => !isOnThisMachine(node)),
      ...(signIn && { auth: { username: signIn.user, password: signIn.password } }),
    });
  }

  /**
   * The answer of a node. Throws an OpenSearchRefusal for an unexpected status, an EngineUnavailable without an answer
   * in time (see Circuit), the signal's reason.
   */
  async request<T>(call: Call, options: CallOptions = {}): Promise<Reply<T>> {
    const { signal, timeoutMs = this.patience.requestMs, isOfWriter, expect = [] } = options;
    const { slowMs } = this.patience;
    const tryMs = isOfWriter ? Math.min(options.tryMs ?? timeoutMs, slowMs) : options.tryMs;
    const began = performance.now();
    let deadline = began + timeoutMs;
    await this.#untilAsked(deadline, signal);
    let pause = FIRST_PAUSE_MS;
    // The last try may be cut short by the deadline: an earlier error says more.
    let met: Error | null = null;
    for (;;) {
      signal?.throwIfAborted();
      const left = deadline - performance.now();
      const tried = await this.#try<T>(call, tryMs ?? Math.max(1, left), signal);
      if ('status' in tried && (tried.status < 300 || expect.includes(tried.status))) {
        this.#circuit.answered();
        return tried;
      }
      const last = 'status' in tried ? refusalOf(call, tried) : tried;
      const isLate = last instanceof errors.TimeoutError;
      if (!isLate) met = last;
      const failure = met ?? last;
      if (failure instanceof OpenSearchRefusal && !mayBeTriedAgain(failure)) {
        this.#circuit.answered();
        throw failure;
      }
      const wait = pause * (0.5 + Math.random() / 2);
      if (isLate && isOfWriter && performance.now() < began + slowMs) {
        deadline = performance.now() + timeoutMs;
      }
      if (performance.now() + wait >= deadline) {
        this.#circuit.unanswered();
        const isFull = failure instanceof OpenSearchRefusal && isDiskBlock(failure.type, failure.message);
        const late = `${call.method} ${call.path}: no answer within ${secondsSince(began)} s`;
        const fault = met === null ? late : withMend(failure.message, this.settings.nodes);
        const words = `OpenSearch: ${fault}${isOfWriter ? `; ${GO_ON}` : ''}`;
        throw new EngineUnavailable(isFull ? DISK_FULL : words, { cause: failure });
      }
      await pauseFor(wait, signal);
      pause = Math.min(MAX_PAUSE_MS, pause * 2);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  /** Returns once a request may be sent; throws if that is after the deadline. */
  async #untilAsked(deadline: number, signal: AbortSignal | undefined): Promise<void> {
    for (let wait = this.#circuit.waitMs(); wait > 0; wait = this.#circuit.waitMs()) {
      if (performance.now() + wait >= deadline) {
        const when = `is asked again in ${Math.ceil(wait / 1000)} s`;
        throw new EngineUnavailable(`OpenSearch: has not answered several requests in a row, and ${when}`);
      }
      await pauseFor(wait, signal);
    }
  }

  async #try<T>(call: Call, timeoutMs: number, signal: AbortSignal | undefined): Promise<Reply<T> | Error> {
    const { method, path, query = {}, body, lines } = call;
    const sent = this.#client.transport.request(
      {
        ...{ method, path, querystring: { ...query } },
        ...(body !== undefined && { body }),
        ...(lines !== undefined && { bulkBody: lines }),
      },
      { requestTimeout: Math.ceil(timeoutMs), maxRetries: 0 },
    );
    // Returns nothing: the request's promise would reject without a handler, and end the process.
    const onAbort = () => void sent.abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const { statusCode, body: answer } = await sent.catch((error) => {
        if (error instanceof errors.ResponseError) return error;
        throw error;
      });
      return repliedBy(call, statusCode ?? 0, answer instanceof Unparsed ? await answer.parsed() : answer);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof errors.OpenSearchClientError) return error;
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** Leaves answers to `#try`: several that arrive together would hold the event loop for the sum of their times. */
class LateSerializer extends Serializer {
  override deserialize(json: string): unknown {
    return new Unparsed(() => super.deserialize(json));
  }
}

class Unparsed {
  readonly #parse: () => unknown;

  constructor(parse: () => unknown) {
    this.#parse = parse;
  }

  async parsed(): Promise<unknown> {
    await turn();
    return this.#parse();
  }
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
}

/** Throws if something else than OpenSearch answered, such as a proxy. The security plugin refuses in plain text. */
function repliedBy<T>(call: Call, status: number, body: unknown): Reply<T> | Error {
  if (typeof body === 'object' && body !== null) return { status, body: body as T };
  if (status === 401 || status === 403) {
    const error = String(body ?? '').slice(0, MAX_WORDS);
    return { status, body: { error } as T };
  }
  return new Error(
    `${call.method} ${call.path}: status ${status}, which something other than OpenSearch has answered; ` +
      'check `COLLOQUY_OPENSEARCH_NODES`, and proxies in front of the nodes',
  );
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1_000);
}

/** A name or id as a part of a path. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Whether the cluster may accept the request later. */
export function mayBeTriedAgain({ status, type }: Pick<OpenSearchRefusal, 'status' | 'type'>): boolean {
  return TRY_AGAIN.has(status) || (status === 500 && GONE.test(type));
}

function refusalOf(call: Call, { status, body }: Reply<unknown>): OpenSearchRefusal {
  const { error } = (body ?? {}) as { readonly error?: string | Types.Common.ErrorCause };
  const told: Types.Common.ErrorCause = typeof error === 'object' ? error : { type: '', reason: error ?? '' };
  const reason = told.root_cause?.[0]?.reason ?? told.reason ?? '';
  const words = [`status ${status},`, told.type ?? '', reason].filter((word) => word !== '').join(' ');
  return new OpenSearchRefusal(status, told.type ?? '', `${call.method} ${call.path}: ${words}`);
}

const UNREACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|^Connection Error$/;
const EXPIRED = /certificate (?:has expired|is not yet valid)/;
const NOT_TRUSTED = /certificate|altnames/i;
/** All that is left of a TLS mismatch: one side hangs up, or cannot read what it gets. */
const HUNG_UP = /socket hang up|ECONNRESET/;
const NO_TLS = /EPROTO|wrong version number|packet length too long|SSL routines/i;

/** Node's advice, which fits no setting of ours. */
const ADVICE_OF_NODE = /; if the root CA is installed locally.*$/;

/**
 * Adds the remedy to a fault of the connection. It is found by the message, since the transport keeps nothing else.
 * `nodes`: as set.
 */
function withMend(fault: string, nodes: readonly string[]): string {
  const words = wordsFor(fault, nodes);
  return words === null ? fault : `${fault.replace(ADVICE_OF_NODE, '')}; ${words}`;
}

function wordsFor(fault: string, nodes: readonly string[]): string | null {
  if (EXPIRED.test(fault)) return 'renew the certificate of the nodes, and check the clocks';
  if (NOT_TRUSTED.test(fault)) {
    return (
      'set `NODE_EXTRA_CA_CERTS` to the file with the authority of the nodes, and ' +
      '`COLLOQUY_OPENSEARCH_NODES` to the names in their certificates'
    );
  }
  if (UNREACHED.test(fault)) {
    return `check that OpenSearch runs at \`COLLOQUY_OPENSEARCH_NODES\` (${nodes.join(', ')})`;
  }
  if (HUNG_UP.test(fault) && nodes.some((node) => node.startsWith('http://'))) {
    return 'where the nodes want TLS, `COLLOQUY_OPENSEARCH_NODES` has to begin with https://';
  }
  if (NO_TLS.test(fault) && nodes.some((node) => node.startsWith('https://'))) {
    return (
      'where the nodes have no TLS, `COLLOQUY_OPENSEARCH_NODES` has to begin with http://, and ' +
      '`COLLOQUY_OPENSEARCH_HTTP` to be `anywhere` unless they are on this machine'
    );
  }
  return null;
}

/** Requests in a row without an answer, including tries. */
export const UNANSWERED = 5;

/**
 * Spares a silent cluster: after several requests without an answer, sends one every few seconds until one is answered.
 * Otherwise each question would hold a place for its whole time budget. (Circuit breaker: Nygard, Release It!, 2007,
 * 5.2.)
 */
export class Circuit {
  readonly #pauseMs: number;
  #unanswered = 0;
  #nextMs = 0;

  /** `pauseMs`: between two requests while the circuit is open. */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Milliseconds until a request may be sent; 0: now, and no other until a pause later or an answer. */
  waitMs(): number {
    if (this.#unanswered < UNANSWERED) return 0;
    const now = performance.now();
    if (now < this.#nextMs) return this.#nextMs - now;
    this.#nextMs = now + this.#pauseMs;
    return 0;
  }

  /** A request got an answer, perhaps a refusal. */
  answered(): void {
    this.#unanswered = 0;
  }

  /** A request was given up. */
  unanswered(): void {
    this.#unanswered++;
    if (this.#unanswered === UNANSWERED) this.#nextMs = performance.now() + this.#pauseMs;
  }
}
