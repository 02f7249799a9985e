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

/** `1 post matches solar`, `2 comments match (everything), under posts that match heat`. `kinds`: posts or comments. */
export function matchWords(kinds: string, total: number, query: string, under?: string): string {
  const matches = total === 1 ? `${kinds.slice(0, -1)} matches` : `${kinds} match`;
  const below = under === undefined ? '' : `, under posts that match ${under}`;
  return `${total.toLocaleString('en')} ${matches} ${query || '(everything)'}${below}`;
}

/** Three lines a record: community, time and score, its title or text, its address. `records`: with all fields. */
export function linesOfRecords(records: readonly object[]): string {
  const lines = (records as readonly (PostRecord | CommentRecord)[]).map((record) => {
    const time = readableTime(record.created_utc);
    const where = `/r/${record.subreddit.name}  ${time}  ${record.score} score`;
    const text = record.type === 'post' ? record.title : record.body;
    return `${where}\n    ${oneLine(text, MAX_SHOWN)}\n    ${record.permalink}\n`;
  });
  return lines.join('');
}
