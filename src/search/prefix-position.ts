// An engine that refuses a prefix knows the query, not the text it was read from: here its place is added.

import { type Position, ServiceError } from '../errors.ts';
import { PrefixTooBroadError } from '../model/prefix-limit.ts';
import { parse } from './language/parser.ts';

/** Runs `ask`; a `prefix_too_broad` of it gets the place of the item that holds the prefix. */
export async function locatingPrefixes<T>(text: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PrefixTooBroadError)) throw error;
    const position = placeOfPrefix(text, error.word.prefix);
    if (position === undefined) throw error;
    throw new ServiceError(error.code, error.message, { position, cause: error });
  }
}

/** Of the first item that holds it. */
function placeOfPrefix(text: string, prefix: string): Position | undefined {
  for (const item of parse(text).items) {
    if (item.kind !== 'understood') continue;
    const words = item.meaning.flatMap((part) => (part.kind === 'words' ? part.words : []));
    if (words.some((word) => word.kind === 'prefix' && word.prefix === prefix)) return item.position;
  }
  return undefined;
}
