// What README.md, docs/api.md and the help of `search` tell people to try finds something in the sample they try it on.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type App, openApp } from '../src/app.ts';
import { searchCommand } from '../src/cli/search.ts';
import { readConfig } from '../src/config.ts';
import { temporaryFolder } from './helpers.ts';

interface Example {
  readonly kind: 'post' | 'comment';
  readonly query: string;
}

function examplesIn(text: string): Example[] {
  const found = [
    ...[...text.matchAll(/\/search\/(post|comment)s\?query=([^&'"\s]+)/g)].map(([, kind, query]) => [
      kind,
      decodeURIComponent(query!.replaceAll('+', ' ')),
    ]),
    ...[...text.matchAll(/'query=([^']+)' '[^']*\/search\/(post|comment)s'/g)].map(([, query, kind]) => [
      kind,
      query,
    ]),
    ...[...text.matchAll(/^ *(?:node bin\/colloquy\.mjs|colloquy) search (post|comment)s (.+)$/gm)].map(
      ([, kind, words]) => [kind, queryOf(words!)],
    ),
  ];
  return found.map(([kind, query]) => ({ kind: kind as Example['kind'], query: query! }));
}

/** The words of a command line without its flags; quotes of the shell around the whole query do not count. */
function queryOf(words: string): string {
  return words
    .replace(/--order \w+ |--json |-- /g, '')
    .trim()
    .replace(/^'(.*)'$/, '$1');
}

function helpOf(): string {
  let help = '';
  const command = searchCommand().configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

function page(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
}

describe('examples', () => {
  const folder = temporaryFolder();
  let app: App;
  before(async () => {
    app = await openApp({ ...readConfig({}), dataFolder: folder.path }, { sample: true });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  for (const [place, text, least] of [
    ['README.md', page('README.md'), 3],
    ['docs/api.md', page('docs/api.md'), 3],
    ['search --help', helpOf(), 2],
  ] as const) {
    it(`of ${place} find something in the sample`, async () => {
      const examples = examplesIn(text);
      assert.ok(examples.length >= least, `${examples.length} examples`);
      for (const { kind, query } of examples) {
        const { envelope } = await app.search.search({ kind, query, order: 'newest', limit: 0, after: null });
        assert.ok(envelope.total_count > 0, `${kind}s: ${query}`);
      }
    });
  }
});
