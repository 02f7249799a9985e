// Every ready-made request of the page and of the documentation is run against a server.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  COPIED_LANGUAGES,
  type CopiedLanguage,
  exampleRequest,
  LANGUAGES,
} from '../../src/features/docs/api-examples.ts';
import { EXAMPLE_QUERY, fetchEverything } from '../../src/features/docs/views.ts';
import { KINDS } from '../../src/model/record.ts';
import { post, temporaryFolder } from '../helpers.ts';
import { missing } from '../processes.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { decode, siteOfTests } from './site.ts';

const run = promisify(execFile);

/** The one with the modules that read tables. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

/** The reason to skip the loops of a language. */
const NEEDS: Readonly<Record<CopiedLanguage, string | false>> = {
  curl: missing('sh', 'curl'),
  Python: missing('python3'),
  R: missing('Rscript'),
  DuckDB:
    missing('sh', 'curl') ||
    (spawnSync(PYTHON, ['-c', 'import duckdb']).status !== 0 && 'no Python with DuckDB on this machine'),
  JavaScript: false,
};

/** 2,500 posts: three pages of the loop. */
const cats = Array.from({ length: 2500 }, (_, i) =>
  post({ id: `cat${i}`, community: 'aww', created: 1_500_000_000 + i, score: 10, title: 'A cat' }),
);

describe('examples', () => {
  const { at, key } = siteOfTests([...POSTS, ...cats], COMMENTS);

  async function output(language: CopiedLanguage, code: string): Promise<string> {
    using folder = temporaryFolder();
    const options = { env: { ...process.env, COLLOQUY_KEY: key() }, maxBuffer: 1e8, cwd: folder.path };
    if (language === 'DuckDB') {
      // Its own program may be absent where its module for Python is there.
      const [commands, sql] = code.split(/\nduckdb -c "(.*)"$/) as [string, string];
      await run('sh', ['-ec', commands], options);
      const program = 'import duckdb, sys; print(*duckdb.sql(sys.argv[1]).fetchall()[0])';
      return (await run(PYTHON, ['-c', program, sql], options)).stdout;
    }
    const [program, ...flags] = PROGRAMS[language];
    return (await run(program!, [...flags, code], options)).stdout;
  }

  const queries = ['solar', `"it's" & "50 %"|é|日本 -x`, 'panel score:>5 before:2023-03-14 after:2020-01-01'];
  for (const language of COPIED_LANGUAGES) {
    for (const kind of ['post', 'comment'] as const) {
      it(`${language}, ${kind}s: gives the answer of this query`, { skip: NEEDS[language] }, async () => {
        for (const query of queries) {
          const page = await fetch(at(`/search?query=${encodeURIComponent(query)}&kind=${kind}s`));
          const body = await page.text();
          const canonical = /curl [\s\S]*?\?query=([^']*)'/.exec(decode(body))![1]!;
          const code = exampleRequest(language, {
            publicAddress: at(''),
            kind,
            query: decodeURIComponent(canonical),
          });
          assert.ok(decode(body).includes(code), `${language} ${query}`);
          const total = Number(/<h1 id="total">([\d,]+)/.exec(body)![1]!.replaceAll(',', ''));
          const printed = await output(language, code);
          const found =
            language === 'curl'
              ? JSON.parse(printed).total_count
              : Number(printed.replace(/^\[1\] /, '').split(' ')[0]);
          assert.equal(found, total, query);
        }
      });
    }
  }

  it('the order of the page is asked for too, and the link is the page', async () => {
    const page = decode(
      await (await fetch(at('/search?query=solar&order_by=top&kind=comments&utm=x'))).text(),
    );
    for (const language of COPIED_LANGUAGES) {
      for (const kind of KINDS) {
        const code = exampleRequest(language, { publicAddress: at(''), kind, query: 'solar', order: 'top' });
        assert.ok(page.includes(`<code>${code}</code>`), `${language} ${kind}`);
        assert.match(code, /order_by\W+top/);
        if (language !== 'R' && language !== 'DuckDB' && NEEDS[language] === false) {
          assert.ok((await output(language, code)).length > 0);
        }
      }
    }
    assert.ok(page.includes(`<code>${at('')}/search?query=solar&order_by=top&kind=comments</code>`));
    assert.ok(!page.includes(key()));
  });

  for (const language of LANGUAGES) {
    const needs = language === 'curl' ? missing('sh', 'curl', 'jq') : NEEDS[language];
    it(`${language}: the loop of the documentation gives every match once`, { skip: needs }, async () => {
      const docs = decode(await (await fetch(at('/docs'))).text());
      const code = fetchEverything(language, at(''), EXAMPLE_QUERY);
      assert.ok(docs.includes(code));
      const ids = (await output(language, code)).trim().split('\n');
      assert.equal(ids.length, 2500);
      assert.equal(new Set(ids).size, 2500);
    });
  }
});

/** Each takes the code as its last argument. */
const PROGRAMS: Readonly<Record<Exclude<CopiedLanguage, 'DuckDB'>, readonly string[]>> = {
  R: ['Rscript', '-e'],
  curl: ['sh', '-c'],
  Python: ['python3', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '--eval'],
};
