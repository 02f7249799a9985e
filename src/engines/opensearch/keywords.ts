// Names as keywords of an index. OpenSearch refuses a document with a keyword of more than 32,766 bytes; what a record
// is found and counted by may be longer where an older version of Colloquy stored it.

import { createHash } from 'node:crypto';

/** In UTF-16 units, of at most 3 bytes each: below that bound with what stands behind. No query is as long. */
const MAX_UNITS = 8_000;

/** No name has it: texts come in without it. */
const CUT = '\0';

/** The name itself, or, where it is too long for one, its beginning and a digest of the whole. */
export function keywordOf(name: string): string {
  if (name.length <= MAX_UNITS) return name;
  const digest = createHash('sha256').update(name).digest('hex');
  return `${name.slice(0, MAX_UNITS).toWellFormed()}${CUT}${digest}`;
}

/** Whether it stands for a longer name. */
export function isCutKeyword(keyword: string): boolean {
  return keyword.includes(CUT);
}
