// Settings: read once from the environment, checked, typed. The only place that reads process.env.
// docs/settings.md has the same table for operators; a test compares the two.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './errors.ts';

/** The values of `COLLOQUY_ENGINE`; engines/engines.ts has the engine for each. */
export const ENGINE_NAMES = ['embedded', 'opensearch'] as const;

export interface Config {
  readonly dataFolder: string;
  /** A host name or address without brackets, or the absolute path of a unix socket. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
  readonly engine: (typeof ENGINE_NAMES)[number];
  /** Comes before relative permalinks; no final slash. */
  readonly permalinkBase: string;
  /** Whether `before:` without `after:` gets an `after:` one day earlier. */
  readonly impliedWindow: '1d' | 'off';
  /** For each account; null: 600 a minute, no limit while bound to loopback. 0: no limit. */
  readonly requestsPerMinute: number | null;
  readonly queryTimeoutMs: number;
  /** How many threads answer questions; 0: the caller's own thread does all the engine's work. */
  readonly threads: number;
  /** Bytes of memory for what is kept of the index, and for the threads that answer. */
  readonly memory: number;
  /** The address at which people reach the server, without a final slash; null: `http://<host>:<port>`. */
  readonly publicUrl: string | null;
  readonly registration: 'open' | 'closed';
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Names that the server answers to besides that of its public address, in lower case; `*`: any. */
  readonly allowedHosts: readonly string[];
  /** How many results of each list a visitor who is not signed in gets, 1 to 1000. */
  readonly visitorResults: number;
  /**
   * Of the engine `opensearch`: origins of its nodes (`https://os1:9200`), each once; none: not set. How the rest
   * is meant: engines/opensearch/cluster/client.ts.
   */
  readonly openSearchNodes: readonly string[];
  readonly openSearchHttp: 'loopback' | 'anywhere';
  readonly openSearchPrefix: string;
  readonly openSearchShards: OpenSearchShards;
  readonly openSearchReplicas: number;
  /** Path of a file with `user:password`; null: no sign-in. */
  readonly openSearchLogin: string | null;
  /** Who reads the metrics: `loopback`, this machine; `off`, nobody; otherwise the path of a file with a token. */
  readonly metrics: string;
  /** Whether each request has a line in the log; `address`: with the address of its caller. */
  readonly logRequests: 'off' | 'on' | 'address';
  /** Path of the file of the security log; null: standard error. */
  readonly securityLog: string | null;
  /** How people reach the operator: an email address or a web address; null: not said. */
  readonly contact: string | null;
  /** What stands in the environment for settings that features tell, by their names; `settingOf` reads one. */
  readonly ofFeatures: Environment;
}

export interface Setting<T> {
  readonly name: string;
  readonly fallback: T;
  readonly read: (text: string) => T | undefined;
  /** What is expected, for the message. */
  readonly expected: string;
}

const MIB = 2 ** 20;
const LEAST_MEMORY = 64 * MIB;
const MOST_MEMORY = 1000 * 1024 * MIB;

/** What the address of a unix socket has room for on every system (unix(7); macOS has 104 with a final NUL). */
const MAX_SOCKET_BYTES = 103;

const WEB_ADDRESS = 'an address that starts with http:// or https://';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

