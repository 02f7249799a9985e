// docs/analysis.md, docs/samples.md and docs/threads.md: their tables are those of the code.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { BREAKDOWN_PARAMETERS } from '../src/http/operations/breakdown.ts';
import { EXPLAIN_PARAMETERS } from '../src/http/operations/explain.ts';
import type { ParameterTable } from '../src/http/operations/parameters.ts';
import { SAMPLE_PARAMETERS, WORDS_PARAMETERS } from '../src/http/operations/sample.ts';
import { THREAD_PARAMETERS } from '../src/http/operations/thread.ts';
import { COUNTS_PARAMETERS, TIMELINE_PARAMETERS } from '../src/http/operations/timeline.ts';
import { interpretItems } from '../src/search/language/interpret.ts';
import { meaningOf } from '../src/search/language/meaning.ts';

const DOCUMENTS = ['analysis.md', 'samples.md', 'threads.md'];

/** Head of a table of parameters → the table that the code has. */
const TABLES: Readonly<Record<string, ParameterTable>> = {
  'timeline parameter': TIMELINE_PARAMETERS.comment,
  'counts parameter': COUNTS_PARAMETERS.comment,
  'sample parameter': SAMPLE_PARAMETERS.comment,
  'words parameter': WORDS_PARAMETERS.comment,
  'explain parameter': EXPLAIN_PARAMETERS,
  'breakdown parameter': BREAKDOWN_PARAMETERS.comment,
  'thread parameter': THREAD_PARAMETERS,
};

const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
const text = DOCUMENTS.map(page).join('\n');

function blocks(document: string, language: string): string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code!,
  );
}

describe('documents of analyses', () => {
  for (const [head, parameters] of Object.entries(TABLES)) {
    it(`${head}: the rows are those of the code`, () => {
      const lines = text.split('\n');
      const start = lines.indexOf(`| ${head} | values | default |`) + 2;
      const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
      assert.deepEqual(
        lines.slice(start, end),
        Object.entries(parameters).map(
          ([name, { documented }]) =>
            `| \`${name}\` | ${documented.values.replace('(#', '(api.md#')} | ${documented.default} |`,
        ),
      );
    });
  }

  it('what each kind of item means is what explanations say', () => {
    const rows = text.split('| written | means, of posts |\n|---|---|\n')[1]!.split('\n\n')[0]!.split('\n');
    const kinds = new Set<string>();
    for (const row of rows) {
      const [, written = '', means] = /^\| `(.*?)` \| (.*) \|$/.exec(row)!;
      const { written: items } = interpretItems(written.replaceAll('\\|', '|'), { impliedWindow: 'off' });
      assert.equal(items.length, 1, row);
      assert.equal(meaningOf(items[0]!.items, 'post'), means);
      kinds.add(items[0]!.items[0]!.kind);
    }
    assert.deepEqual([...kinds].sort(), [
      'after',
      'before',
      'community',
      'id',
      'post',
      'score',
      'site',
      'words',
    ]);
  });

  it('examples of answers are JSON', () => {
    const examples = DOCUMENTS.flatMap((name) => blocks(page(name), 'json'));
    assert.ok(examples.length >= 2);
    for (const example of examples) JSON.parse(example);
  });
});
