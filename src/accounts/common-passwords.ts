// Passwords that are guessed first: the most common ones, repeats and runs, and those made of what everybody knows
// about an account.

import { readFileSync } from 'node:fs';

/** What may stand in front of and behind a word without making a password of it. */
const DECORATION = /^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu;

/** Of English, French, German and Russian keyboards. Nine and zero are neighbours too. */
const KEY_ROWS =
  'qwertyuiop asdfghjkl zxcvbnm azerty qsdfghjklm wxcvbn qwertz yxcvbnm йцукенгшщзхъ фывапролджэ ячсмитьбю 90 !@#$%^&*()';

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
 * Whether it repeats one short piece, or falls into runs: each four characters and more, of which every one is beside
 * the one before it in an alphabet, among the digits or in a row of keys, up, down or the same. The list lacks them.
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

/** As passwords are compared with the list; the password itself keeps its case. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