export const SETTINGS: { readonly [Field in Exclude<keyof Config, 'ofFeatures'>]: Setting<Config[Field]> } = {
  dataFolder: textIn('COLLOQUY_DATA', defaultDataFolder(projectFolder), 'a folder'),
  host: {
    name: 'COLLOQUY_HOST',
    fallback: '127.0.0.1',
    read: hostOrSocket,
    expected: `a host name, an address, or an absolute path of at most ${MAX_SOCKET_BYTES} bytes for a unix socket`,
  },
  port: numberIn('COLLOQUY_PORT', 8080, { from: 0, to: 65_535 }),
  engine: choice('COLLOQUY_ENGINE', ENGINE_NAMES),
  permalinkBase: textIn('COLLOQUY_PERMALINK_BASE', 'https://www.reddit.com', WEB_ADDRESS, withoutSlash),
  impliedWindow: choice('COLLOQUY_IMPLIED_WINDOW', ['1d', 'off']),
  requestsPerMinute: numberIn('COLLOQUY_REQUESTS_PER_MINUTE', null, {
    ...{ from: 0, to: 1_000_000, words: ' (0 for no limit)' },
  }),
  queryTimeoutMs: numberIn('COLLOQUY_QUERY_TIMEOUT_MS', 2000, { from: 1, to: 3_600_000 }),
  threads: numberIn('COLLOQUY_THREADS', availableParallelism(), {
    ...{ from: 0, to: 64, words: ' (with 0, queries get no threads of their own)' },
  }),
  memory: {
    name: 'COLLOQUY_MEMORY',
    fallback: defaultMemory(),
    read: readMemory,
    expected: '`64MB` to `1000GB`, such as `512MB` or `2GB`',
  },
  publicUrl: textIn('COLLOQUY_PUBLIC_URL', null, WEB_ADDRESS, withoutSlash),
  visitorResults: numberIn('COLLOQUY_VISITOR_RESULTS', 10, { from: 1, to: 1000 }),
  contact: {
    name: 'COLLOQUY_CONTACT',
    fallback: null,
    read: (text) => (isHttpUrl(text) || /^[^\s@:]+@[^\s@:]+$/.test(text) ? text : undefined),
    expected: `an email address, or ${WEB_ADDRESS}`,
  },
  metrics: textIn('COLLOQUY_METRICS', 'loopback', '`loopback`, `off`, or a file'),
  logRequests: choice('COLLOQUY_LOG_REQUESTS', ['off', 'on', 'address'], 'on'),
  securityLog: textIn('COLLOQUY_SECURITY_LOG', null, 'a file'),
  registration: choice('COLLOQUY_REGISTRATION', ['open', 'closed']),
  trustedProxies: {
    name: 'COLLOQUY_TRUSTED_PROXIES',
    fallback: [],
    read: networks,
    expected: 'addresses and networks such as `127.0.0.1, 10.0.0.0/8, ::1`',
  },
  allowedHosts: {
    name: 'COLLOQUY_ALLOWED_HOSTS',
    fallback: [],
    read: hostNames,
    expected: 'host names without a port such as `search.example.org, colloquy`, or `*` for any',
  },
  openSearchNodes: {
    name: 'COLLOQUY_OPENSEARCH_NODES',
    fallback: [],
    read: origins,
    expected:
      'addresses such as `https://os1:9200, https://os2:9200`, without path, user or password ' +
      '(`COLLOQUY_OPENSEARCH_LOGIN` is for these)',
  },
  openSearchHttp: choice('COLLOQUY_OPENSEARCH_HTTP', ['loopback', 'anywhere']),
  openSearchPrefix: {
    name: 'COLLOQUY_OPENSEARCH_PREFIX',
    fallback: 'colloquy',
    read: (text) => (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(text) ? text : undefined),
    expected: '1 to 100 lower-case letters, digits, `-` and `_`, of which the first is a letter or digit',
  },
  openSearchShards: {
    name: 'COLLOQUY_OPENSEARCH_SHARDS',
    fallback: 3,
    read: shardsIn,
    expected: '1 to 1024, or both kinds as `posts:65,comments:200`',
  },
  openSearchReplicas: numberIn('COLLOQUY_OPENSEARCH_REPLICAS', 1, { from: 0, to: 10 }),
  openSearchLogin: textIn('COLLOQUY_OPENSEARCH_LOGIN', null, 'a file'),
};

function textIn<Fallback extends string | null>(
  name: string,
  fallback: Fallback,
  expected: string,
  read: (text: string) => string | undefined = (text) => text,
): Setting<Fallback | string> {
  return { name, fallback, read, expected };
}

/** `fallback` absent: the first. */
function choice<Value extends string>(
  name: string,
  values: readonly Value[],
  fallback = values[0]!,
): Setting<Value> {
  const quoted = values.map((value) => `\`${value}\``);
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { name, fallback, read: (text) => values.find((value) => value === text), expected };
}

function numberIn<Fallback extends number | null>(
  name: string,
  fallback: Fallback,
  { from, to, words = '' }: { readonly from: number; readonly to: number; readonly words?: string },
): Setting<Fallback | number> {
  return { name, fallback, read: wholeNumber(from, to), expected: `${from} to ${to}${words}` };
}

/** `512MB`, `2GB`: of 2^20 and 2^30 bytes. Undefined if it is neither, or out of range. */
function readMemory(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})\s?(MB|GB)$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  const bytes = Number(number) * (unit.toUpperCase() === 'GB' ? 1024 : 1) * MIB;
  return bytes >= LEAST_MEMORY && bytes <= MOST_MEMORY ? bytes : undefined;
}

/**
 * A quarter of what the process may have: the lists and texts of an index are read through the system's cache of files,
 * which needs several times as much.
 */
export function defaultMemory(machine = totalmem(), allowed = process.constrainedMemory()): number {
  // 0 where nothing limits it; some systems tell a limit that no machine has.
  const most = allowed > 0 ? Math.min(machine, allowed) : machine;
  return Math.max(LEAST_MEMORY, Math.floor(most / 4));
}

/** Of each kind alike, or one by one. */
type OpenSearchShards = number | { readonly post: number; readonly comment: number };

function shardsIn(text: string): OpenSearchShards | undefined {
  const number = wholeNumber(1, 1024);
  const [, posts, comments] = /^posts:(\d+),\s?comments:(\d+)$/.exec(text) ?? [];
  if (posts === undefined || comments === undefined) return number(text);
  const [post, comment] = [number(posts), number(comments)];
  return post === undefined || comment === undefined ? undefined : { post, comment };
}

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'COLLOQUY_';
/** A secret, and no setting. */
const KEY = `${PREFIX}KEY`;

