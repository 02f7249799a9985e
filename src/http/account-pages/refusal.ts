// The answer to too many wrong passwords: the form again, and how long to wait.

import { seconds } from '../limit.ts';
import type { Answer } from './answer.ts';
import { type Faults, waitWords } from './words.ts';

type PageAnswer = Answer & { kind: 'page' };

/** `form` makes the page with these faults and this status. */
export function tooManyTries(
  waitMs: number,
  form: (found: Faults, status: number) => PageAnswer,
): PageAnswer {
  const words = `Too many failed attempts. ${waitWords(waitMs)}`;
  return { ...form({ form: words }, 429), retryAfter: seconds(waitMs) };
}
