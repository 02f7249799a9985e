// Which engines there are: what `COLLOQUY_ENGINE` chooses from.
//
// What the operator has set for OpenSearch, held together and with its files read.

import { readFileSync } from 'node:fs';
import { type Config, SETTINGS } from '../config.ts';
import { UsageError, wordsOf } from '../errors.ts';
import type { EngineModule } from '../model/engine-module.ts';
import { isOnThisMachine, type OpenSearchSettings } from './opensearch/cluster/client.ts';

/** Each is loaded when it is chosen. Throws a UsageError where its settings cannot be used. */
export const ENGINES: Readonly<Record<Config['engine'], (config: Config) => Promise<EngineModule>>> = {
  embedded: async () => (await import('./embedded/module.ts')).EMBEDDED,
  opensearch: async (config) => {
    const settings = openSearchSettings(config);
    return (await import('./opensearch/module.ts')).openSearchModule(settings);
  },
};

/** The engine that is set. Throws a UsageError where its settings cannot be used. */
export async function engineOf(config: Config): Promise<EngineModule> {
  return await ENGINES[config.engine](config);
}

/** Throws a UsageError where settings are missing or contradict each other, or a file is not what it should be. */
export function openSearchSettings(config: Config): OpenSearchSettings {
  const { openSearchNodes: nodes, openSearchLogin: login } = config;
  if (nodes.length === 0) {
    const { name, expected } = SETTINGS.openSearchNodes;
    throw new UsageError(
      `setting \`${name}\`: expected ${expected}, where the engine is \`opensearch\`; found none`,
    );
  }
  checkPlain(config);
  return {
    nodes,
    prefix: config.openSearchPrefix,
    shards: config.openSearchShards,
    replicas: config.openSearchReplicas,
    signIn: login === null ? null : loginIn(login),
  };
}

/** Without TLS, whoever is on the way reads every record and the password, and may change what is answered. */
function checkPlain({ openSearchNodes, openSearchHttp }: Config): void {
  const plain = openSearchNodes.find((node) => node.startsWith('http://') && !isOnThisMachine(node));
  if (plain === undefined || openSearchHttp === 'anywhere') return;
  throw new UsageError(
    `setting \`${SETTINGS.openSearchNodes.name}\`: expected https:// for nodes on other machines, found \`${plain}\`; ` +
      `\`${SETTINGS.openSearchHttp.name}=anywhere\` allows it, for a network that nobody else can read`,
  );
}

/** `user:password`; the end of its line does not count. The password may have colons and blanks. */
function loginIn(path: string): NonNullable<OpenSearchSettings['signIn']> {
  const wrong = (expected: string, found: string) =>
    new UsageError(
      `setting \`${SETTINGS.openSearchLogin.name}\`: expected ${expected} at \`${path}\`, found ${found}`,
    );
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw wrong('a file that can be read', wordsOf(error));
  }
  const [, user, password] = /^([^\s:]+):(.+)$/.exec(text) ?? [];
  if (user !== undefined && password !== undefined) return { user, password };
  const found = text === '' ? 'an empty one' : /[\r\n]/.test(text) ? 'several' : 'something else';
  throw wrong('a file with `user:password` as its one line', found);
}
