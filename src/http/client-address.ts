// Which address a request comes from: the connection's, or what trusted proxies say of it.

import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Addresses and networks (`10.0.0.0/8`, `::1`) of proxies whose `X-Forwarded-For` is believed. */
export function proxyList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The last address on the way here that is not a trusted proxy. */
export function clientAddress(request: FastifyRequest, proxies: BlockList): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',');
  const way = forwarded.split(',').map((address) => address.trim());
  let current = plain(request.socket.remoteAddress ?? '');
  while (isIP(current) !== 0 && proxies.check(current, isIP(current) === 6 ? 'ipv6' : 'ipv4')) {
    const before = plain(way.pop() ?? '');
    if (isIP(before) === 0) break;
    current = before;
  }
  return current;
}

/** What shares one limit: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':')}::/64`;
}

/** An IPv4 address as IPv6 has it (`::ffff:10.0.0.1`) is an IPv4 address; some proxies add brackets and a port. */
function plain(address: string): string {
  return address
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');
}
