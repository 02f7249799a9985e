// The lock file: the packages that users of Colloquy get, and their places.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** An entry of `packages` in package-lock.json; only the fields used here. */
export interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface RuntimePackage extends LockedPackage {
  readonly name: string;
  /** `node_modules/ajv/node_modules/fast-uri` */
  readonly place: string;
}

/** Node itself: the package depends on it for each platform, and does not contain it. */
const NODE_PACKAGE = /^node-(?:bin-)?(?:darwin|linux|win)-/;

export function isNode({ name }: RuntimePackage): boolean {
  return NODE_PACKAGE.test(name);
}

export function readLockFile(project: string): LockFile {
  return JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
}

/** All but development packages; by name, then version. There may be several versions of a package. */
export function runtimePackages({ packages }: LockFile): RuntimePackage[] {
  return Object.entries(packages)
    .filter(([place, { dev }]) => place !== '' && dev !== true)
    .map(([place, entry]) => ({ ...entry, place, name: place.replace(/^.*node_modules\//, '') }))
    .sort((a, b) => (a.name === b.name ? compare(a.version, b.version) : compare(a.name, b.name)));
}

/** The lock file of a project with this manifest: our places and versions, without development packages. */
export function lockFileFor(manifest: Omit<Manifest, 'bundleDependencies'>, { packages }: LockFile): object {
  const { name, version } = manifest;
  const kept = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
  const all = { '': manifest, ...Object.fromEntries(kept) };
  return { name, version, lockfileVersion: 3, requires: true, packages: all };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
