// An endpoint as it is asked, by a program with a key or by a page for somebody who is signed in.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerName } from './caller-name.ts';

/** Sends the answer. */
export type AskEndpoint = (
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Who asks for what. */
export interface Asked {
  readonly caller: CallerName;
  readonly accountId: number | string;
  /** Whether the key or session is still valid. */
  readonly mayAsk: () => boolean | Promise<boolean>;
  /** The address whose query string has the parameters. */
  readonly address: string;
  /** Parts of the path that the route names, decoded. */
  readonly pathParts: Readonly<Record<string, string>>;
  /** The header of the request that the answer depends on. */
  readonly vary: 'Authorization' | 'Cookie';
}
