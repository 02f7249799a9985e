// What a row of the API scenarios is.

import type { ProblemCode } from '../../../src/errors.ts';

/** Which server is asked: `../scenarios.test.ts` builds them. */
export type ServerName = 'plain' | 'limited' | 'windowless' | 'slow' | 'broken';
export type KeyName = 'good' | 'other' | 'expired' | 'revoked';

export interface Scenario {
  readonly rule: string;
  /** `plain` where absent. */
  readonly server?: ServerName;
  /** `GET` where absent. */
  readonly method?: string;
  /** The posts' endpoint where absent. */
  readonly path?: string;
  /** Behind the `?`, as it goes over the wire; absent: nothing. */
  readonly query?: string;
  /** `good` where absent; null: no key. */
  readonly key?: KeyName | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Asked so many times before the request that counts. */
  readonly after?: number;
  readonly status: number;
  readonly code?: ProblemCode;
  /** Offset and length. */
  readonly position?: readonly [offset: number, length: number];
  /** That the position names. */
  readonly parameter?: 'under';
  readonly detail?: RegExp;
  readonly answer?: ExpectedAnswer;
  /** Headers of the answer; null: absent. */
  readonly sends?: Readonly<Record<string, string | RegExp | null>>;
}

export interface ExpectedAnswer {
  readonly total?: number;
  readonly ids?: readonly string[];
  readonly echo?: string;
  /** null: absent. */
  readonly under?: string | null;
  /** As JSON. */
  readonly data?: string | RegExp;
  readonly sortKey?: readonly (readonly number[])[];
}

export const POSTS_PATH = '/api/v1/search/posts';
export const COMMENTS_PATH = '/api/v1/search/comments';
