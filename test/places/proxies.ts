// nginx and Caddy as examples/ sets them up, on free ports of this machine, with a certificate of their own making.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../processes.ts';

export const SITE_NAME = 'search.example.org';

/** Linux has all of 127.0.0.0/8. */
export const CALLER = process.platform === 'linux' ? '127.0.0.7' : '127.0.0.1';

const SOCKET = '/run/colloquy/colloquy.sock';

export interface RunningProxy extends AsyncDisposable {
  /** TLS. */
  readonly port: number;
  /** Redirects to TLS. */
  readonly plainPort: number;
  readonly certificate: string;
  /** Connections that are kept. */
  readonly agent: Agent;
}

/** The program of a recipe, and how it is started in `home`, a folder of its own, in front of a unix socket. */
interface Recipe {
  readonly program: string;
  readonly versionWord: string;
  start(home: string, socket: string, ports: readonly [tls: number, plain: number]): readonly string[];
}

function example(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), 'utf8');
}

/** Throws where the text does not have what is to be replaced. */
function replaced(text: string, pairs: readonly (readonly [from: RegExp, to: string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    const after = before.replaceAll(from, () => to);
    if (after === before) throw new Error(`expected ${from} in the recipe`);
    return after;
  }, text);
}

const NGINX: Recipe = {
  program: 'nginx',
  versionWord: '-v',
  start(home, socket, [tls, plain]) {
    const site = replaced(example('nginx.conf'), [
      [new RegExp(SOCKET, 'g'), socket],
      [/listen 443 /g, `listen 127.0.0.1:${tls} `],
      [/listen \[::\]:443 /g, `listen [::1]:${tls} `],
      [/listen 80;/g, `listen 127.0.0.1:${plain};`],
      [/listen \[::\]:80;/g, `listen [::1]:${plain};`],
      [/\/etc\/letsencrypt\/live\/search\.example\.org\/fullchain\.pem/g, join(home, 'cert.pem')],
      [/\/etc\/letsencrypt\/live\/search\.example\.org\/privkey\.pem/g, join(home, 'key.pem')],
    ]);
    const own = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
      const directive = name === 'body' ? 'client_body_temp_path' : `${name}_temp_path`;
      return `${directive} ${join(home, name)};`;
    });
    // Its workers need the right to open a socket that is ours.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const config = `${user} worker_processes 1; pid ${join(home, 'pid')}; error_log ${join(home, 'errors')};
      events {} http { access_log off; ${own.join(' ')} include ${join(home, 'site.conf')}; }`;
    writeFileSync(join(home, 'site.conf'), site);
    writeFileSync(join(home, 'nginx.conf'), config);
    return ['-p', home, '-c', join(home, 'nginx.conf'), '-g', 'daemon off;'];
  },
};

const CADDY: Recipe = {
  program: 'caddy',
  versionWord: 'version',
  start(home, socket, [tls, plain]) {
    const config = replaced(example('Caddyfile'), [
      [new RegExp(SOCKET, 'g'), socket],
      [/^\{\n/gm, `{\n\tadmin off\n\thttps_port ${tls}\n\thttp_port ${plain}\n`],
      // Instead of a certificate of an authority.
      [/^search\.example\.org \{\n/gm, `${SITE_NAME} {\n\ttls ${home}/cert.pem ${home}/key.pem\n`],
    ]);
    writeFileSync(join(home, 'Caddyfile'), config);
    return ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
};

export const RECIPES: Readonly<Record<'nginx' | 'Caddy', Recipe>> = { nginx: NGINX, Caddy: CADDY };

/** Why the recipe cannot be tried here; false where it can. */
export function obstacle({ program, versionWord }: Recipe): string | false {
  if (process.platform === 'win32') return 'sockets of another kind';
  for (const [name, word] of Object.entries({ [program]: versionWord, openssl: 'version' })) {
    if (spawnSync(name, [word]).error !== undefined) return `no ${name} on this machine`;
  }
  return false;
}

/** Throws with what the program said where it ends. */
export async function startProxy(recipe: Recipe, folder: string, socket: string): Promise<RunningProxy> {
  const home = join(folder, recipe.program);
  mkdirSync(home);
  const names = ['-subj', `/CN=${SITE_NAME}`, '-addext', `subjectAltName=DNS:${SITE_NAME}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const files = ['-keyout', join(home, 'key.pem'), '-out', join(home, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, ...files], { stdio: 'ignore' });
  const certificate = readFileSync(join(home, 'cert.pem'), 'utf8');
  const [port = 0, plainPort = 0] = await freePorts(2);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const words = recipe.start(home, socket, [port, plainPort]);
  const child = spawn(recipe.program, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const ended = once(child, 'close');
  while (!(await isOpen(port)) || !(await isOpen(plainPort))) {
    if (child.exitCode !== null) throw new Error(`${recipe.program} ended: ${told}`);
    await sleep(20);
  }
  const agent = new Agent({
    ...{ keepAlive: true, maxSockets: 8, ca: certificate, servername: SITE_NAME },
    localAddress: CALLER,
  });
  return {
    ...{ port, plainPort, certificate, agent },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Whether it came to its end. */
  readonly isWhole: boolean;
}

/** Over TLS, as somebody out there asks. */
export function askProxy({ port, agent }: RunningProxy, asked: Asked): Promise<Got> {
  return ask((options) => request({ ...options, agent, host: '127.0.0.1', port }), asked);
}

/** Without TLS. */
export function askPlainly({ plainPort: port }: RunningProxy, asked: Asked): Promise<Got> {
  return ask((options) => plainRequest({ ...options, host: '127.0.0.1', port, agent: false }), asked);
}

/** At the socket, as the proxy in front of it asks. */
export function askDirectly(socketPath: string, asked: Asked): Promise<Got> {
  return ask((options) => plainRequest({ ...options, socketPath, agent: false }), asked);
}

type Begin = (options: Required<Omit<Asked, 'body'>>) => ReturnType<typeof request>;

function ask(begin: Begin, { path, method = 'GET', headers = {}, body }: Asked): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = begin({ path, method, headers: { host: SITE_NAME, ...headers } });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const pieces: Buffer[] = [];
      const end = () => {
        const { statusCode: status = 0, headers: given, trailers, complete: isWhole } = response;
        resolve({ status, headers: given, trailers, body: Buffer.concat(pieces), isWhole });
      };
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('end', end);
      response.once('error', end);
    });
    sent.end(body);
  });
}
