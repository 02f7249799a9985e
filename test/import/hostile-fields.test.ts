// Every field of a dump with values that do not belong there: a record is read or rejected by the field that it cannot
// do without, and no value reaches the field of another record.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { jsonLines } from '../helpers.ts';
import { commentLine, postLine, test } from './import-helpers.ts';

/** As JSON. */
const VALUES = [
  ...['null', 'true', '[]', '{}', '[1]', '{"__proto__":{"id":"p"}}', '-1', '1.5', '1e400', '9'.repeat(20)],
  ...['""', '" "', '"NaN"', '"__proto__"', '"\\ud800"', '"\\u0000"', '"\\u202ex"', '"a\\nb"'],
  `"${'x'.repeat(70_000)}"`,
];

type Outcome = 'read' | `${'no' | 'bad'}_${'id' | 'text' | 'community' | 'time' | 'score'}`;

/** What a field makes of the values; those not named: `others`. */
interface FieldRule {
  readonly others: Outcome;
  readonly told: Readonly<Partial<Record<Outcome, readonly string[]>>>;
}

const LONG = VALUES.at(-1)!;
const TEXTS = VALUES.filter((value) => value.startsWith('"'));
const READ: FieldRule = { others: 'read', told: {} };
const TEXT: FieldRule = { others: 'no_text', told: { read: TEXTS } };
const ID: FieldRule = {
  others: 'no_id',
  told: {
    read: ['-1', '"NaN"', '"__proto__"'],
    bad_id: ['" "', '"\\ud800"', '"\\u0000"', '"\\u202ex"', '"a\\nb"', LONG],
  },
};
const TIME: FieldRule = { others: 'bad_time', told: {} };
const SCORE: FieldRule = { others: 'bad_score', told: { read: ['null', '""', '-1'] } };
const COMMUNITY: FieldRule = {
  others: 'no_community',
  told: {
    read: ['-1', '"NaN"', '"__proto__"', '"\\ud800"', '"\\u202ex"'],
    bad_community: ['" "', '"a\\nb"', LONG],
  },
};

const OF_BOTH: Readonly<Record<string, FieldRule>> = {
  ...{ id: ID, created_utc: TIME, score: SCORE, subreddit: COMMUNITY, subreddit_id: READ, permalink: READ },
  ...{ retrieved_on: READ, author: READ, edited: READ, distinguished: READ },
};
const FIELDS = {
  comment: { ...OF_BOTH, body: TEXT, link_id: READ, parent_id: READ },
  post: {
    ...{ ...OF_BOTH, title: TEXT, selftext: READ, url: READ, domain: READ },
    ...{ over_18: READ, num_comments: READ },
  },
} as const;

test('fields with values that do not belong there cost their own record at the most, with the reason', async (place) => {
  const cases = (['comment', 'post'] as const).flatMap((kind) =>
    Object.entries(FIELDS[kind]).flatMap(([field, rule]) =>
      VALUES.map((value) => ({ kind, field, value, expected: outcomeOf(rule, value) })),
    ),
  );
  assert.ok(cases.length > 500);
  const lines = cases.map(({ kind, field, value }, i) => {
    const { [field]: _, ...rest } = JSON.parse((kind === 'comment' ? commentLine : postLine)(`h${i}`));
    return `${JSON.stringify(rest).slice(0, -1)},${JSON.stringify(field)}:${value}}`;
  });
  const report = await place.run([place.file('dump', lines.join('\n'))]);
  const rejects = jsonLines(readFileSync(report.rejects_file!, 'utf8'));
  const reasonOf = new Map<number, string>(rejects.map(({ line, reason }) => [line, reason]));
  const wrong = cases.flatMap(({ kind, field, value, expected }, i) => {
    const found = reasonOf.get(i + 1) ?? 'read';
    return found === expected ? [] : [`${kind} ${field} ${value.slice(0, 30)}: ${found}`];
  });
  assert.deepEqual(wrong, []);
  assert.equal(report.read, cases.length);
  const ids = new Set((await place.records()).map(({ id }) => id));
  // Values of `id` itself may name the same record.
  const lost = cases.flatMap(({ field, expected }, i) =>
    field !== 'id' && expected === 'read' && !ids.has(`h${i}`) ? [lines[i]!.slice(0, 200)] : [],
  );
  assert.deepEqual(lost, []);
});

function outcomeOf({ others, told }: FieldRule, value: string): Outcome {
  const named = Object.entries(told).find(([, values]) => values.includes(value));
  return (named?.[0] as Outcome | undefined) ?? others;
}
