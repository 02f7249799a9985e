import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Visitors } from '../../http/requests/caller.ts';
import { HalfSessions } from './second-factors.ts';

/** A browser of its own, as far as cookies go. */
class Jar {
  cookie = '';
  readonly set: string[] = [];

  request(): FastifyRequest {
    const { cookie } = this;
    const request = { headers: { cookie }, raw: { headers: {}, socket: {} }, socket: {}, host: '' };
    return request as unknown as FastifyRequest;
  }

  reply(): FastifyReply {
    const header = (_: string, value: string) => {
      this.set.push(value);
      this.cookie = value.split(';')[0]!;
    };
    return { header } as unknown as FastifyReply;
  }
}

describe('half-sessions', () => {
  const open = (publicUrl: string | null = null) =>
    new HalfSessions(new Visitors({ publicUrl, trustedProxies: [] }));
  const start = (halves: HalfSessions, accountId: number) => {
    const jar = new Jar();
    halves.start(jar.request(), jar.reply(), { accountId, passwordMark: 'x', returnTo: '/' });
    return jar;
  };

  it('of one account 20 are kept, the oldest make way, and those of others stay', () => {
    const halves = open();
    const other = start(halves, 2);
    const jars = Array.from({ length: 22 }, () => start(halves, 1));
    const there = jars.map((jar) => halves.of(jar.request()) !== null);
    assert.deepEqual(there, [false, false, ...new Array(20).fill(true)]);
    assert.equal(halves.of(other.request())?.accountId, 2);
  });

  it('the cookie is bound to the host over TLS', () => {
    const halves = open('https://search.example.org');
    const [cookie] = start(halves, 1).set;
    assert.match(cookie!, /^__Host-colloquy_half=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
  });
});
