// The host of the server's public address, as names that must last contain it.

/**
 * As a tag URI may name it (RFC 4151, 2.1): in lower case, without a port. null: it is an address of IPv6, which a tag
 * URI cannot name, or there is no public address.
 */
export function tagHost(publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const { hostname } = new URL(publicUrl);
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(hostname) ? hostname : null;
}
