// asvs.md against the standard and the code: every requirement of levels 1 and 2 is there once, and what is
// said to be met names tests or documents that there are. What no other test shows of the source is looked at here.

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { expectTest, readTests } from './named-tests.ts';
import { project, read, slashes } from './project.ts';

const PAGE = 'test/asvs.md';
const page = read(PAGE);

const STATES = ['met', 'not applicable', 'missing'] as const;

interface Row {
  readonly number: string;
  readonly level: Level;
  readonly state: string;
  readonly words: string;
}

const rows: readonly Row[] = [
  ...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, number, level, state, words]) => {
  return { number: number!, level: Number(level) as Level, state: state!, words: words! };
});

describe(PAGE, () => {
  it('has every requirement of levels 1 and 2 once, with its level, and no other', () => {
    assert.equal(REQUIREMENTS.size, 253);
    const wrong = rows.filter(({ number, level }) => REQUIREMENTS.get(number) !== level);
    assert.deepEqual(wrong, []);
    assert.deepEqual(rows.map(({ number }) => number).sort(), [...REQUIREMENTS.keys()].sort());
  });

  it('counts them as they are, as docs/security.md does', () => {
    const counted = ([1, 2] as const).map((level) =>
      STATES.map((state) => rows.filter((row) => row.level === level && row.state === state).length),
    );
    const told = [...page.matchAll(/^\| ([12]) \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map((found) =>
      found.slice(2).map(Number),
    );
    assert.deepEqual(told, counted);
    const [met, not, missing] = STATES.map((_, i) => counted[0]![i]! + counted[1]![i]!);
    assert.equal(met! + not! + missing!, rows.length);
    const words = `${met} are met, each with the tests that show it, ${not} do not\\s+apply, ${missing} are missing`;
    assert.match(read('docs/security.md'), new RegExp(words));
  });

  for (const { number, state, words } of rows) {
    it(`${number}: ${state}`, () => {
      const { tests, links } = evidence(words);
      for (const test of tests) expectTest(test);
      for (const link of links) expectLink(link);
      if (state === 'met') assert.ok(tests.length + links.length > 0, words);
      else if (state === 'missing') assert.match(words, /\bNeeded: \S/);
      else assert.ok(words.trim() !== '');
    });
  }
});

/** Tests as in the contract, anywhere between the words; and links to documents. */
function evidence(words: string) {
  const named = [...words.matchAll(/`[^`"]+`(?: "[^"]+")+/g)].map(([name]) => name);
  // A file of tests without a part of a name would show nothing.
  assert.doesNotMatch(words.replaceAll(/`[^`"]+`(?: "[^"]+")+/g, ''), /"|\.test\.ts/);
  return {
    tests: named.flatMap(readTests),
    links: [...words.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!),
  };
}

/** A document beside the page or above it, and the section in it. */
function expectLink(link: string): void {
  const [file = '', section] = link.split('#');
  const path = file === '' ? PAGE : join(dirname(PAGE), file);
  assert.ok(existsSync(join(project, path)), link);
  if (section === undefined) return;
  const headings = [...read(slashes(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  assert.ok(headings.includes(section), link);
}

it('the server that the guide sets up writes its log where it cannot change it', () => {
  const unit = read('examples/colloquy.service');
  assert.match(unit, /^User=colloquy$/m);
  // To the journal, then, which systemd writes for it.
  assert.doesNotMatch(unit, /^Standard(?:Output|Error)=|COLLOQUY_SECURITY_LOG|SupplementaryGroups=/m);
  const guide = read('docs/operating.md');
  const settings = /^COLLOQUY_DATA=[^`]*?^END$/m.exec(guide)?.[0] ?? '';
  assert.match(settings, /^COLLOQUY_PUBLIC_URL=/m);
  assert.doesNotMatch(settings, /SECURITY_LOG/);
  // Nor is its user among those who may read the journal: the proxy alone is put into a group, the server's.
  assert.deepEqual(guide.match(/^sudo usermod .*$/gm), ['sudo usermod --append --groups colloquy caddy']);
});

describe('the source', () => {
  const sources = globSync('src/**/*.ts', { cwd: project })
    .map(slashes)
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ path, text: read(path).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '') }));

  const filesWith = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('there is something to look at', () => assert.ok(sources.length > 300));

  it('programs are started by fixed names, without a shell', () => {
    assert.deepEqual(filesWith(/['"](?:node:)?child_process['"]/), [
      'src/cli/serving/waiting.ts',
      'src/features/saved/watch.ts',
      'src/ingest/containers/unpack.ts',
    ]);
    assert.match(read('src/cli/serving/waiting.ts'), /import \{ execFile \} from 'node:child_process';/);
    assert.match(read('src/cli/serving/waiting.ts'), /^const PROGRAM = 'systemd-notify';$/m);
    assert.match(read('src/ingest/containers/unpack.ts'), /import \{ spawn \} from 'node:child_process';/);
    assert.match(read('src/ingest/containers/unpack.ts'), /name: 'bzip2' \| 'xz'/);
    // The command that its own user gives to `watch --exec`; no server runs it.
    assert.deepEqual(filesWith(/\bshell:/), ['src/features/saved/watch.ts']);
  });

  it('no code is made from text', () => {
    assert.deepEqual(filesWith(/\beval\(|\bnew Function\(|['"](?:node:)?vm['"]/), []);
    // What shapes an export, what prints records, and what reads a dump, by addresses in the source; the tables of a
    // library, beside the module that it gives.
    assert.deepEqual(filesWith(/\bimport\((?!['"`])|\bcreateRequire\b/), [
      'src/engines/embedded/threads/worker.ts',
      'src/engines/shared/exports.ts',
      'src/ingest/pool.ts',
      'src/ingest/sentiment/ngram-languages.ts',
    ]);
    const ofPage = read('src/web/page.js');
    assert.doesNotMatch(
      ofPage,
      /\beval\(|\bnew Function\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
    );
  });

  it('nothing but the client of OpenSearch asks others', () => {
    assert.deepEqual(filesWith(/from '(?:@opensearch-project\/opensearch|undici)'/), [
      'src/engines/opensearch/cluster/client.ts',
    ]);
    // To find out whether somebody listens at a socket of this machine.
    assert.deepEqual(filesWith(/\{[^}]*\b(?:connect|createConnection)\b[^}]*\} from 'node:(?:net|tls)'/), [
      'src/cli/serving/listening.ts',
    ]);
    const asking = filesWith(/\{[^}]*\b(?:request|get|Agent)\b[^}]*\} from 'node:(?:http|https|http2)'/);
    assert.deepEqual(asking, []);
    assert.deepEqual(filesWith(/from 'node:(?:dgram|dns)/), []);
    // In programs that the pages show; and the command asks the server that its caller names, with their key.
    assert.deepEqual(filesWith(/\bfetch\(/), [
      'src/features/docs/api-examples.ts',
      'src/features/mcp/command.ts',
    ]);
  });

  it('hashes are of SHA-2, and come from node:crypto', () => {
    const named = sources.flatMap(({ text }) => [
      ...text.matchAll(/\b(createHash|createHmac|hash)\('([^']+)'/g),
    ]);
    assert.ok(named.length > 10);
    // SHA-1 is approved inside an HMAC alone (NIST SP 800-131A).
    for (const [found, call, name] of named)
      assert.ok(/^sha(?:256|512)$/.test(name!) || (call === 'createHmac' && name === 'sha1'), found);
    assert.deepEqual(filesWith(/\bcreateCipheriv\(|\bcreateSign\(|\bpublicEncrypt\(/), []);
  });

  it('Math.random makes no secret: pauses, and the name of a file', () => {
    assert.deepEqual(filesWith(/\bMath\.random\(/), [
      'src/engines/embedded/writing/writer.ts',
      'src/engines/opensearch/cluster/bulk.ts',
      'src/engines/opensearch/cluster/client.ts',
      'src/engines/opensearch/state/manifest.ts',
    ]);
  });

  it('the page stores nothing but whether its keys are off and the language of examples', () => {
    const script = read('src/web/page.js');
    const stored = [...script.matchAll(/\bremember\((\w+),/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(stored)], ['LANGUAGE', 'KEYS_OFF', 'name']);
    assert.equal(script.match(/\blocalStorage\b/g)?.length, 2);
    assert.doesNotMatch(script, /\bsessionStorage\b|\bindexedDB\b|document\.cookie|postMessage/);
  });

  it('the recipe for nginx has TLS 1.2 and 1.3, and ciphers with forward secrecy alone', () => {
    const recipe = read('examples/nginx.conf');
    assert.match(recipe, /^ {4}ssl_protocols TLSv1\.2 TLSv1\.3;$/m);
    assert.match(recipe, /^ {4}ssl_ciphers ECDHE\+AESGCM:ECDHE\+CHACHA20;$/m);
  });
});

const NUMBERS = {
  1: `
    1.2:1,2,3,4,5 1.3:1,2 1.5:1 2.1:1 2.2:1,2 2.3:1 3.2:1,2 3.3:1 3.4:1,2 3.5:1,2,3 4.1:1 4.4:1 5.2:1,2
    5.3:1,2 6.1:1 6.2:1,2,3,4,5,6,7,8 6.3:1,2 6.4:1,2 7.2:1,2,3,4 7.4:1,2 8.1:1 8.2:1,2 8.3:1 9.1:1,2,3
    9.2:1 10.4:1,2,3,4,5 11.3:1,2 11.4:1 12.1:1 12.2:1,2 13.4:1 14.2:1 14.3:1 15.1:1 15.2:1 15.3:1
  `,
  2: `
    1.1:1,2 1.2:6,7,8,9 1.3:3,4,5,6,7,8,9,10,11 1.4:1,2,3 1.5:2 2.1:2,3 2.2:3 2.3:2,3,4 2.4:1 3.3:2,3,4
    3.4:3,4,5,6 3.5:4,5 3.7:1,2 4.1:2,3 4.2:1 4.3:1,2 4.4:2,3,4 5.1:1 5.2:3 5.4:1,2,3 6.1:2,3
    6.2:9,10,11,12 6.3:3,4 6.4:3,4 6.5:1,2,3,4,5 6.6:1,2,3 6.8:1,2,3,4 7.1:1,2,3 7.3:1,2 7.4:3,4,5
    7.5:1,2 7.6:1,2 8.1:2 8.2:3 8.4:1 9.2:2,3,4 10.1:1,2 10.2:1,2 10.3:1,2,3,4 10.4:6,7,8,9,10,11
    10.5:1,2,3,4,5 10.6:1,2 10.7:1,2,3 11.1:1,2 11.2:1,2,3 11.3:3 11.4:2,3,4 11.5:1 11.6:1 12.1:2,3
    12.3:1,2,3,4 13.1:1 13.2:1,2,3,4,5 13.3:1,2 13.4:2,3,4,5 14.1:1,2 14.2:2,3,4 14.3:2,3 15.1:2,3
    15.2:2,3 15.3:2,3,4,5,6,7 16.1:1 16.2:1,2,3,4,5 16.3:1,2,3,4 16.4:1,2,3 16.5:1,2,3 17.1:1
    17.2:1,2,3,4 17.3:1,2
  `,
} as const;

export type Level = keyof typeof NUMBERS;

/** Each requirement with its level, in the order of the numbers within a level. */
export const REQUIREMENTS: ReadonlyMap<string, Level> = new Map(
  ([1, 2] as const).flatMap((level) =>
    NUMBERS[level]
      .trim()
      .split(/\s+/)
      .flatMap((section) => {
        const [name = '', numbers = ''] = section.split(':');
        return numbers.split(',').map((number): [string, Level] => [`${name}.${number}`, level]);
      }),
  ),
);
