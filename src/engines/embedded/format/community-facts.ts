// What records say about their communities: each fact is a community by name, the id that the record gives
// it, and (for posts) whether the record is adult. Inside a segment each fact has a number, its place, which
// fits into a column of 16 bits.

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
  const rows = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as [
    string,
    string,
    boolean | null,
  ][];
  return rows.map(([community, communityId, adult]) => ({ community, communityId, adult }));
}
