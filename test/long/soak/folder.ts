// The data folder of a soak: what it holds in the beginning, and what each round brings and takes away.

import { writeFileSync } from 'node:fs';

/** Records of each kind that a round brings. */
export const COMMENTS_A_ROUND = 1_000;
export const POSTS_A_ROUND = 50;
/** Comments of the beginning that a round brings again, in newer copies. */
const COPIES_A_ROUND = 1_000;
/** 2026-01-01, in seconds: when the copies of the first round were retrieved. */
const RETRIEVED = 1_767_225_600;

/** A word that all records of this round have, and no others. */
export function wordOf(round: number): string {
  return `soakround${round}x`;
}

export function communityOf(round: number): string {
  return `soak${round}`;
}

export function commentOf(round: number, number: number): string {
  return `s${round.toString(36)}z${number.toString(36)}`;
}

export function threadOf(round: number): string {
  return `s${round.toString(36)}p0`;
}

/** One post for every twentieth comment, with its words. */
export function writeBase(comments: string, posts: string, lines: readonly string[]): void {
  writeFileSync(comments, lines.join(''));
  const threads = lines
    .filter((_, i) => i % 20 === 0)
    .map((line, i) => {
      const { subreddit, created_utc, body, score } = JSON.parse(line) as Record<string, unknown>;
      const fields = { id: `q${i}`, subreddit, created_utc, score, is_self: true, selftext: body };
      return `${JSON.stringify({ ...fields, title: String(body).slice(0, 80) })}\n`;
    });
  writeFileSync(posts, threads.join(''));
}

export function writeRound(comments: string, posts: string, round: number, lines: readonly string[]): void {
  const word = wordOf(round);
  const common = { subreddit: communityOf(round), created_utc: 1_704_067_200 + round, score: round % 100 };
  const own = Array.from({ length: COMMENTS_A_ROUND }, (_, i) =>
    JSON.stringify({
      ...{ id: commentOf(round, i), ...common, body: `${word} item${i}` },
      ...{ link_id: `t3_${threadOf(round)}`, parent_id: `t3_${threadOf(round)}` },
    }),
  );
  const first = (round * COPIES_A_ROUND) % lines.length;
  const copies = lines.slice(first, first + COPIES_A_ROUND).map((line) => {
    const record = JSON.parse(line) as { score: number };
    return JSON.stringify({
      ...record,
      score: record.score + round,
      retrieved_on: RETRIEVED + round * 86_400,
    });
  });
  writeFileSync(comments, `${[...own, ...copies].join('\n')}\n`);
  const threads = Array.from({ length: POSTS_A_ROUND }, (_, i) => {
    const id = i === 0 ? threadOf(round) : `s${round.toString(36)}p${i.toString(36)}`;
    return JSON.stringify({ id, ...common, title: `${word} thread${i}`, selftext: 'soaked', is_self: true });
  });
  writeFileSync(posts, `${threads.join('\n')}\n`);
}
