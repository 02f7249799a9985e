// Password policy, hashing and verification. Rejects passwords that are easy to guess: common ones, repeats, runs, and
// those made of the account's address or the name of the service.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError, UsageError } from '../../errors.ts';
import { describedFigures, type FamilySource, type FigureTable } from '../../metrics.ts';
import { Places } from '../../model/waiting.ts';

/** Characters (code points). */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 200;

/** The parameters of one hash; memory in KiB. */
interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, 2 passes, 1 lane. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;

/** A hash takes 20 to 25 ms of a core and 19 MiB. */
const MAX_HASHES_AT_ONCE = 8;
/** For each lane and each parallel hash: the last in the queue waits less than half a second. */
export const MAX_WAITING = 16;

/** One below 4 cores, half as many as there are cores from 4 on, at most MAX_HASHES_AT_ONCE. */
export function hashesAtOnce(cores: number): number {
  return Math.max(1, Math.min(MAX_HASHES_AT_ONCE, Math.floor(cores / 2)));
}

/** `strangers` get their turn only when no `known` caller waits. */
const LANES = ['known', 'strangers'] as const;

export type Lane = (typeof LANES)[number];

type GateFigures = ReturnType<Gate['figures']>;

/** Seconds. */
export const BUSY_RETRY_AFTER = 5;

export class Gate {
  readonly #places: Places;
  readonly #maxWaiting: number;
  #admitted = 0;
  #refused = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#places = new Places(atOnce, { lanes: LANES.length });
    this.#maxWaiting = maxWaiting;
  }

  /** Whether `run` would throw `busy`; if so, counts a refusal. Cheap, so that it can run before a body is read. */
  refuses(lane: Lane): boolean {
    if (!this.#places.isFull || this.#places.waiting(LANES.indexOf(lane)) < this.#maxWaiting) return false;
    this.#refused++;
    return true;
  }

  /** Runs `work` in its turn: first come, first served in each lane. Throws `busy` if the lane is full. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.refuses(lane)) {
      throw new ServiceError(
        'busy',
        `expected at most ${this.#maxWaiting} requests waiting for a password check, found more`,
        { retryAfter: BUSY_RETRY_AFTER },
      );
    }
    this.#admitted++;
    return await this.#places.run(work, { lane: LANES.indexOf(lane) });
  }

  figures() {
    const [admitted, refused] = [this.#admitted, this.#refused];
    return { running: this.#places.taken, waiting: this.#places.waiting(), admitted, refused };
  }
}

export interface Derivation extends Cost {
  readonly message: string;
  readonly nonce: Uint8Array;
  /** Bytes. */
  readonly tagLength: number;
}

/** Threads for password hashes. Node's own `argon2` would use its thread pool, at ordinary priority. */
export class HashThreads {
  readonly #idle: Worker[] = [];

  /** Starts a thread if none is idle: the caller bounds the number. An idle thread does not keep the process alive. */
  async derive(derivation: Derivation): Promise<Buffer> {
    const worker = this.#idle.pop() ?? new Worker(new URL('./hash-worker.ts', import.meta.url));
    worker.ref();
    const tag = await answerOf(worker, derivation);
    worker.unref();
    this.#idle.push(worker);
    return tag;
  }
}

/** Rejects if the thread ends. */
function answerOf(worker: Worker, derivation: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      end();
    };
    const onMessage = (tag: Uint8Array) => settle(() => resolve(Buffer.from(tag)));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('expected a hash, found that its thread has ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(derivation);
  });
}

const atOnce = hashesAtOnce(availableParallelism());
/** Every hash of this process passes here. */
export const hashGate = new Gate(atOnce, atOnce * MAX_WAITING);
const threads = new HashThreads();

const FIGURES: FigureTable<GateFigures> = {
  running: ['colloquy_password_hashes_running', 'Hashes of passwords that are being computed.'],
  waiting: ['colloquy_password_hashes_waiting', 'Hashes of passwords that wait for their turn.'],
  admitted: ['colloquy_password_hashes_total', 'Hashes of passwords that were begun.'],
  refused: [
    'colloquy_password_hashes_refused_total',
    'Sign-ins and other uses of passwords refused, since too many were waiting.',
  ],
};

export function hashFamilies(): FamilySource {
  return describedFigures(FIGURES, () => hashGate.figures());
}

interface ParsedHash extends Cost {
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

/** Checked if there is no account or password, so that the answer takes as long as for a wrong password. */
const NO_PASSWORD: ParsedHash = {
  ...COST,
  salt: new Uint8Array(SALT_LENGTH),
  tag: new Uint8Array(TAG_LENGTH),
};

export type PasswordProblem = 'too short' | 'too long' | 'common' | 'made of names';

/** What is wrong with a new password; null: nothing. `email` is the address of its account. */
export function newPasswordProblem(password: string, email: string): PasswordProblem | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return 'too short';
  if (length > MAX_PASSWORD_LENGTH) return 'too long';
  if (isCommonPassword(password) || isRepeatOrRun(password)) return 'common';
  return isMadeOfNames(password, email) ? 'made of names' : null;
}

