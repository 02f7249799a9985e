// Every block of commands and every program in README.md, docs/ and examples/README.md, run as it stands: it ends well,
// and finds something. Of what is written, port and places alone are others.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { operationCommand } from '../src/cli/operation-command.ts';
import { operations as searching } from '../src/features/search/operation.ts';
import { temporaryFolder } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { colloquy, type Running, start, until } from './processes.ts';
import { project, read } from './project.ts';

/** One that has the modules which the examples need can be named. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

/** Document, or document and a part of a block → why it is not run here. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md npm start': 'this test serves the sample itself, on another port',
  'README.md npm test': 'they are the tests',
  'docs/backup.md': 'test/places/drills.test.ts types its blocks',
  'docs/accounts.md second-factor-off': 'needs a second factor: test/second-factor-command.test.ts',
  'docs/datasets.md load_dataset': 'test/datasets/readers.test.ts',
  'docs/exporting.md pd.read_json': 'reads files of any name: test/readers/',
  'docs/monitoring.md': 'changes the machine: fail2ban',
  'docs/moving.md': 'needs OpenSearch: test/opensearch/move.test.ts',
  'docs/opensearch.md': 'needs OpenSearch, Docker and rights on the host: test/opensearch/',
  'docs/operating.md': 'changes the machine; test/packages/operating.test.ts runs it with stand-ins',
  'docs/scaling.md': 'needs OpenSearch',
};

/** A folder of the sample, whose copies others begin with. */
const imported = ofTests(temporaryFolder()).path;
before(() => colloquy(['import', 'sample/posts.ndjson', 'sample/comments.ndjson', '--data', imported]));
const IMPORT = `cp -R ${imported} $COLLOQUY_DATA`;
/** Document → what its reader has done before, in a folder of its own. */
const ALONE: Readonly<Record<string, string>> = {
  'docs/accounts.md': ':',
  'docs/importing.md': ':',
  'docs/removing.md': IMPORT,
  'docs/watching.md': `${IMPORT}; colloquy accounts create ann@example.org
    for n in 1 2 3; do colloquy saved add $n posts solar --account ann@example.org; done`,
};
/** Before all others, which share one folder and its server. */
const TOGETHER = `${IMPORT}; colloquy accounts create ann@example.org
  colloquy saved add cats posts cats --account ann@example.org
  export COLLOQUY_KEY=$(colloquy keys create --account ann@example.org)`;

const packed = (name: string) => zstdCompressSync(readFileSync(join(project, 'sample', `${name}.ndjson`)));
/** Files that blocks name, of the sample. */
const FILES: Readonly<Record<string, () => string | Buffer>> = {
  'RC_2005-12.zst': () => packed('comments'),
  'RS_2024-01.zst': () => packed('posts'),
  'RC_2024-01.zst': () => packed('comments'),
  'home/dumps/RS_2024-01.zst': () => packed('posts'),
  'home/dumps/RC_2024-01.zst': () => packed('comments'),
  'communities.txt': () => '/r/energy+solarpower\n',
  'subreddits_2024-01.zst': () =>
    zstdCompressSync('{"display_name":"energy","id":"smp12","over18":false,"subscribers":9}\n'),
  'ids.txt': () => 'ghq1b2c\n',
};
/** What stands for a program that is elsewhere on the path. */
const STAND_INS: Readonly<Record<string, string>> = {
  colloquy: 'exec node bin/colloquy.mjs "$@"',
  npm: 'echo "npm $*: done already"',
};

interface Block {
  readonly language: string;
  readonly code: string;
  readonly place: string;
}

function blocksOf(document: string): Block[] {
  return [...read(document).matchAll(/^```(sh|js|python|r|sql)\n(.*?)^```/gms)].map((found) => ({
    language: found[1]!,
    code: found[2]!,
    place: `${document}:${read(document).slice(0, found.index).split('\n').length}`,
  }));
}

