// Which changes of a record make it come in again.

import { type StoredRecord, searchedTexts } from './record.ts';

/**
 * Whether a record that takes the place of another of its id is news: its text, title, URL or withdrawal is another. A
 * new score, rating or parent alone is not, or every import of newer scores would be news.
 */
export function isNews(before: StoredRecord, after: StoredRecord): boolean {
  if (before.withdrawn !== after.withdrawn || urlOf(before) !== urlOf(after)) return true;
  const texts = searchedTexts(before);
  return searchedTexts(after).some((text, i) => text !== texts[i]);
}

function urlOf(record: StoredRecord): string | null {
  return record.kind === 'post' ? record.url : null;
}
