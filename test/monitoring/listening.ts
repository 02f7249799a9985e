// What a server tells its operator, kept in memory for tests.

import type { SecurityEvent } from '../../src/accounts/security-log.ts';
import type { SeenDeps } from '../../src/http/seen/seen.ts';

export type Line = Readonly<Record<string, unknown>>;

export interface Heard {
  readonly lines: Line[];
  readonly security: (SecurityEvent & Line)[];
  readonly deps: SeenDeps;
}

/** Everything is told, unless another is set. */
export function listen(settings: Partial<SeenDeps> = {}): Heard {
  const lines: Line[] = [];
  const security: Heard['security'] = [];
  const deps: SeenDeps = {
    lines: {
      write: (fields) => lines.push(fields),
      figures: () => ({ lost: 0 }),
      [Symbol.asyncDispose]: async () => undefined,
    },
    security: (event) => security.push({ ...event }),
    requests: 'on',
    slowMs: 0,
    metrics: { kind: 'loopback' },
    sources: [],
    ...settings,
  };
  return { lines, security, deps };
}
