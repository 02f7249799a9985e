// Holds docs/query-language.md to the code: every example, every limit, every error code.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PROBLEMS, ServiceError } from '../src/errors.ts';
import { MAX_PREFIX_TOKENS } from '../src/model/query.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import {
  MAX_CANONICAL_CHARACTERS,
  MAX_ITEMS,
  MAX_PHRASE_TOKENS,
  MAX_QUERY_CHARACTERS,
} from '../src/search/language/limits.ts';
import { MAX_SCORE_DIGITS } from '../src/search/language/query-syntax.ts';

const page = readFileSync(new URL('../docs/query-language.md', import.meta.url), 'utf8');

describe('docs/query-language.md', () => {
  for (const [written, understood] of rowsUnder('written | understood as')) {
    it(`${written} is understood as ${understood}`, () =>
      assert.equal(answer(code(written)), code(understood)));
  }

  for (const [written] of rowsUnder('written | finds records')) {
    it(`${written} is a query`, () => assert.doesNotMatch(answer(code(written)), /^!/));
  }

  for (const [written, error] of rowsUnder('written | code')) {
    it(`${written} is ${error}`, () => assert.equal(answer(code(written)), `! ${code(error)}`));
  }

  it('the limits are those of the code', () => {
    assert.deepEqual(
      rowsUnder('what | limit').map(([, limit]) => Number(limit)),
      [
        MAX_QUERY_CHARACTERS,
        MAX_CANONICAL_CHARACTERS,
        MAX_ITEMS,
        MAX_PHRASE_TOKENS,
        MAX_PREFIX_TOKENS,
        MAX_SCORE_DIGITS,
      ],
    );
  });

  it('every code is one of the API', () => {
    const codes = [...rowsUnder('written | code'), ...rowsUnder('when | code')].map(([, error]) =>
      code(error),
    );
    assert.deepEqual(
      codes.filter((name) => !(name in PROBLEMS)),
      [],
    );
  });
});

/** Cells of every table with this head. */
function rowsUnder(head: string): [string, string][] {
  const tables = page.split(`| ${head} |\n|---|---|\n`).slice(1);
  assert.ok(tables.length > 0, head);
  return tables.flatMap((rest) =>
    rest
      .slice(0, rest.search(/^(?!\|)/m))
      .trimEnd()
      .split('\n')
      .map((row): [string, string] => {
        const [left, right] = row.slice(2, -2).split(' | ');
        return [left!.replaceAll('\\|', '|'), right!.replaceAll('\\|', '|')];
      }),
  );
}

/** What stands in backticks. */
function code(cell: string): string {
  return cell.slice(1, -1);
}

function answer(text: string): string {
  try {
    return interpretQuery(text, { impliedWindow: '1d' }).echo;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `! ${error.code}`;
  }
}
