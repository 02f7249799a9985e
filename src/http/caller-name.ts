// The one name by which limits and queues know a caller.

/** The keys and the sessions of an account are one caller, and so is everybody else from one network. */
export type CallerName = `account:${string | number}` | `network:${string}`;

/** Of the owner of a key, of whoever is signed in, or else of a visitor. */
export function callerName(
  caller: { readonly accountId: string | number } | { readonly network: string },
): CallerName {
  return 'accountId' in caller ? `account:${caller.accountId}` : `network:${caller.network}`;
}
