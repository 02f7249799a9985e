// Passwords that are guessed first: the most common ones, and those made of what everybody knows about an account.

import { readFileSync } from 'node:fs';

/** What may stand in front of and behind a word without making a password of it. */
const DECORATION = /^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu;

/** What people call the service. */
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

/** As passwords are compared with the list; the password itself keeps its case. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
