// How lists, times and records are printed for people.

import { readableTime } from '../model/time.ts';
import type { CommentRecord, PostRecord } from '../search/presenter.ts';
import { oneLine } from '../text/quoted.ts';

/** Rows under their headings, with two spaces between columns. Ends with a line break. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  return [headings, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

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
