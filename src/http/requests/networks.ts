// Addresses and the networks that they are in.

import { isIP } from 'node:net';

/** An IPv4 address as IPv6 has it is in the network ::ffff:0:0/96 (RFC 4291, 2.5.5.2). */
const MAPPED = [0, 0, 0, 0, 0, 0xffff];

/**
 * An IPv4 address as IPv6 has it (`::ffff:10.0.0.1`, `::ffff:a00:1`) is an IPv4 address; some proxies add
 * brackets and a port. Empty if there is no address, as for a caller who hung up.
 */
export function plainAddress(address: string | undefined): string {
  const bare = (address ?? '')
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  if (isIP(bare) !== 6) return bare;
  const groups = groupsOf(bare);
  if (MAPPED.some((group, at) => groups[at] !== group)) return bare;
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
  return bytes.join('.');
}

/** What shares one limit: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressGroup(address: string): string {
  return isIP(address) === 6 ? nameOf(groupsOf(address), 64) : address;
}

/** The /56 and the /48 that this /64 is in, by their names; none for anything else that shares one limit. */
export function widerNetworks(network: string): readonly string[] {
  if (!network.endsWith('::/64')) return [];
  const groups = groupsOf(network.slice(0, -'/64'.length));
  return [nameOf(groups, 56), nameOf(groups, 48)];
}

/** `2001:db8:1:2::/64`: always four groups, of which those beyond the bits are 0. */
function nameOf([a, b, c, d]: readonly number[], bits: 64 | 56 | 48): string {
  const last = { 64: d!, 56: d! & 0xff00, 48: 0 }[bits];
  return `${[a!, b!, c!, last].map((group) => group.toString(16)).join(':')}::/${bits}`;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const [before, after] = [readGroups(head), readGroups(tail ?? '')];
  return [...before, ...new Array(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

/** The last may be an IPv4 address, which is two groups. */
function readGroups(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number);
    return [a! * 256 + b!, c! * 256 + d!];
  });
}
