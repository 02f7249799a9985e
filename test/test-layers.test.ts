// Holds the order of what tests, measures and packs: which folders of test/, bench/ and release/ may import which, and
// what they may know of the engines. The layers of src/ are in layers.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { circlesIn, sourceFiles } from './source-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Room → rooms it may import. `helpers` and `suites` are files of test/ itself: small things that anything may use, and
 * what several tests are made of; `top` are the tests that stand there.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  helpers: [],
  generators: [],
  reference: ['helpers'],
  bench: ['helpers', 'opensearch'],
  fixtures: ['helpers', 'generators'],
  suites: ['reference', 'helpers', 'generators', 'fixtures'],
  opensearch: ['reference', 'helpers', 'suites', 'import', 'api', 'feeds'],
  fuzz: ['helpers', 'generators'],
  import: ['reference', 'helpers', 'suites', 'generators'],
  removing: ['reference', 'helpers', 'suites', 'import'],
  moving: ['reference', 'helpers', 'suites', 'generators'],
  citing: ['reference', 'helpers', 'generators', 'import', 'page'],
  api: ['reference', 'helpers', 'suites', 'generators'],
  clients: ['helpers', 'api'],
  release: [],
  packages: ['helpers', 'release'],
  datasets: ['helpers', 'suites', 'import', 'api', 'page'],
  readers: ['helpers', 'suites'],
  page: ['helpers', 'api'],
  'account-pages': ['reference', 'helpers', 'api', 'page'],
  places: ['helpers', 'suites', 'fixtures', 'import', 'api', 'page'],
  monitoring: ['helpers', 'api', 'account-pages'],
  feeds: ['helpers', 'suites', 'import', 'api', 'account-pages', 'monitoring'],
  access: ['helpers', 'api', 'account-pages', 'datasets', 'monitoring'],
  chaos: ['reference', 'helpers', 'suites', 'fixtures', 'bench'],
  long: [
    'reference',
    ...['helpers', 'suites', 'generators', 'opensearch', 'chaos', 'fuzz', 'api', 'page', 'bench'],
    ...['citing', 'datasets', 'feeds', 'import'],
    ...['packages', 'release'],
  ],
  top: [
    'reference',
    'helpers',
    'suites',
    'generators',
    'fixtures',
    'import',
    'api',
    'page',
    'datasets',
    'bench',
  ],
  'src tests': ['reference', 'helpers', 'suites', 'generators', 'bench'],
};

const HELPERS = [
  'account-fixtures',
  'archive',
  'clock',
  'command-server',
  'file-removals',
  'helpers',
  'of-tests',
  'one-process',
  'processes',
  'removal-corpus',
  'silent-log',
  'source-tree',
  'whole-stats',
];

/** They ask by HTTP or read bytes: what they show holds for any engine. */
const KNOW_NO_ENGINE = ['generators', 'fuzz', 'clients', 'page'];

const files = sourceFiles(root, ['src', 'test', 'bench', 'release']).filter(
  ({ path }) => roomOf(path) !== 'src',
);

describe('layers of what tests', () => {
  it('every folder has its place', () => {
    assert.ok(files.length > 200);
    const strangers = files.filter(({ path }) => !(roomOf(path) in ARROWS)).map(({ path }) => path);
    assert.deepEqual(strangers, []);
  });

  it('imports between the folders follow the arrows', () => {
    const against = files.flatMap(({ path, targets }) => {
      const room = roomOf(path);
      const allowed = ['src', room, ...(ARROWS[room] ?? [])];
      return targets
        .filter((target) => !allowed.includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`);
    });
    assert.deepEqual(against, []);
  });

  it('no arrow leads back, from folder to folder and from file to file', () => {
    assert.deepEqual(circlesIn(new Map(Object.entries(ARROWS))), []);
    assert.deepEqual(circlesIn(new Map(files.map(({ path, targets }) => [path, targets]))), []);
  });

  it('nothing that the service is made of imports a test or a benchmark', () => {
    const service = sourceFiles(root, ['src']).filter(({ path }) => !path.endsWith('.test.ts'));
    const against = service.filter(({ targets }) => targets.some((target) => !target.startsWith('src/')));
    const paths = against.map(({ path }) => path);
    assert.deepEqual(paths, []);
  });

  it('tests that hold for any engine name none', () => {
    const against = files
      .filter(({ path }) => KNOW_NO_ENGINE.includes(roomOf(path)))
      .flatMap(({ path, targets }) =>
        targets
          .filter((target) => /^src\/engines\/(?!packing\/)/.test(target))
          .map((target) => `${path} imports ${target}`),
      );
    assert.deepEqual(against, []);
  });
});

/** `page` for test/page/x/y.ts, `bench` for bench/x.ts, `src` for what is no test. */
function roomOf(path: string): string {
  const [first, second, ...rest] = path.split('/');
  if (first === 'src') return path.endsWith('.test.ts') ? 'src tests' : 'src';
  if (first === 'bench' || first === 'release') return first;
  if (rest.length > 0) return second!;
  if (HELPERS.includes(second!.replace(/\.ts$/, ''))) return 'helpers';
  return path.endsWith('.test.ts') ? 'top' : 'suites';
}
