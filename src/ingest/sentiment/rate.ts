// The sentiment of a comment: VADER's compound where there is English to judge. Contract 5.2.

import { isReliablyEnglish } from './english.ts';
import { compound } from './vader.ts';

/** Links say nothing of the language. */
const LINK = /(^|\s)https?:\/\/\S+/gi;

/**
 * −1 to 1, 4 decimals; null where unrated: empty or withdrawn, fewer than two words outside links, or not reliably
 * English. The body is rated as it is stored: links and entities included.
 */
export function rate(body: string): number | null {
  if (body === '' || body === '[deleted]' || body === '[removed]') return null;
  const judged = body.includes('://') ? body.replace(LINK, ' ') : body;
  return isReliablyEnglish(judged) ? compound(body) : null;
}
