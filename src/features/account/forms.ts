// Words and fields that several account pages share.

import { normaliseEmail } from '../../accounts/accounts.ts';
import { UsageError } from '../../errors.ts';
import { seconds } from '../../http/requests/limits.ts';
import type { PrivateVisit } from '../../http/site/exchange.ts';
import { type Faults, type Html, html, textField, tokenField } from '../../http/views/html.ts';
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  newPasswordProblem,
  type PasswordProblem,
} from './password.ts';

export const EMAIL_HINT =
  'For example ann@example.org. We send nothing to it; it is just your account’s name.';
const PASSWORD_HINT = `${MIN_PASSWORD_LENGTH} characters or more, of any kind; 15 or more is best. The most common passwords are refused. You can paste it or use a password manager.`;

export const CODE_HINT = 'The 6 digits that your authenticator app shows, or one of your recovery codes.';
export const WRONG_CODE = 'Code is not correct, or was used before. Wait for the next one';

/** undefined: the address is valid. */
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

const PROBLEMS: Readonly<Record<PasswordProblem, string>> = {
  'too short': `Password must be ${MIN_PASSWORD_LENGTH} characters or more`,
  'too long': `Password must be ${MAX_PASSWORD_LENGTH} characters or fewer`,
  common: 'This password is easy to guess: it is very common, a repetition, or a run of keys. Choose another',
  'made of names': 'Password must be more than your address or this site’s name with digits. Choose another',
};

/** undefined: the password is acceptable for the account with this address. */
export function newPasswordFault(password: string, email: string): string | undefined {
  const problem = newPasswordProblem(password, email);
  return problem === null ? undefined : PROBLEMS[problem];
}

export function newPasswordField(
  name: string,
  label: string,
  found: Faults,
  options: { readonly hasFocus?: boolean } = {},
): Html {
  const field = { name, label, type: 'password', hint: PASSWORD_HINT, isRequired: true } as const;
  return textField({ ...field, autocomplete: 'new-password', ...options, error: found[name] });
}

/** `Wait 60 seconds, then try again`. */
export function waitWords(waitMs: number): string {
  const wait = seconds(waitMs);
  const minutes = Math.ceil(wait / 60);
  if (wait <= 120) return `Wait ${wait === 1 ? '1 second' : `${wait} seconds`}, then try again`;
  return `Wait ${minutes} minutes, then try again`;
}

export const WHAT_WE_KEEP = html`<p class="hint">What we store: your address, a hash of your password, hashes of your keys. <a href="/privacy">Privacy</a></p>`;

export function codeField(hint: string, found: Faults, options: { readonly hasFocus?: boolean } = {}): Html {
  const field = { name: 'code', label: 'Code', hint, autocomplete: 'one-time-code', isRequired: true };
  return textField({ ...field, ...options, error: found.code });
}

/**
 * A form that asks a signed-in person for the password again. `above` and `below` that field: everything else, and the
 * buttons.
 */
export function passwordForm(
  { viewer: { email, formToken } }: PrivateVisit,
  path: string,
  found: Faults,
  { above = null, below }: { readonly above?: Html | null; readonly below: Html },
): Html {
  const hint = `The password of ${email}, so that we know it is you.`;
  return html`<form method="post" action="${path}" class="stack">
${tokenField(formToken)}${usernameField(email)}
${above}${passwordField('password', 'Password', found, hint)}
${below}
</form>`;
}

export function passwordField(name: string, label: string, found: Faults, hint?: string): Html {
  const autocomplete = 'current-password';
  const field = { name, label, type: 'password', autocomplete, isRequired: true } as const;
  return textField({ ...field, ...(hint !== undefined && { hint }), error: found[name] });
}

/** Tells password managers whose password the form takes. */
export function usernameField(email: string): Html {
  return html`<input type="hidden" name="email" value="${email}" autocomplete="username">`;
}

/** `1 key, 2 sessions and 3 saved searches`. */
export function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(parts);
}
