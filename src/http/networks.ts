// Addresses and the networks that they are in.

import { isIP } from 'node:net';

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

/**
 * An IPv4 address as IPv6 has it (`::ffff:10.0.0.1`) is an IPv4 address; some proxies add brackets and a
 * port. Empty if there is no address, as for a caller who hung up.
 */
export function plainAddress(address: string | undefined): string {
  return (address ?? '')
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');
}
