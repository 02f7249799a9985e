// An engine that refuses a question knows the queries, not the texts they were read from: here its limit becomes an
// error of the API, with the place of the word. Limits of what no endpoint asks for stay what they are.

import { type Position, ServiceError } from '../errors.ts';
import { EngineLimit } from '../model/engine-errors.ts';
import { parse } from './language/parser.ts';

/** Runs `ask`; a limit that the engine names is told of `text`, or of `under`, which the question was read from. */
export async function tellingLimits<T>(text: string, ask: () => Promise<T>, under = ''): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineLimit)) throw error;
    const { reached, message } = error;
    if (reached.limit === 'posts_under') throw new ServiceError('too_many_posts', message, { cause: error });
    if (reached.limit !== 'prefix_tokens') throw error;
    const { isUnder = false, word } = reached;
    const position = placeOfPrefix(isUnder ? under : text, word.prefix);
    throw new ServiceError('prefix_too_broad', isUnder ? `parameter \`under\`: ${message}` : message, {
      ...(position && { position: isUnder ? { ...position, parameter: 'under' } : position }),
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
