// An engine that refuses a question knows the query, not the text it was read from: here its limit becomes an error of the
// API, with the place of the word. Limits of what no endpoint asks for stay what they are.

import { type Position, ServiceError } from '../errors.ts';
import { EngineLimit } from '../model/engine-errors.ts';
import { parse } from './language/parser.ts';

/** Runs `ask`; a limit that the engine names is told of `text`, which the question was read from. */
export async function tellingLimits<T>(text: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineLimit) || error.reached.limit !== 'prefix_tokens') throw error;
    const position = placeOfPrefix(text, error.reached.word.prefix);
    throw new ServiceError('prefix_too_broad', error.message, {
      ...(position && { position }),
      cause: error,
    });
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
