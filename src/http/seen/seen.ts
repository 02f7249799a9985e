// What the operator is told of requests: metrics, lines, and the security log. One place for what other parts of the
// server count: `add`.

import type { FastifyInstance } from 'fastify';
import type { SecurityLog } from '../../accounts/security-log.ts';
import type { FamilySource } from '../../metrics/families.ts';
import type { Visitors } from '../visitor.ts';
import { addMetricsRoute, type MetricsReaders } from './metrics-route.ts';
import { type RequestLineDeps, requestTeller } from './request-lines.ts';
import { RequestWatch } from './request-watch.ts';

export interface SeenDeps extends Omit<RequestLineDeps, 'visitors'> {
  readonly security: SecurityLog;
  /** null: nobody; there is no such path then. */
  readonly metrics: MetricsReaders | null;
  /** What is told of the program besides the server. */
  readonly sources: readonly FamilySource[];
}

/** Watches all that is added to the server from now on. */
export class Seen {
  readonly watch: RequestWatch;
  readonly #deps: SeenDeps;
  readonly #visitors: Visitors;
  readonly #sources: FamilySource[];

  constructor(deps: SeenDeps, visitors: Visitors) {
    this.#deps = deps;
    this.#visitors = visitors;
    const tell = requestTeller({ ...deps, visitors });
    this.watch = new RequestWatch({ visitors, security: deps.security, tell });
    this.#sources = [() => this.watch.families(), ...deps.sources];
  }

  /** Further metrics, asked for whenever somebody reads them. */
  add(source: FamilySource): void {
    this.#sources.push(source);
  }

  addRoute(server: FastifyInstance): void {
    const { metrics } = this.#deps;
    if (metrics !== null) addMetricsRoute(server, metrics, this.#visitors, this.#sources);
  }
}
