import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceReport } from './report.ts';
import { Counts, emptySources, type ImportReport, isComplete, noteLines, reportTable } from './report.ts';

const source = (name: string, state: SourceReport['state'], ...notes: string[]): SourceReport => {
  return { name, source: 'dumps', read: 0, rejected: {}, state, resumed_behind_line: 0, notes };
};
const REPORT: ImportReport = {
  ...{ read: 12_345, added: 12_000, replaced: 0, unchanged: 300, communities: 0, cut: 1 },
  ...{ skipped: { promoted: 40 }, rejected: { bad_json: 3, bad_time: 1 } },
  ...{ seconds: 2.5, records_per_second: 4938, rejects_file: '/data/rejects/x.ndjson' },
  sources: [source('a.zst', 'broken', 'it breaks off')],
};

test('the table gives every number once, with what it means', () => {
  assert.equal(
    reportTable(REPORT),
    [
      'read        12,345  4,938 a second, 2.5 s',
      'added       12,000',
      'replaced         0',
      'unchanged      300',
      'skipped         40  an advertisement (`promoted`)',
      'rejected         3  bad_json: not JSON, or JSON nested more than 10,000 levels deep or with more than a million brackets',
      'rejected         1  bad_time: `created_utc` is neither a whole number of seconds from 0 to 4294967295 nor an ISO 8601 time',
      'cut              1  texts over 1 MiB, or domains over 255 characters',
      'The rejected lines are listed in /data/rejects/x.ndjson',
      'a.zst: it breaks off',
      '',
    ].join('\n'),
  );
});

test('an import is complete where every source was read to its end, or was none', () => {
  const complete = (...states: SourceReport['state'][]) =>
    isComplete({ ...REPORT, sources: states.map((state) => source('a', state)) });
  assert.equal(complete('whole', 'passed_over'), true);
  assert.deepEqual([complete('whole', 'stopped'), complete('broken')], [false, false]);
});

test('counts add up, number by number and reason by reason', () => {
  const counts = new Counts();
  counts.add({ read: 2, rejected: { no_id: 1 } });
  counts.add({ read: 3, added: 1, rejected: { no_id: 1, bad_id: 1 }, skipped: { promoted: 1 } });
  const numbers = { read: 5, added: 1, replaced: 0, unchanged: 0, communities: 0, cut: 0 };
  const reasons = { skipped: { promoted: 1 }, rejected: { no_id: 2, bad_id: 1 } };
  assert.deepEqual({ ...counts }, { ...numbers, ...reasons });
});

const SOURCE: SourceReport = { ...source('a', 'whole'), read: 2, rejected: { no_id: 2 } };

const EMPTY: [rule: string, sources: SourceReport[], why: RegExp | null][] = [
  ['all was rejected', [SOURCE], /^everything in it was rejected, 2 in all, no_id: neither `id` nor `name`$/],
  ['nothing was read', [{ ...SOURCE, read: 0, rejected: {} }], /^it contains no records$/],
  ['it may not be read', [{ ...SOURCE, read: 0, rejected: {}, state: 'unreadable', notes: ['no'] }], /^no$/],
  ['one was taken in', [{ ...SOURCE, read: 3 }], null],
  ['it was stopped', [{ ...SOURCE, read: 0, rejected: {}, state: 'stopped' }], null],
  ['it went on behind what was in', [{ ...SOURCE, resumed_behind_line: 7 }], null],
  ['another file of the folder has one', [SOURCE, { ...SOURCE, name: 'a/b', read: 3 }], null],
];

for (const [rule, sources, why] of EMPTY) {
  test(`a source of nothing: ${rule}: ${why === null ? 'no' : 'yes'}`, () => {
    const found = emptySources({ ...REPORT, sources });
    assert.equal(found.length, why === null ? 0 : 1);
    if (why !== null) assert.match(found[0]?.why ?? '', why);
  });
}

test('files that were passed over are counted', () => {
  const passed = { ...SOURCE, state: 'passed_over' } as const;
  const table = reportTable({ ...REPORT, sources: [passed, passed, { ...passed, state: 'unreadable' }] });
  assert.match(table, /\npassed over +2 {2}files that are nothing an import reads\n/);
  assert.match(table, /\nunreadable +1 {2}files or folders that may not be read\n/);
});

const passedOver = Array.from({ length: 1980 }, (_, i) =>
  source(`t/${i}.txt`, 'passed_over', `expected dumps, found text that begins with \`Letter ${i}\``),
);

test('1,980 files that are passed over for one reason take two lines', () => {
  assert.deepEqual(noteLines(passedOver), [
    '1,980 passed over, such as: expected dumps, found text that begins with `Letter 0`',
    '  t/0.txt, t/1.txt, t/2.txt and 1,977 more',
  ]);
});

test('a note that stands alone is told with its source', () => {
  const lines = noteLines([source('a.zst', 'broken', 'it breaks off'), source('b', 'whole')]);
  assert.deepEqual(lines, ['a.zst: it breaks off']);
});

test('lists of what was found, and numbers, do not tell notes apart; states do', () => {
  const notes = [
    source('a', 'passed_over', 'found the fields `a`, `b`, …'),
    source('b', 'passed_over', 'found the fields `c`'),
    source('c', 'refused', 'found the fields `d`'),
    source('d', 'broken', 'damaged near byte 7'),
    source('e', 'broken', 'damaged near byte 81'),
  ];
  assert.deepEqual(noteLines(notes), [
    '2 passed over, such as: found the fields `a`, `b`, …',
    '  a, b',
    'c: found the fields `d`',
    '2 damaged, such as: damaged near byte 7',
    '  d, e',
  ]);
});

test('of many kinds of notes the last are counted', () => {
  const kinds = Array.from({ length: 30 }, (_, i) => source('x', 'whole', 'n'.repeat(i + 1)));
  assert.deepEqual(noteLines(kinds).slice(-2), [`x: ${'n'.repeat(20)}`, 'and 10 notes of other kinds']);
});
