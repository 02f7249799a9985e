// Forms that are accepted once: a form sent twice (a double click, a page loaded again) must not make two
// keys.

import { randomBytes } from 'node:crypto';

/** How many used forms are remembered. */
const MAX_REMEMBERED = 10_000;

export class UsedOnce {
  readonly #used = new Set<string>();

  /** A number for a form, to be sent back with it. */
  newNumber(): string {
    return randomBytes(16).toString('base64url');
  }

  /** False: this account has sent the form before. Forms without a number cannot be told apart. */
  use(accountId: number, number: string): boolean {
    if (number === '') return true;
    const name = `${accountId} ${number.slice(0, 64)}`;
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > MAX_REMEMBERED) {
      const [oldest] = this.#used;
      this.#used.delete(oldest!);
    }
    return true;
  }
}