/** Throws a UsageError that says which passwords are accepted. */
export function checkNewPassword(password: string, email: string): void {
  const problem = newPasswordProblem(password, email);
  if (problem === null) return;
  const common = 'that is not guessed first, found one of the most common ones, a repeat or a run';
  const own = 'of its own, found one made of the address or of our name';
  const length = `of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, found ${[...password].length}`;
  const words = problem === 'common' ? common : problem === 'made of names' ? own : length;
  throw new UsageError(`expected a password ${words}`);
}

/** `$argon2id$v=19$m=…,t=…,p=…$salt$tag` (PHC string format), whatever the length. Throws `busy`. */
export async function hashPassword(password: string, lane: Lane = 'known'): Promise<string> {
  const salt = randomBytes(SALT_LENGTH);
  const tag = await deriveTag(password, { ...COST, salt, tag: NO_PASSWORD.tag }, lane);
  return `$argon2id$v=19$${costText(COST)}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Whether this is the password behind the hash. For `null` (no account, or one without a password) always
 * false, after the same time. Throws `busy`.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  lane: Lane = 'known',
): Promise<boolean> {
  const parsed = stored === null ? NO_PASSWORD : parseHash(stored);
  const tag = await deriveTag(password, parsed, lane);
  return timingSafeEqual(tag, parsed.tag) && stored !== null;
}

/** Whether the hash has another cost than COST; it is renewed at the next sign-in. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(`$argon2id$v=19$${costText(COST)}$`);
}

/** Normalizes to NFKC, as NIST 800-63B recommends: composed and decomposed characters are the same password. */
function deriveTag(password: string, { memory, passes, parallelism, salt, tag }: ParsedHash, lane: Lane) {
  const message = password.normalize('NFKC');
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length };
  return hashGate.run(lane, () => threads.derive(parameters));
}

function costText({ memory, passes, parallelism }: Cost): string {
  return `m=${memory},t=${passes},p=${parallelism}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function parseHash(stored: string): ParsedHash {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored);
  if (parts === null) throw new Error('expected an argon2id hash in PHC form, found something else');
  return {
    memory: Number(parts[1]),
    passes: Number(parts[2]),
    parallelism: Number(parts[3]),
    salt: Buffer.from(parts[4]!, 'base64'),
    tag: Buffer.from(parts[5]!, 'base64'),
  };
}

/** Digits and signs around a word, which do not make it a password. */
const DECORATION = /^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu;

const KEY_ROWS =
  'qwertyuiop asdfghjkl zxcvbnm azerty qsdfghjklm wxcvbn qwertz yxcvbnm йцукенгшщзхъ фывапролджэ ячсмитьбю 90 !@#$%^&*()';

const SERVICE_NAME = 'colloquy';

let common: ReadonlySet<string> | null = null;

/**
 * Whether it is among the 5,000 most frequent passwords that are long enough, in any case of its letters (ASVS 5.0,
 * 6.2.4 asks for 3,000). The list, its source and its licence: common-passwords-licence.txt.
 */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  );
  return common.has(folded(password));
}

/**
 * Whether the password repeats a short piece, or consists of runs of four characters on average: neighbours in the
 * alphabet, among digits or on a keyboard. The list of common passwords lacks most of these.
 */
export function isRepeatOrRun(password: string): boolean {
  const text = folded(password);
  const letters = [...text];
  const runs = letters.filter((letter, i) => i === 0 || !isBeside(letters[i - 1]!, letter)).length;
  if (runs * 4 <= letters.length) return true;
  for (let length = 1; length <= 7 && length * 2 <= letters.length; length++) {
    if (letters.every((letter, i) => i < length || letter === letters[i - length])) return true;
  }
  return false;
}

function isBeside(one: string, next: string): boolean {
  const step = next.codePointAt(0)! - one.codePointAt(0)!;
  return Math.abs(step) <= 1 || KEY_ROWS.includes(one + next) || KEY_ROWS.includes(next + one);
}

/**
 * Whether it is the account's address, the part of it before the `@`, or the name of the service, with nothing but
 * digits and signs around it (ASVS 5.0, 6.2.11).
 */
export function isMadeOfNames(password: string, email: string): boolean {
  const address = folded(email.trim());
  const name = address.split('@')[0]!;
  const text = folded(password);
  const core = text.replace(DECORATION, '');
  if (text === address || text === name) return true;
  return core !== '' && [name, name.replace(DECORATION, ''), SERVICE_NAME].includes(core);
}

/** The form in which passwords are compared with the list; the password keeps its case. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
