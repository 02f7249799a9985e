// Bytes that end in an error, for readers that still have data to return.

/** How the bytes ended: `error` is null at a regular end. */
export interface Ending {
  error: unknown;
}

/** The chunks; an error ends them like an end, and is left in `ending`. */
export async function* chunksUntilError(
  bytes: AsyncIterable<Buffer>,
  ending: Ending,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    ending.error = error;
  }
}