/** The examples at the end of a command's help. */
function helpBlock(): Block {
  let help = '';
  operationCommand(searching)
    .configureOutput({ writeOut: (text) => (help += text) })
    .outputHelp();
  return { language: 'sh', code: help.match(/^ {2}colloquy .+$/gm)!.join('\n'), place: 'search --help' };
}

function whyNot(document: string, { language, code }: Block): string | false {
  const [, reason] =
    Object.entries(NOT_RUN).find(([name]) => {
      const [path, ...words] = name.split(' ');
      return path === document && code.includes(words.join(' '));
    }) ?? [];
  if (reason !== undefined) return reason;
  const programs = ['curl', 'zstd', 'sha256sum', 'python3'].filter((name) => code.includes(`${name} `));
  const missing = language === 'sh' ? programs.find((name) => lacks(name, '--version')) : undefined;
  if (missing !== undefined) return `no ${missing} on this machine`;
  const modules = language === 'sql' ? ['duckdb'] : (code.match(/(?<=^import )[\w, ]+/gm) ?? []);
  if (language === 'python' || language === 'sql') {
    const imports = modules.map((names) => `import ${names.replaceAll(/ as \w+/g, '')}`).join('\n');
    if (lacks(PYTHON, '-c', imports)) return `no Python with what it imports on this machine`;
  }
  const library = code.includes('arrow::') || code.includes('library(arrow)') ? 'arrow' : 'jsonlite';
  if (language === 'r' && lacks('Rscript', '-e', `library(${library})`)) return `no R with ${library}`;
  return false;
}

const lacking = new Map<string, boolean>();

/** True where the program does not end well, or is not there. */
function lacks(program: string, ...words: string[]): boolean {
  const command = [program, ...words].join(' ');
  const known = lacking.get(command) ?? spawnSync(program, words).status !== 0;
  lacking.set(command, known);
  return known;
}

const RUN: Readonly<Record<string, readonly string[]>> = {
  sh: ['sh', '-eu'],
  js: [process.execPath],
  python: [PYTHON],
  r: ['Rscript'],
  sql: [
    PYTHON,
    '-c',
    'import duckdb, sys\nfor q in open(sys.argv[1]).read().split(";"):\n  if q.strip(): print(duckdb.sql(q))',
  ],
};
const ENDINGS: Readonly<Record<string, string>> = { sh: 'sh', js: 'mjs', python: 'py', r: 'r', sql: 'sql' };

