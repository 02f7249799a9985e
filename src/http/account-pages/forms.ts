// What is wrong with a form, in words for people, and parts of forms that several account pages share.

import { randomBytes } from 'node:crypto';
import { normaliseEmail } from '../../accounts/accounts.ts';
import { MAX_NAME_LENGTH } from '../../accounts/api-key.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, newPasswordProblem } from '../../accounts/password.ts';
import { UsageError } from '../../errors.ts';
import { seconds } from '../limits/rate-limits.ts';
import { errorSummary, textField } from '../views/forms.ts';
import { type Html, html } from '../views/html.ts';

/** On the pages of a server that writes nothing. */
export const READ_ONLY = 'This server only reads its data, so nothing about accounts can be changed here.';

/** What is wrong with a form, by the name of the field; `form`: with no particular field. */
export type Faults = Readonly<Record<string, string>>;

export const NO_FAULTS: Faults = {};

export const EMAIL_HINT =
  'For example ann@example.org. We send nothing to it; it is just your account’s name.';
const PASSWORD_HINT = `${MIN_PASSWORD_LENGTH} characters or more, of any sort, but none of the most common passwords; 15 or more is best. You can paste it or use a password manager.`;

/** For the field of a code, where recovery codes are taken too. */
export const CODE_HINT = 'The 6 digits that your authenticator app shows, or one of your recovery codes.';
export const WRONG_CODE = 'Code is not correct, or was used before. Wait for the next one';

/** undefined: it is a valid address. */
export function emailFault(email: string): string | undefined {
  try {
    normaliseEmail(email);
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return email.trim() === ''
      ? 'Enter your email address'
      : 'Enter an email address, for example ann@example.org';
  }
}

/** undefined: it can be the name of a key or a saved search. `missing`: what is said where there is none. */
export function nameFault(name: string, missing: string): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return missing;
  if ([...trimmed].length > MAX_NAME_LENGTH) return `Name must be ${MAX_NAME_LENGTH} characters or fewer`;
  if (/\p{C}/u.test(trimmed)) return 'Name must contain visible characters only';
  return undefined;
}

/** undefined: it is acceptable as a new password of the account with this address. */
export function newPasswordFault(password: string, email: string): string | undefined {
  switch (newPasswordProblem(password, email)) {
    case null:
      return undefined;
    case 'too short':
      return `Password must be ${MIN_PASSWORD_LENGTH} characters or more`;
    case 'too long':
      return `Password must be ${MAX_PASSWORD_LENGTH} characters or fewer`;
    case 'common':
      return 'This password is one of the most common ones, a repeat or a run of keys, which are guessed first. Choose another';
    case 'made of names':
      return 'Password must be more than your address or the name of this site with digits. Choose another';
  }
}

/** The field for a new password, with what is wrong with it. */
export function newPasswordField(
  name: string,
  label: string,
  found: Faults,
  options: { readonly hasFocus?: boolean } = {},
): Html {
  return textField({
    name,
    label,
    type: 'password',
    hint: PASSWORD_HINT,
    autocomplete: 'new-password',
    isRequired: true,
    ...options,
    error: found[name],
  });
}

/** The faults that exist. */
export function faults(found: Readonly<Record<string, string | undefined>>): Faults {
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function hasFaults(found: Faults): boolean {
  return Object.keys(found).length > 0;
}

/** Shown at the top of the page; nothing if nothing is wrong. */
export function faultSummary(found: Faults): Html | null {
  if (!hasFaults(found)) return null;
  return errorSummary(
    Object.entries(found).map(([field, text]) => (field === 'form' ? { text } : { field, text })),
  );
}

/** `Error: ` before the title, so that it is heard first. */
export function titleWith(found: Faults, title: string): string {
  return hasFaults(found) ? `Error: ${title}` : title;
}

/** `Wait 60 seconds, then try again`. */
export function waitWords(waitMs: number): string {
  const wait = seconds(waitMs);
  const minutes = Math.ceil(wait / 60);
  if (wait <= 120) return `Wait ${wait === 1 ? '1 second' : `${wait} seconds`}, then try again`;
  return `Wait ${minutes} minutes, then try again`;
}

/** What is stored about an account, shown where one is made. */
export const WHAT_WE_KEEP = html`<p class="hint">What we store: your address, a hash of your password, hashes of your keys. <a href="/privacy">Privacy</a></p>`;

/** The field in which somebody signed in shows that it is they: with the password of their account. */
export function ownPasswordField(email: string, found: Faults): Html {
  return textField({
    name: 'password',
    label: 'Password',
    type: 'password',
    hint: `The password of ${email}, so that we know it is you.`,
    autocomplete: 'current-password',
    isRequired: true,
    error: found.password,
  });
}

/** How many used forms are remembered. */
const MAX_REMEMBERED = 10_000;

/** Forms that are accepted once: a form sent twice (a double click, a page loaded again) must not make two keys. */
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
