// What a server tells its operator, kept in memory for tests.

import type { SecurityEvent } from '../../src/accounts/security-log.ts';
import { Seen, type SeenDeps } from '../../src/features/monitoring/watcher.ts';
import type { Visitors } from '../../src/http/requests/caller.ts';
import type { ServerDeps } from '../../src/http/server.ts';

export type Line = Readonly<Record<string, unknown>>;

export interface Heard {
  readonly lines: Line[];
  readonly security: (SecurityEvent & Line)[];
  readonly told: SeenDeps;
  /** Of a server. */
  readonly deps: Pick<ServerDeps, 'watch' | 'security'>;
}

/** Everything is told, unless another is set. */
export function listen(settings: Partial<SeenDeps> = {}): Heard {
  const lines: Line[] = [];
  const security: Heard['security'] = [];
  const told: SeenDeps = {
    lines: {
      write: (fields) => lines.push(fields),
      figures: () => ({ lost: 0 }),
    },
    security: (event) => security.push({ ...event }),
    requests: 'on',
    slowMs: 0,
    metrics: { kind: 'loopback' },
    ...settings,
  };
  const watch = (visitors: Visitors) => new Seen(told, visitors);
  return { lines, security, told, deps: { watch, security: told.security } };
}
