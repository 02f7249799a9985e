// How a cluster is reached and laid out, as the operator sets it.

export interface OpenSearchSettings {
  /** Addresses of nodes, `http://` or `https://`; at least one. Requests go round among them. */
  readonly nodes: readonly string[];
  /** In front of the names of all indices: lower case. One for each data folder. */
  readonly prefix: string;
  /** Primary shards of the index of a kind, 1 to 1024; they are fixed when it is made. */
  readonly shards: number;
  /** Copies of each shard besides the primary, 0 to 10. */
  readonly replicas: number;
  /** null: no sign-in. */
  readonly signIn: { readonly user: string; readonly password: string } | null;
  /** Certificates in PEM that sign those of the nodes; null: those that Node knows. */
  readonly ca: string | null;
}

/** Whether the node of this address can be reached on this machine alone. */
export function isOnThisMachine(node: string): boolean {
  // URL writes every form of an IPv4 address (`127.1`, `2130706433`) as four numbers.
  return /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(new URL(node).hostname);
}
