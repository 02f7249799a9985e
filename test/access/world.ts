// A server with everything that one can have, people and programs of every sort that ask it, and what is private.

import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { cite } from '../../src/features/citing/service.ts';
import { savedOf } from '../../src/features/saved/store.ts';
import { KINDS } from '../../src/model/record.ts';
import { DAY } from '../../src/model/time.ts';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { listen } from '../api/listening.ts';
import { serverOver } from '../archive.ts';
import { earlier } from '../clock.ts';
import { define, make, openData } from '../datasets/house.ts';
import { temporaryFolder } from '../helpers.ts';

/** `owner` and `other` are signed in; `key` and the keys that do not hold any more are the owner's. */
export const ROLES = [
  ...(['visitor', 'ended session', 'unknown key', 'revoked key', 'expired key', 'key'] as const),
  ...(['owner', 'other'] as const),
];

export type Role = (typeof ROLES)[number];

/** In answers to nobody but the owner: the address, the name of a key, the name of a browser. */
export const PRIVATE = ['cleo@example.net', 'kettle', 'Toaster/1.0'];

export interface World extends AsyncDisposable {
  readonly server: FastifyInstance;
  ask(role: Role, request: InjectOptions): Promise<LightMyRequestResponse>;
}

/** What a folder holds once it is made, with the secrets of all roles. */
interface Furnished {
  /** Numbers of a key and a session of the owner, for addresses. */
  readonly keyId: number;
  readonly sessionId: number;
  /** Of a citation. */
  readonly citationId: string;
  /** Of a saved search of the owner, and the token of its feed. */
  readonly savedId: number;
  readonly feedToken: string;
  readonly headers: Readonly<Record<Role, Record<string, string>>>;
}

/** Two servers on one folder, one after the other: the first may write, the second only reads. */
export async function openWorld(folder: string, furnished: Furnished, isReadOnly: boolean): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const opening = { ...readConfig({}), dataFolder: folder, threads: 0 };
  const reading = isReadOnly ? { toRead: true, isReadOnly } : {};
  const app = opened.use(await openApp(opening, reading));
  const config = { ...app.config, ...SETTINGS };
  const server = await serverOver({ ...app, config }, listen().deps);
  opened.defer(() => server.close());
  const owned = opened.move();
  let asked = 0;
  return {
    server,
    // Each time from another address: the limits of visitors have tests of their own.
    ask: (role, { headers, ...request }) => {
      asked++;
      return server.inject({
        remoteAddress: `10.0.${asked >> 8}.${asked & 255}`,
        ...request,
        headers: { ...headers, ...furnished.headers[role] },
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Records, a data set, two accounts, and a key or session of every sort. */
export async function furnish(folder: string): Promise<Furnished> {
  await using app = await openData(folder);
  await app.engine.index('post', packRecords(POSTS));
  await app.engine.index('comment', packRecords(COMMENTS));
  define(app, { name: 'all', query: '', formats: ['ndjson.zst'] });
  await make(app, 'all');
  const wish = { query: 'cats', kinds: KINDS, note: null };
  const { citation } = await cite(app, wish);
  const { accounts } = app;
  const [owner = 0, other = 0] = [
    await credentialsOf(accounts).register(PRIVATE[0]!, 'a password of cleo'),
    await credentialsOf(accounts).register('bob@example.net', 'a password of bob'),
  ].map((id) => id ?? 0);
  const { id: keyId } = accounts.createKeyFor(owner, { name: PRIVATE[1]!, expiresInDays: null });
  const { key } = accounts.createKeyFor(owner, { name: 'in use', expiresInDays: null });
  const revoked = accounts.createKeyFor(owner, { name: 'revoked', expiresInDays: null });
  accounts.keys.revoke(revoked.id);
  const expired = earlier(2 * DAY, () => accounts.createKeyFor(owner, { name: 'expired', expiresInDays: 1 }));
  const sessionId = accounts.sessions.check(accounts.sessions.start(owner, PRIVATE[2]!))!.sessionId;
  const ended = accounts.sessions.start(owner, 'ended');
  accounts.sessions.end(accounts.sessions.check(ended)!.sessionId, owner);
  const { id: savedId } = savedOf(accounts).add(owner, {
    ...{ name: 'tureen', kind: 'post', query: 'cats', order: 'newest' },
  });
  const feedToken = savedOf(accounts).makeFeed(owner, savedId)!;
  const withKey = (text: string) => ({ authorization: `Bearer ${text}` });
  const withSession = (token: string) => ({ cookie: `colloquy_session=${token}` });
  return {
    ...{ keyId, sessionId, savedId, feedToken, citationId: citation.id },
    headers: {
      visitor: {},
      'ended session': withSession(ended),
      'unknown key': withKey('clq_00000000000000000000000000000000000000'),
      'revoked key': withKey(revoked.key),
      'expired key': withKey(expired.key),
      key: withKey(key),
      owner: withSession(accounts.sessions.start(owner, 'a browser')),
      other: withSession(accounts.sessions.start(other, 'a browser')),
    },
  };
}

const SETTINGS = {
  publicUrl: 'http://localhost:80',
  ofFeatures: { COLLOQUY_PUBLIC_FEEDS: 'on', COLLOQUY_MCP: 'on' },
  queryTimeoutMs: 60_000,
};

/** A folder in which a world can be. */
export function newFolder(): Disposable & { readonly path: string } {
  const folder = temporaryFolder();
  return { path: join(folder.path, 'data'), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}
