// `npm run advisories`: known advisories about packages that Colloquy runs with or is developed with. Exit codes: 0
// none of severity high or more; 1 some; 77 the configured registry gives no answer.

import { fileURLToPath } from 'node:url';
import { npm } from './npm.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

export interface AuditOutcome {
  readonly code: 0 | 1 | 77;
  /** One line. */
  readonly words: string;
}

/** What `npm audit --json` printed, and its exit code. */
export function auditOutcome(out: string, code: number | null): AuditOutcome {
  let answer: { readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> } } = {};
  try {
    answer = JSON.parse(out);
  } catch {
    // npm failed before it printed a result.
  }
  if (answer.metadata === undefined) {
    return { code: 77, words: 'the registry that is set tells no advisories: nothing was checked' };
  }
  const { total = 0, high = 0, critical = 0 } = answer.metadata.vulnerabilities;
  const words = `${total} advisories, ${high + critical} of them high or critical`;
  return { code: code === 0 || high + critical === 0 ? 0 : 1, words };
}

/** Asks the configured registry. `out`: what npm printed. */
export function audit(): AuditOutcome & { readonly out: string } {
  const { out, code } = npm(['audit', '--audit-level=high', '--json'], project);
  return { ...auditOutcome(out, code), out };
}

if (import.meta.main) {
  const { out, ...outcome } = audit();
  process.stderr.write(`${outcome.words}\n`);
  if (outcome.code === 1) process.stdout.write(out);
  process.exitCode = outcome.code;
}
