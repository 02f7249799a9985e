// What a row of the API scenarios is.

import { PROBLEMS, type ProblemCode } from '../../../src/errors.ts';

/** Which server is asked: `../scenarios.test.ts` builds them. */
export type ServerName = 'plain' | 'limited' | 'windowless' | 'slow' | 'broken';
export type KeyName = 'good' | 'other' | 'expired' | 'revoked';

type Position = readonly [offset: number, length: number];

export interface Scenario {
  readonly rule: string;
  /** `plain` where absent. */
  readonly server?: ServerName;
  /** `GET` where absent. */
  readonly method?: string;
  /** The posts' endpoint where absent. */
  readonly path?: string;
  /** Behind the `?`, as it goes over the wire; null: nothing. */
  readonly query: string | null;
  /** `good` where absent; null: no key. */
  readonly key?: KeyName | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Asked so many times before the request that counts. */
  readonly after?: number;
  readonly status: number;
  readonly code?: ProblemCode;
  readonly position?: Position;
  /** That the position names. */
  readonly parameter?: 'under';
  readonly detail?: RegExp;
  /** Headers of the answer; null: absent. */
  readonly sends?: Readonly<Record<string, string | RegExp | null>>;

  /** Of the page that is answered. */
  readonly total?: number;
  readonly ids?: readonly string[];
  readonly echo?: string;
  /** null: absent. */
  readonly under?: string | null;
  /** As JSON. */
  readonly data?: string | RegExp;
  readonly sortKey?: readonly (readonly number[])[];
}

type Rest = Omit<Scenario, 'rule' | 'query' | 'status' | 'code'>;

/** A row that is answered with 200. */
export function answered(rule: string, query: string | null, rest: Rest = {}): Scenario {
  return { rule, query, status: 200, ...rest };
}

/** A row that is refused, with the status of its code. `told`: what the detail says, or its position, or more. */
export function refused(
  rule: string,
  query: string | null,
  code: ProblemCode,
  told: RegExp | Position | Rest = {},
): Scenario {
  const rest = told instanceof RegExp ? { detail: told } : 'length' in told ? { position: told } : told;
  return { rule, query, status: PROBLEMS[code].status, code, ...rest };
}

export const POSTS_PATH = '/api/v1/search/posts';
export const COMMENTS_PATH = '/api/v1/search/comments';
