// Faults of the file system: the nth call of a piece of work fails as the system would let it fail.

import { closeSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import type { FileCall, FileWatcher } from './file-calls.ts';

export type FaultKind =
  | 'disk full'
  | 'disk stays full'
  | 'i/o error'
  | 'unreadable'
  | 'too many open files'
  | 'short write';

interface FaultRule {
  /** As the system calls it; null: the call does a part of its work and says how much. */
  readonly code: string | null;
  readonly befalls: (call: FileCall) => boolean;
  /** It stays until it is lifted. */
  readonly lasts: boolean;
}

const WRITES =
  /^(promises\.)?(write|writev|appendFile|mkdir|mkdtemp|rename|copyFile|cp|link|fsync|fdatasync)/;
const READS = /^read(v|Sync|vSync)?$/;
const OPENS = /^(promises\.)?(open|opendir|readdir|readFile|writeFile|appendFile|copyFile|cp)/;

const needsSpace = (call: FileCall) =>
  WRITES.test(call.name) || (/^(promises\.)?open/.test(call.name) && /[wax]/.test(String(call.args[1])));

const RULES: Readonly<Record<FaultKind, FaultRule>> = {
  'disk full': { code: 'ENOSPC', befalls: needsSpace, lasts: false },
  'disk stays full': { code: 'ENOSPC', befalls: needsSpace, lasts: true },
  'i/o error': { code: 'EIO', befalls: ({ name }) => !READS.test(name), lasts: false },
  unreadable: { code: 'EIO', befalls: ({ name }) => READS.test(name), lasts: false },
  'too many open files': { code: 'EMFILE', befalls: ({ name }) => OPENS.test(name), lasts: true },
  'short write': { code: null, befalls: ({ name }) => /^write(Sync)?$/.test(name), lasts: false },
};

export const FAULT_KINDS = Object.keys(RULES) as readonly FaultKind[];

/** Befalls the `number`th call that it may befall, from 1. */
export class Fault implements FileWatcher {
  readonly #rule: FaultRule;
  readonly #number: number;
  #seen = 0;
  #isLifted = false;
  /** What it befell first; null: nothing so far. */
  hit: string | null = null;

  constructor(kind: FaultKind, number: number) {
    this.#rule = RULES[kind];
    this.#number = number;
  }

  /** From now on all is well. */
  lift(): void {
    this.#isLifted = true;
  }

  before(call: FileCall): readonly unknown[] | undefined {
    const { code, befalls, lasts } = this.#rule;
    if (this.#isLifted || !befalls(call)) return undefined;
    this.#seen++;
    if (this.#seen < this.#number || (!lasts && this.#seen > this.#number)) return undefined;
    this.hit ??= `${call.name} ${call.path}`;
    if (code === null) return shortened(call.args);
    // A descriptor is gone even where its closing fails (close(2)).
    if (/^close(Sync)?$/.test(call.name)) closeSync(call.args[0] as number);
    throw systemError(code, call);
  }
}

/** `writeSync(file, bytes, offset, length, …)` and `writeSync(file, text)`, of half the length. */
function shortened([file, data, offset, length, ...rest]: readonly unknown[]): readonly unknown[] {
  if (typeof data === 'string') return [file, data.slice(0, data.length >> 1)];
  const from = typeof offset === 'number' ? offset : 0;
  const whole = typeof length === 'number' ? length : (data as Uint8Array).length - from;
  return [file, data, from, whole >> 1, ...rest];
}

/** As Node makes it: a call by descriptor says no path. */
function systemError(code: string, { name, path, args }: FileCall): Error {
  const [errno, [, text]] = [...getSystemErrorMap()].find(([, [known]]) => known === code)!;
  const syscall = name.replace(/^promises\.|Sync$/g, '').toLowerCase();
  const place = typeof args[0] === 'number' ? '' : ` '${path}'`;
  const fields = { code, errno, syscall, ...(place === '' ? {} : { path }) };
  return Object.assign(new Error(`${code}: ${text}, ${syscall}${place}`), fields);
}
