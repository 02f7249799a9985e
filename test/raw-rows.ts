// Rows as sources give them, and what `normalise` makes of one: for tests of it.

import assert from 'node:assert/strict';
import type { Row } from '../src/ingest/normalise/cells.ts';
import { normalise } from '../src/ingest/normalise/normalise.ts';
import type { StoredComment, StoredPost } from '../src/model/record.ts';

export const OPTIONS = { kind: null, permalinkBase: 'https://www.reddit.com' } as const;

export const LINK: Row = {
  id: 'abc12',
  subreddit: 'SolarPower',
  subreddit_id: 't5_2qh',
  created_utc: 1_600_000_000,
  permalink: '/r/SolarPower/comments/abc12/first_light/',
  domain: 'example.org',
  title: 'First light',
  selftext: '',
  url: 'https://example.org/a',
  is_self: false,
  over_18: false,
  score: 12,
  retrieved_on: 1_600_000_100,
};

export const TEXT: Row = {
  ...LINK,
  domain: 'self.SolarPower',
  selftext: 'How many panels?',
  url: 'https://www.reddit.com/r/SolarPower/comments/abc12/first_light/',
  is_self: true,
};

export const COMMENT: Row = {
  id: 'c0ffee',
  subreddit: 'SolarPower',
  subreddit_id: 't5_2qh',
  created_utc: 1_600_000_050,
  permalink: '/r/SolarPower/comments/abc12/first_light/c0ffee/',
  body: 'Twelve is plenty.',
  link_id: 't3_abc12',
  parent_id: 't3_abc12',
  score: -4,
  retrieved_on: 1_600_000_100,
};

export const API_POST: Row = {
  type: 'post',
  id: 'abc12',
  subreddit: { id: '2qh', name: 'solarpower', nsfw: true },
  created_utc: 1_600_000_000,
  permalink: 'https://www.reddit.com/r/SolarPower/comments/abc12/first_light/',
  domain: 'self.SolarPower',
  title: 'First light',
  selftext: 'How many panels?',
  url: null,
  score: 12,
};

export const API_COMMENT: Row = {
  type: 'comment',
  id: 'c0ffee',
  subreddit: { id: '2qh', name: 'solarpower', nsfw: false },
  created_utc: 1_600_000_050,
  permalink: 'https://www.reddit.com/r/SolarPower/comments/abc12/first_light/c0ffee/',
  body: 'Twelve is plenty.',
  sentiment: 0.3182,
  score: -4,
};

export function post(row: Row): StoredPost {
  const outcome = normalise(row, OPTIONS);
  assert.ok(outcome.kind === 'record' && outcome.record.kind === 'post', JSON.stringify(outcome));
  return outcome.record;
}

export function comment(row: Row): StoredComment {
  const outcome = normalise(row, OPTIONS);
  assert.ok(outcome.kind === 'record' && outcome.record.kind === 'comment', JSON.stringify(outcome));
  return outcome.record;
}

export function without(row: Row, ...names: string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}
