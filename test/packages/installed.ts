// Colloquy as a package below node_modules, as a user has it: staged, with links to the packages that run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isNode, readLockFile, runtimePackages } from '../../release/lock-file.ts';
import { stageOwn } from '../../release/staging.ts';
import { temporaryFolder } from '../helpers.ts';
import { project } from '../project.ts';

export interface Installed extends Disposable {
  /** An empty folder but for `node_modules`. */
  readonly folder: string;
  /** The package's own. */
  readonly place: string;
  readonly program: string;
  /** Nothing of ours is set, and what belongs to a user is in the folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a command in the folder to its end. */
  colloquy(...words: string[]): Promise<{ code: number | null; out: string; words: string }>;
}

export function installPackage(): Installed {
  const folder = temporaryFolder();
  const place = join(folder.path, 'node_modules', 'colloquy');
  stageOwn(project, place);
  const places = runtimePackages(readLockFile(project)).filter((entry) => !isNode(entry));
  for (const { place: own } of places.filter((entry) => entry.place.lastIndexOf('node_modules') === 0)) {
    mkdirSync(dirname(join(folder.path, own)), { recursive: true });
    symlinkSync(join(project, own), join(folder.path, own), 'junction');
  }
  const program = join(place, 'bin', 'colloquy.mjs');
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_CACHE_HOME: join(folder.path, 'cache'),
    XDG_DATA_HOME: join(folder.path, 'share'),
    COLLOQUY_THREADS: '1',
  };
  return {
    ...{ folder: folder.path, place, program, environment },
    colloquy: async (...words) => {
      const options = { cwd: folder.path, env: environment };
      const child = spawn(process.execPath, [program, ...words], {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(child, 'close') as Promise<[number | null]>;
      const [out, told, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, out, words: told };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
