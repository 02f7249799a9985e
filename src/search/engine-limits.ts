// An engine that refuses a question knows the queries, not the texts they were read from: here its limit becomes an
// error of the API, with the place of the word.

import { type Position, type ProblemCode, ServiceError } from '../errors.ts';
import { EngineLimit, type LimitReached } from '../model/engine-errors.ts';
import { parse } from './language/parser.ts';

interface AskedTexts {
  readonly query: string | readonly string[];
  readonly under?: string;
  readonly against?: string;
}

/** Runs `ask`; a limit that the engine names is told of `text`, or of `under`, which the question was read from. */
export function tellingLimits<T>(text: string, ask: () => Promise<T>, under = ''): Promise<T> {
  return tellingLimitsOf({ query: text, under }, ask);
}

/** The same where there may be several queries: the place of a word says in which it stands. */
export async function tellingLimitsOf<T>(asked: AskedTexts, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineLimit)) throw error;
    const { reached, message } = error;
    const code = CODES[reached.limit];
    if (reached.limit !== 'prefix_tokens') throw new ServiceError(code, message, { cause: error });
    const { isUnder = false, word } = reached;
    const inQuery = isUnder ? undefined : placeAmong(asked.query, word.prefix);
    if (!isUnder && (inQuery !== undefined || !asked.against)) {
      throw new ServiceError(code, message, { ...(inQuery && { position: inQuery }), cause: error });
    }
    const parameter = isUnder ? 'under' : 'against';
    const position = placeOfPrefix(asked[parameter] ?? '', word.prefix);
    throw new ServiceError(code, `parameter \`${parameter}\`: ${message}`, {
      ...(position && { position: { ...position, parameter } }),
      cause: error,
    });
  }
}

const CODES: Readonly<Record<LimitReached['limit'], ProblemCode>> = {
  prefix_tokens: 'prefix_too_broad',
  posts_under: 'too_many_posts',
  timeline_buckets: 'too_many_buckets',
  breakdown_cells: 'too_many_cells',
  coverage_cells: 'too_many_cells',
  copied_records: 'too_many_matches',
  not_here: 'not_on_this_engine',
  sample_groups: 'sample_too_large',
  sample_bytes: 'sample_too_large',
  named_bytes: 'records_too_large',
};

function placeAmong(texts: string | readonly string[], prefix: string): Position | undefined {
  if (typeof texts === 'string') return placeOfPrefix(texts, prefix);
  for (const [query, text] of texts.entries()) {
    const position = placeOfPrefix(text, prefix);
    if (position !== undefined) return texts.length === 1 ? position : { query, ...position };
  }
  // uncovered: the engine names a word of one of them
  return undefined;
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
