// One of the processes that are killed (kill-child.ts), and what it told until then.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import type { Line, Role } from './kill-child.ts';

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url));

export interface WorkerPlan {
  readonly role: Role;
  readonly settings: OpenSearchSettings;
  readonly from: number;
  readonly onLine: (line: Line) => void;
  /** It ended though nobody ended it. */
  readonly onFailure: (words: string) => void;
}

export class KilledWorker {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #told: Promise<void>;

  constructor({ role, settings, from, onLine, onFailure }: WorkerPlan) {
    this.#process = spawn(process.execPath, [CHILD, role, JSON.stringify(settings), String(from)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const lines = createInterface({ input: this.#process.stdout! });
    this.#told = once(lines, 'close').then(() => undefined);
    lines.on('line', (line) => {
      // The last one may be cut.
      if (line.endsWith('}')) onLine(JSON.parse(line) as Line);
    });
    this.#ended = once(this.#process, 'close').then(([code]) => {
      if (code !== null) onFailure(`${role} ended by itself (${code}): ${errors}`);
    });
  }

  /** Resolves when all that it told was heard. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await Promise.all([this.#ended, this.#told]);
  }
}