/** Other names, read if the setting itself is absent. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  COLLOQUY_HOST: 'HOST',
  COLLOQUY_PORT: 'PORT',
  COLLOQUY_OPENSEARCH_NODES: 'COLLOQUY_OPENSEARCH_URL',
};

/** Throws a UsageError that names the setting. An empty setting counts as absent. */
export function readConfig(environment: Environment = process.env): Config {
  const entries = Object.entries(SETTINGS).map(([field, setting]) => [
    field,
    readSetting(setting as Setting<unknown>, environment),
  ]);
  const { [KEY]: _, ...others } = environment;
  const ofFeatures = Object.fromEntries(Object.entries(others).filter(([name]) => name.startsWith(PREFIX)));
  return { ...(Object.fromEntries(entries) as Omit<Config, 'ofFeatures'>), ofFeatures };
}

/** What a setting of a feature is. Throws a UsageError that names it. */
export function settingOf<T>({ ofFeatures }: Pick<Config, 'ofFeatures'>, setting: Setting<T>): T {
  return readSetting(setting, ofFeatures);
}

export function switchSetting(name: string): Setting<'on' | 'off'> {
  return choice(name, ['on', 'off'], 'off');
}

/**
 * `data` in the project's folder. Where npm has installed the package it is in none, since the next version replaces
 * it: `colloquy` in the user's folder for data, that of the XDG Base Directory Specification.
 */
export function defaultDataFolder(project: string, environment: Environment = process.env): string {
  if (!/[\\/]node_modules[\\/]/.test(project)) return `${project}data`;
  return join(environment.XDG_DATA_HOME || join(homeFolder(), '.local', 'share'), 'colloquy');
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // A user whom the system does not know.
    return '/';
  }
}

export function apiKey(environment: Environment = process.env): string | null {
  return environment[KEY] || null;
}

export function isRunByNpx(environment: Environment = process.env): boolean {
  return environment.npm_command === 'exec';
}

/** Where a user's programs keep what they remember between two runs (XDG Base Directory Specification 0.8). */
export function userStateFolder(environment: Environment = process.env): string {
  const given = environment.XDG_STATE_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homeFolder(), '.local', 'state'), 'colloquy');
}

export function isRunByNpm(environment: Environment = process.env): boolean {
  return environment.npm_lifecycle_event !== undefined;
}

/** Whether whoever started this process waits to be told that it is ready (sd_notify, systemd). */
export function hasNotifySocket(environment: Environment = process.env): boolean {
  return (environment.NOTIFY_SOCKET ?? '') !== '';
}

export function isOnPath(folder: string, environment: Environment = process.env): boolean {
  return (environment.PATH ?? '').split(delimiter).includes(folder);
}

function readSetting<T>(setting: Setting<T>, environment: Environment): T {
  const name = [setting.name, OTHER_NAMES[setting.name] ?? ''].find((known) => environment[known]);
  if (name === undefined) return setting.fallback;
  const text = environment[name]!;
  const value = setting.read(text);
  if (value === undefined) {
    throw new UsageError(
      `setting \`${name}\`: expected ${setting.expected}, found \`${withoutPasswords(text)}\``,
    );
  }
  return value;
}

export function isSocketPath(host: string): boolean {
  return host.startsWith('/');
}

/** An address of IPv6 may stand in brackets. */
function hostOrSocket(text: string): string | undefined {
  if (isSocketPath(text))
    return /[^/\0]$/.test(text) && Buffer.byteLength(text) <= MAX_SOCKET_BYTES ? text : undefined;
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  return /^[\w.:-]+$/.test(bare) && (bare === text || isIP(bare) === 6) ? bare : undefined;
}

function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

/** Separated by commas; trimmed. */
function networks(text: string): readonly string[] | undefined {
  const list = text.split(',').map((network) => network.trim());
  return list.every(isNetwork) ? list : undefined;
}

export function programVersion(): { readonly colloquy: string; readonly node: string } {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return { colloquy: version, node: process.versions.node };
}

/** Separated by commas; trimmed, in lower case. */
function hostNames(text: string): readonly string[] | undefined {
  const list = text.split(',').map((name) => name.trim().toLowerCase());
  return list.every((name) => name === '*' || /^[\w-]+(?:\.[\w-]+)*$/.test(name)) ? list : undefined;
}

/** Of addresses separated by commas; trimmed, each once. */
function origins(text: string): readonly string[] | undefined {
  const urls = text.split(',').map((address) => URL.parse(address.trim()));
  const isOrigin = (url: URL | null) =>
    url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(url.href);
  return urls.every(isOrigin) ? [...new Set(urls.map((url) => url!.origin))] : undefined;
}

/** What stands in front of the host of an address may be secret. */
function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^\s,]*@/g, '//…@');
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

function withoutSlash(text: string): string | undefined {
  return isHttpUrl(text) ? text.replace(/\/+$/, '') : undefined;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}
