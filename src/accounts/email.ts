// Email addresses as names of accounts.

import { UsageError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the angle brackets). */
const MAX_EMAIL_LENGTH = 254;

/**
 * One @, something on both sides, no white space, control or format characters, and none of the signs used in
 * lists.
 */
const EMAIL_SHAPE = /^[^\s\p{C}@<>()[\],;:"\\]+@[^\s\p{C}@<>()[\],;:"\\]+$/u;

/** The spelling in which addresses are compared, whether or not this is one: lower case, NFC, trimmed. */
export function comparableEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/**
 * The address in the spelling in which it is stored and compared. Throws a UsageError if it is not an
 * address.
 */
export function normaliseEmail(text: string): string {
  const email = comparableEmail(text);
  if (email.length > MAX_EMAIL_LENGTH) {
    throw new UsageError(
      `expected an email address of at most ${MAX_EMAIL_LENGTH} characters, found ${email.length}`,
    );
  }
  if (!EMAIL_SHAPE.test(email)) {
    throw new UsageError(`expected an email address such as \`ann@example.org\`, found ${quoted(text)}`);
  }
  return email;
}
