// npm as a child process: the one that runs this script, or the one in PATH.

import { spawnSync } from 'node:child_process';

export interface NpmOutcome {
  /** null: it could not be started. */
  readonly code: number | null;
  readonly out: string;
  /** Standard error. */
  readonly words: string;
}

/** Waits for its end. Its output is at most 256 MB. */
export function npm(words: readonly string[], folder: string): NpmOutcome {
  const own = process.env.npm_execpath;
  const isWindows = process.platform === 'win32';
  const [program, before] = own === undefined ? ['npm', []] : [process.execPath, [own]];
  const { status, stdout, stderr, error } = spawnSync(program, [...before, ...words], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 256 * 2 ** 20,
    shell: isWindows && own === undefined,
  });
  return { code: status, out: stdout ?? '', words: error === undefined ? stderr : String(error) };
}

/** Its output; throws with npm's message if it fails. */
export function npmOutput(words: readonly string[], folder: string): string {
  const { code, out, words: told } = npm(words, folder);
  if (code !== 0) throw new Error(`npm ${words[0]} failed: ${told.trim() || out.trim()}`);
  return out;
}
