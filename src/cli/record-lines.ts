// Records for people, as the search page lists them.

import { readableTime } from '../model/time.ts';
import type { CommentRecord, PostRecord } from '../search/presenter.ts';
import { oneLine } from '../text/quoted.ts';

/** Characters of a record's text. */
const MAX_SHOWN = 200;

/** Three lines a record: community, time and score, its title or text, its address. */
export function linesOfRecords(records: readonly (PostRecord | CommentRecord)[]): string {
  const lines = records.map((record) => {
    const time = readableTime(record.created_utc);
    const where = `/r/${record.subreddit.name}  ${time}  ${record.score} score`;
    const text = record.type === 'post' ? record.title : record.body;
    return `${where}\n    ${oneLine(text, MAX_SHOWN)}\n    ${record.permalink}\n`;
  });
  return lines.join('');
}
