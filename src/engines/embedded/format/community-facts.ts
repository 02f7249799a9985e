// What records say of their communities: of each a community by name, the id that the record gives it, and (posts)
// whether the record is adult. Inside a segment each of these has a number, its place, so that a column of 16 bits
// holds it.

export interface CommunityFacts {
  readonly community: string;
  readonly communityId: string;
  readonly adult: boolean | null;
}

export function factsKey({ community, communityId, adult }: CommunityFacts): string {
  return `${community}\0${communityId}\0${adult}`;
}

/** As JSON: an array of three for each. */
export function encodeFacts(facts: readonly CommunityFacts[]): Uint8Array {
  return Buffer.from(
    JSON.stringify(facts.map(({ community, communityId, adult }) => [community, communityId, adult])),
  );
}

export function decodeFacts(bytes: Uint8Array): CommunityFacts[] {
  const rows = JSON.parse(Buffer.from(bytes).toString()) as [string, string, boolean | null][];
  return rows.map(([community, communityId, adult]) => ({ community, communityId, adult }));
}