/** A reader's folder and server: nothing of the machine's own is seen. */
class World implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #env: Record<string, string>;
  #server: Running | undefined;
  #port = '';

  constructor() {
    const { path } = this.#folder;
    for (const name of ['programs', 'home/dumps', 'work']) mkdirSync(join(path, name), { recursive: true });
    for (const name of ['bin', 'examples', 'sample'])
      symlinkSync(join(project, name), join(path, 'work', name));
    for (const [name, content] of Object.entries(FILES)) {
      writeFileSync(join(path, name.startsWith('home/') ? '' : 'work', name), content());
    }
    for (const [name, script] of Object.entries(STAND_INS)) {
      writeFileSync(join(path, 'programs', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const programs = [join(path, 'programs'), dirname(process.execPath), process.env.PATH].join(':');
    this.#env = {
      PATH: programs,
      HOME: join(path, 'home'),
      // Compiled code may stay.
      XDG_CACHE_HOME: join(project, 'node_modules/.cache'),
      COLLOQUY_DATA: join(path, 'data'),
      COLLOQUY_PORT: '0',
    };
  }

  async open(before: string): Promise<this> {
    await this.run({ language: 'sh', code: before, place: 'before' });
    return this;
  }

  async serve(): Promise<void> {
    this.#server = start(['serve'], this.#env);
    const { output } = this.#server;
    this.#port = await until(
      async () => /127\.0\.0\.1:(\d+)/.exec(output.stdout + output.stderr)?.[1] ?? null,
    );
    this.#env.BASE = `http://127.0.0.1:${this.#port}`;
  }

  /** What a block prints, and what stands in the files that it makes. What it exports is there for the next. */
  async run({ language, code, place }: Block): Promise<string> {
    const { path } = this.#folder;
    const work = join(path, 'work');
    const old = new Set(readdirSync(work));
    const file = join(path, `block.${ENDINGS[language]}`);
    // A server that a block starts is stopped once it is ready.
    const here = code
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.#port}`)
      .replaceAll(
        /^node bin\/colloquy\.mjs serve\b.*/gm,
        'rm -f served; $& >served & until grep -s ready served; do sleep 0.2; done; kill $!; wait $!',
      );
    const exported = join(path, 'exported');
    writeFileSync(file, language === 'sh' ? `. ${exported}\n${here}\nexport -p > ${exported}\n` : here);
    if (!readdirSync(path).includes('exported')) writeFileSync(exported, '');
    const env = language === 'sh' ? this.#env : { ...this.#env, COLLOQUY_KEY: this.#key() };
    const printed = await new Promise<string>((resolve, reject) => {
      const [program, ...words] = RUN[language]!;
      execFile(program!, [...words, file], { cwd: work, env, timeout: 60_000 }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr);
        else reject(new Error(`${place}: ${error.code ?? error.signal}\n${code}\n${stdout}${stderr}`));
      });
    });
    const made = readdirSync(work).filter((name) => !old.has(name) && statSync(join(work, name)).size > 0);
    return printed + made.map((name) => `\nfile ${basename(name)}`).join('');
  }

  #key(): string {
    const { path } = this.#folder;
    return /^export COLLOQUY_KEY='?([\w-]+)/m.exec(readFileSync(join(path, 'exported'), 'utf8'))?.[1] ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.process.kill();
    await this.#server?.ended;
    this.#folder[Symbol.dispose]();
  }
}

const documents = [...globSync(['README.md', 'docs/*.md', 'examples/README.md'], { cwd: project }).sort()];
const found = [
  ...documents.map((document) => ({ document, blocks: blocksOf(document) })),
  { document: 'search --help', blocks: [helpBlock()] },
].filter(({ blocks }) => blocks.some(({ language, code }) => language === 'sh' && !isSettings(code)));

/** Settings of a service, which do nothing by themselves. */
function isSettings(code: string): boolean {
  return /^(?:(?:export )?[A-Z_]+=\S*\n)+$/.test(code);
}

/** Of each document by itself, with what was done before it. */
function testBlocks(documents: typeof found, open: (document: string) => Promise<World>): void {
  for (const { document, blocks } of documents) {
    if (NOT_RUN[document] !== undefined) {
      it(document, { skip: NOT_RUN[document] }, () => {});
      continue;
    }
    describe(document, () => {
      let world: World;
      before(async () => {
        world = await open(document);
      });
      for (const block of blocks.filter(({ code }) => !isSettings(code))) {
        it(`${block.place} finds something`, { skip: whyNot(document, block) }, async () => {
          const output = await world.run(block);
          assert.notEqual(output.trim(), '', block.code);
          assert.doesNotMatch(output, /"total_count":0\b|^0 (?:posts|comments|records)\b/m, block.code);
        });
      }
    });
  }
}

describe('blocks of documents', { concurrency: 2 }, () => {
  describe('that find a folder and its server', { concurrency: 1 }, () => {
    const world = ofTests(new World());
    before(async () => {
      await world.open(TOGETHER);
      await world.serve();
    });
    testBlocks(
      found.filter(({ document }) => ALONE[document] === undefined),
      async () => world,
    );
  });

  describe('that begin anew', { concurrency: 1 }, () => {
    const worlds = ofTests(new AsyncDisposableStack());
    testBlocks(
      found.filter(({ document }) => ALONE[document] !== undefined),
      (document) => worlds.use(new World()).open(ALONE[document]!),
    );
  });
});
