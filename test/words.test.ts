// The words of docs/words.md: each is used, and no page, document or help text has a spelling that it rules out.

import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { commandsOf } from '../src/cli/run.ts';
import { FEATURES } from '../src/features.ts';
import { openSite, readable, SIGNED_IN, type TestSite } from './page/site.ts';
import { project, read } from './project.ts';

const COMMANDS = commandsOf(FEATURES);

const page = read('docs/words.md');
const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, word, meaning, others]) => ({ word: word!, meaning: meaning!, others: others!.split(', ') }))
  .filter(({ word }) => word !== 'word' && !word.startsWith('-'));

const FORBIDDEN = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
  .flatMap(([, , others]) => others!.split(', '))
  .filter((others) => others !== 'not');

/** Each on its own: no part of a longer word, of a path or of a name with a hyphen. */
const pattern = new RegExp(
  `(?<![\\p{L}\\p{N}_/.-])(?:${FORBIDDEN.map((words) => words.replaceAll(' ', '\\s+')).join('|')})(?![\\p{L}\\p{N}_/-])`,
  'giu',
);

/** What is forbidden in a text, with some of what stands around it. */
function found(place: string, text: string): string[] {
  return [...text.matchAll(pattern)].map(
    ({ index }) => `${place}: …${text.slice(Math.max(0, index - 30), index + 40).replace(/\s+/g, ' ')}…`,
  );
}

describe('docs/words.md', () => {
  let site: TestSite;
  let server: FastifyInstance;
  before(async () => {
    site = await openSite();
    server = await site.build();
  });
  after(() => site?.[Symbol.asyncDispose]());

  it('has a meaning for each word that is used, and what others call it', () => {
    assert.ok(rows.length > 20);
    const used = globSync('docs/*.md', { cwd: project })
      .filter((path) => !path.endsWith('words.md'))
      .map(read)
      .join('\n')
      .toLowerCase();
    for (const { word, meaning, others } of rows) {
      assert.deepEqual(found(word, `${word}. ${meaning}`), []);
      assert.ok(others.length > 0 && !others.includes(word), word);
      for (const name of word.split(', ')) assert.ok(used.includes(name), name);
    }
    assert.ok(FORBIDDEN.length > 5);
    assert.equal(found('', `Your ${'e-mail'}, ${'anew'}.`).length, 2, 'the test finds what it looks for');
  });

  it('documents', () => {
    // The contract has the words of its sources.
    const quoting = ['contract.md', 'words.md'];
    const files = readdirSync(new URL('../docs', import.meta.url)).filter(
      (name) => name.endsWith('.md') && !quoting.includes(name),
    );
    for (const path of ['README.md', ...files.map((name) => `docs/${name}`)]) {
      const prose = read(path).replace(/```[\s\S]*?```|^ {4}.*$|`[^`\n]*`|"[^"\n]*"|\]\([^)]*\)/gm, ' ');
      assert.deepEqual(found(path, prose), []);
    }
  });

  it('help of every command', async () => {
    const check = (command: Command, path: string): void => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      // Names of commands, and examples, are code.
      const prose = help.replace(/^Usage: .*$|^ {2}.*colloquy .*$|^ {2}[a-z]+(?= )|`[^`]*`/gm, ' ');
      assert.deepEqual(found(path, prose), []);
      for (const inner of command.commands) check(inner, `${path} ${inner.name()}`);
    };
    const names = Object.keys(COMMANDS);
    assert.ok(names.length > 20);
    for (const name of names) check(await COMMANDS[name]!(), name);
  });

  it('pages', async () => {
    const nav = (await server.inject('/docs/reference')).body;
    const docs = [...nav.matchAll(/ href="(\/docs[^"#]*)"/g)].map(([, path]) => path!);
    const searches = [
      ...['query=solar', 'query=zzz', 'query=solar&kind=comments', 'query=%22a', 'query=after%3A2023-02-30'],
    ];
    const pages = [
      ...['/', '/about', '/privacy', '/status', '/nope', '/coverage', '/breakdown?query=&field=domain'],
      ...searches.map((search) => `/search?${search}`),
      ...['/record/posts/p00', '/record/comments/c00', '/thread/p00?query=solar', '/record/posts/nope'],
      ...new Set(docs.filter((path) => path !== '/docs/words')),
    ];
    assert.ok(pages.length > 40);
    for (const url of pages) {
      for (const headers of [{}, SIGNED_IN]) {
        const { body } = await server.inject({ url, headers });
        const prose = body.replace(/<(code|pre|article)\b[\s\S]*?<\/\1>/g, ' ').replaceAll('<', ' <');
        assert.deepEqual(found(url, readable(prose)), []);
      }
    }
  });
});
