// Whether a prefix has too many tokens behind it. OpenSearch knows no such number; but asked to explain the prefix as
// the terms it stands for, it lists them, shard by shard, and their union is counted here. That lists the tokens of
// removed records too, until a merge has dropped them.

import type { Conditions } from '../../model/conditions.ts';
import { EngineLimit, EngineUnavailable } from '../../model/engine-errors.ts';
import { MAX_PREFIX_TOKENS } from '../../model/query.ts';
import type { Kind } from '../../model/record.ts';
import { pathOf } from './client.ts';
import type { IndexNames } from './indices.ts';
import { ofAllShards, SEE_HEALTH, type Searcher } from './search.ts';
import type { View } from './views.ts';

/** The cluster must take so many clauses of a query, so that one more token than the limit is listed. */
export const NEEDED_CLAUSES = MAX_PREFIX_TOKENS + 1;

/** Prefixes of one generation that are remembered. */
const MAX_KNOWN = 10_000;

interface Explained {
  readonly valid?: boolean;
  readonly _shards?: {
    readonly total: number;
    readonly successful: number;
    readonly failed: number;
    readonly failures?: readonly { readonly reason?: { readonly type?: string } }[];
  };
  readonly explanations?: readonly { readonly explanation?: string }[];
}

interface Known {
  readonly generation: number;
  /** By prefix. */
  readonly isBroad: Map<string, boolean>;
}

export class PrefixLimit {
  readonly #names: IndexNames;
  readonly #known: Record<Kind, Known> = {
    post: { generation: 0, isBroad: new Map() },
    comment: { generation: 0, isBroad: new Map() },
  };

  constructor(names: IndexNames) {
    this.#names = names;
  }

  /** Throws an EngineLimit of the first prefix that is too broad, and what `Searcher.search` does. */
  async check(searcher: Searcher, view: View, conditions: Conditions): Promise<void> {
    const prefixes = [...conditions.words.flat(), ...conditions.excludedWords].filter(
      (word) => word.kind === 'prefix',
    );
    if (prefixes.length === 0 || view.pit === null) return;
    const different = [...new Set(prefixes.map(({ prefix }) => prefix))];
    const broad = new Map<string, boolean>();
    await Promise.all(
      different.map(async (prefix) => broad.set(prefix, await this.#isBroad(searcher, view, prefix))),
    );
    const word = prefixes.find(({ prefix }) => broad.get(prefix));
    if (word !== undefined) throw new EngineLimit({ limit: 'prefix_tokens', word });
  }

  async #isBroad(searcher: Searcher, { kind, generation }: View, prefix: string): Promise<boolean> {
    if (this.#known[kind].generation < generation) this.#known[kind] = { generation, isBroad: new Map() };
    const known = this.#known[kind];
    // An older view has the words of an older index.
    const found = known.generation === generation ? known.isBroad.get(prefix) : undefined;
    if (found !== undefined) return found;
    const isBroad = await listsTooMany(searcher, this.#names[kind], prefix);
    if (known.generation === generation && known.isBroad.size < MAX_KNOWN) known.isBroad.set(prefix, isBroad);
    return isBroad;
  }
}

async function listsTooMany(searcher: Searcher, index: string, prefix: string): Promise<boolean> {
  const query = { prefix: { t: { value: prefix, rewrite: 'scoring_boolean' } } };
  const { body } = await searcher.request<Explained>({
    ...{ path: `${pathOf(index)}/_validate/query`, query: { rewrite: true, all_shards: true } },
    body: { query },
  });
  const { valid, _shards, explanations = [] } = body;
  if (_shards?.failures?.some(({ reason }) => reason?.type === 'too_many_clauses') === true) return true;
  if (valid !== true || !ofAllShards(_shards) || explanations.length !== _shards!.total) {
    throw new EngineUnavailable(`OpenSearch: a prefix cannot be looked up: ${shortOf(body)}; ${SEE_HEALTH}`);
  }
  return tokensIn(explanations.map(({ explanation = '' }) => explanation)).size > MAX_PREFIX_TOKENS;
}

/** The different tokens that the explanations name: `t:panel t:pans`; `t:pan*` of a shard without any. */
export function tokensIn(explanations: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const explanation of explanations) {
    for (const clause of explanation.split(' ')) if (!clause.endsWith('*')) found.add(clause);
  }
  return found;
}

function shortOf({ valid, _shards }: Explained): string {
  return JSON.stringify({ valid, _shards });
}
