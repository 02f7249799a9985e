// Limits of breakdowns, and of what is told by name beside them.

/** Buckets of all rows of a breakdown together, or of all communities of a coverage. */
export const MAX_CELLS = 100_000;
/** Matches among which copies are looked for. */
export const MAX_COPIED = 2_000_000;
/** Of the text of a copy that is the name of its row: longer ones are cut at a character. */
export const COPY_NAME_CHARACTERS = 200;
