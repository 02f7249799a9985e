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
  const { openSearchNodes: nodes, openSearchUser: user, openSearchPasswordFile: passwordFile } = config;
  if (nodes.length === 0) throw missing('openSearchNodes', 'where the engine is `opensearch`');
  checkPlain(config);
  if (user !== null && passwordFile === null) {
    throw missing('openSearchPasswordFile', `beside \`${SETTINGS.openSearchUser.name}\``);
  }
  if (user === null && passwordFile !== null) {
    throw missing('openSearchUser', `beside \`${SETTINGS.openSearchPasswordFile.name}\``);
  }
  return {
    nodes,
    prefix: config.openSearchPrefix,
    shards: config.openSearchShards,
    replicas: config.openSearchReplicas,
    signIn: user === null ? null : { user, password: passwordIn(passwordFile!) },
    ca: config.openSearchCa === null ? null : certificatesIn(config.openSearchCa, nodes),
  };
}

type OwnField = 'openSearchNodes' | 'openSearchUser' | 'openSearchPasswordFile' | 'openSearchCa';

function missing(field: OwnField, where: string): UsageError {
  const { name, expected } = SETTINGS[field];
  return new UsageError(`setting \`${name}\`: expected ${expected}, ${where}; found none`);
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

/** Without the end of its line. */
function passwordIn(path: string): string {
  const password = textOf('openSearchPasswordFile', path).replace(/\r?\n$/, '');
  if (password === '' || /[\r\n]/.test(password)) {
    const found = password === '' ? 'an empty one' : 'several';
    throw wrongFile('openSearchPasswordFile', path, 'a file with a password as its one line', found);
  }
  return password;
}

function certificatesIn(path: string, nodes: readonly string[]): string {
  const text = textOf('openSearchCa', path);
  if (!/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(text)) {
    throw wrongFile('openSearchCa', path, 'a file with certificates in PEM', 'none in it');
  }
  const plain = nodes.find((node) => !node.startsWith('https://'));
  if (plain !== undefined) {
    throw new UsageError(
      `setting \`${SETTINGS.openSearchCa.name}\`: expected nodes that begin with https://, found \`${plain}\``,
    );
  }
  return text;
}

function textOf(field: OwnField, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw wrongFile(field, path, 'a file that can be read', wordsOf(error));
  }
}

function wrongFile(field: OwnField, path: string, expected: string, found: string): UsageError {
  return new UsageError(
    `setting \`${SETTINGS[field].name}\`: expected ${expected} at \`${path}\`, found ${found}`,
  );
}
