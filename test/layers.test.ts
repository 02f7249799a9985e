// Holds the pictures in ARCHITECTURE.md: who may import whom, which packages, and what stands in one place only.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { builtinModules } from 'node:module';
import { describe, it } from 'node:test';
import { project, read } from './project.ts';
import { circlesIn, sourceFiles, withoutComments } from './source-tree.ts';

type Arrows = Readonly<Record<string, readonly string[]>>;

/** Layer → layers it may import, as drawn. Every layer may import itself and these. */
const EVERYBODYS = ['errors', 'log', 'own-modules'];
/** `rooms`: folder with rooms → room → rooms of it that it may import. `.` are the files that stand in no room. */
const { layers: ARROWS, rooms: ROOMS } = drawings(read('ARCHITECTURE.md'));

/** Room → its files by steps: each may import those of the steps below its own, and none beside it. */
const STEPS: Record<string, readonly (readonly string[])[]> = {
  'search/language': [['interpret'], ['parser'], ['operators'], ['syntax']],
};

/** Package → layers that may import it. */
const PACKAGES: Record<string, readonly string[]> = {
  '@fastify/swagger': ['http'],
  '@modelcontextprotocol/server': ['features'],
  '@opensearch-project/opensearch': ['engines/opensearch'],
  'cli-progress': ['cli'],
  commander: ['cli', 'features'],
  fastify: ['http', 'features'],
  'hyparquet-writer': ['features'],
  'markdown-it': ['http'],
  'prom-client': ['features'],
  uqr: ['features'],
  wabt: ['engines/embedded'],
};

const SQLITE_LAYERS = ['sqlite', 'accounts', 'catalogue', 'features', 'engines/embedded'];

/** Paths and targets below src/; tests stand on top of all layers. */
const files = sourceFiles(project, ['src'])
  .filter(({ path }) => !path.endsWith('.test.ts'))
  .map(({ path, text, imports, targets }) => ({
    path: path.slice('src/'.length),
    layer: layerOf(path.slice('src/'.length)),
    text,
    imports,
    targets: targets.map((target) => target.replace(/^src\//, '')),
  }));

/** What the files of src/ import of it. */
const edges = files.flatMap(({ path, layer, targets }) => targets.map((target) => ({ path, layer, target })));

type Edges = typeof edges;

const told = (some: Edges) => some.map(({ path, target }) => `${path} imports ${target}`);

function edgesIn(folder: string): Edges {
  return edges.filter(({ path, target }) => [path, target].every((end) => end.startsWith(`${folder}/`)));
}

describe('layers', () => {
  it('there is something to look at', () => assert.ok(files.length > 20));

  it('every file lies in a layer of the picture', () => {
    const strangers = files
      .filter(({ layer }) => !(layer in ARROWS) && !EVERYBODYS.includes(layer))
      .map(({ path }) => path);
    assert.deepEqual(strangers, []);
  });

  it('imports follow the arrows', () => {
    const allowed = (layer: string) => [layer, ...EVERYBODYS, ...(ARROWS[layer] ?? [])];
    const against = edges.filter(({ layer, target }) => !allowed(layer).includes(layerOf(target)));
    assert.deepEqual(told(against), []);
  });

  it('imports inside a layer follow the arrows between its rooms', () => {
    for (const [folder, arrows] of Object.entries(ROOMS)) {
      const against = edgesIn(folder).filter(({ path, target }) => {
        const room = roomOf(folder, path);
        return !(room in arrows && [room, ...arrows[room]!].includes(roomOf(folder, target)));
      });
      assert.deepEqual(told(against), []);
    }
  });

  it('imports inside a room follow its steps', () => {
    for (const [room, steps] of Object.entries(STEPS)) {
      const stepOf = (path: string) =>
        steps.findIndex((names) => names.some((name) => path === `${room}/${name}.ts`));
      for (const { path } of files) if (path.startsWith(`${room}/`)) assert.notEqual(stepOf(path), -1, path);
      const against = edgesIn(room).filter(({ path, target }) => stepOf(target) <= stepOf(path));
      assert.deepEqual(told(against), []);
    }
  });

  it('the arrows between layers, and between the rooms of one, lead nowhere back', () => {
    for (const arrows of [ARROWS, ...Object.values(ROOMS)]) {
      assert.deepEqual(circlesIn(new Map(Object.entries(arrows))), []);
    }
  });

  it('no arrow and no package is allowed without an import that needs it', () => {
    const between = (path: string, target: string, roomOfPath: (path: string) => string) =>
      `${roomOfPath(path)} → ${roomOfPath(target)}`;
    const used = new Set(edges.map(({ path, target }) => between(path, target, layerOf)));
    for (const folder of Object.keys(ROOMS))
      for (const { path, target } of edgesIn(folder))
        used.add(`${folder}: ${between(path, target, (name) => roomOf(folder, name))}`);
    for (const { layer, imports } of files)
      for (const name of imports) used.add(`${layer} → ${packageOf(name)}`);
    const allowed = [
      ...allowedBy(ARROWS, ''),
      ...Object.entries(ROOMS).flatMap(([folder, arrows]) => allowedBy(arrows, `${folder}: `)),
      ...Object.entries(PACKAGES).flatMap(([name, layers]) => layers.map((layer) => `${layer} → ${name}`)),
    ];
    const unused = allowed.filter((arrow) => !used.has(arrow));
    assert.deepEqual(unused, []);
  });

  it('all arrows that are drawn lead downwards', () => {
    for (const arrows of [ARROWS, ...Object.values(ROOMS)]) {
      const names = Object.keys(arrows);
      const upwards = Object.entries(arrows).flatMap(([from, targets], row) =>
        targets.filter((to) => names.indexOf(to) < row).map((to) => `${from} → ${to}`),
      );
      assert.deepEqual(upwards, []);
    }
  });

  it('every room that is named is there', () => {
    const missing = Object.entries(ROOMS).flatMap(([folder, arrows]) => {
      const rooms = new Set(
        files.filter(({ path }) => path.startsWith(`${folder}/`)).map(({ path }) => roomOf(folder, path)),
      );
      const named = new Set([...Object.keys(arrows), ...Object.values(arrows).flat()]);
      return [...named].filter((room) => !rooms.has(room)).map((room) => `${folder}: ${room}`);
    });
    assert.deepEqual(missing, []);
  });

  it('no import leads back to where it started', () => {
    assert.deepEqual(circlesIn(new Map(files.map((file) => [file.path, file.targets]))), []);
  });

  it('packages are listed, built-ins begin with node:', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
        .filter((name) => builtinModules.includes(name) || !PACKAGES[packageOf(name)]?.includes(file.layer))
        .map((name) => `${file.path} imports ${name}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('a feature is imported by the list of features alone, and none imports another', () => {
    const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
    const wrong = edges.filter(({ path, target }) => {
      const feature = featureOf(target);
      return path !== 'features.ts' && feature !== undefined && feature !== featureOf(path);
    });
    assert.deepEqual(told(wrong), []);
  });

  it('process.env is read in config.ts alone', () => {
    // The pages show callers examples that read a key from it.
    const readers = files.filter(
      (file) => !file.path.startsWith('http/views/') && /\bprocess\.env\b/.test(withoutComments(file.text)),
    );
    const paths = readers.map((file) => file.path);
    assert.deepEqual(paths, ['config.ts']);
  });

  it('node:sqlite stays in sqlite/, accounts/, catalogue/, engines/embedded/ and stores of features', () => {
    const users = files.filter((file) => file.imports.includes('node:sqlite'));
    for (const { path, layer } of users) assert.ok(SQLITE_LAYERS.includes(layer), path);
  });

  it('only app.ts, folder/ and features that keep the folder know which engines there are, and nobody knows more of one than its module', () => {
    const known = edges
      .filter(({ layer }) => !layer.startsWith('engines'))
      // In which records come to any of them.
      .filter(({ target }) => target.startsWith('engines/') && !target.startsWith('engines/packing/'));
    assert.deepEqual(told(known).sort(), [
      'app.ts imports engines/engines.ts',
      'features/move/feature.ts imports engines/engines.ts',
      'features/upkeep/backup.ts imports engines/engines.ts',
      'folder/data-folder.ts imports engines/engines.ts',
    ]);
  });

  it('nothing outside engines/ names a file of an engine', () => {
    const own = /\b(?:posts|comments)\.db\b|\bwriter\.(?:lock|pid)\b|\.seg\b/;
    const namers = files.filter(({ layer, text }) => !layer.startsWith('engines') && own.test(text));
    const paths = namers.map(({ path }) => path);
    assert.deepEqual(paths, []);
    const known = files.filter(({ path, text }) => path.startsWith('engines/embedded/') && own.test(text));
    assert.ok(known.length > 2, 'the names are still those of the embedded engine');
  });
});

/** Prints those of the named modules that have an await outside of functions. */
const AWAITING = `
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { SourceTextModule } from 'node:vm';
const awaits = (path) => new SourceTextModule(stripTypeScriptTypes(readFileSync(path, 'utf8'))).hasTopLevelAwait();
console.log(JSON.stringify(process.argv.slice(1).filter(awaits)));`;

describe('threads', () => {
  // A thread that is ended in the midst of such a module may take the process with it: nodejs/node issue 62114.
  it('run no module that has an await outside of functions', () => {
    const flags = ['--no-warnings', '--experimental-vm-modules', '--input-type=module', '--eval', AWAITING];
    const paths = files.map(({ path }) => `src/${path}`);
    const found = execFileSync(process.execPath, [...flags, ...paths], { cwd: project, encoding: 'utf8' });
    const programs = ['src/engines/embedded/sets/build-module.ts', 'src/main.ts'];
    assert.deepEqual(JSON.parse(found).toSorted(), programs);
  });
});

describe('what tests and measures', () => {
  const files = sourceFiles(project, ['src', 'test', 'bench', 'release']);

  it('has no import that leads back to where it started', () => {
    assert.deepEqual(circlesIn(new Map(files.map(({ path, targets }) => [path, targets]))), []);
  });

  it('names no engine where it holds for any', () => {
    const known = files
      .filter(({ path }) => /^test\/(?:generators|fuzz|clients|page)\//.test(path))
      .flatMap(({ path, targets }) => targets.map((target) => `${path} imports ${target}`))
      .filter((line) => /imports src\/engines\/(?!packing\/)/.test(line));
    assert.deepEqual(known, []);
  });
});

/**
 * `search` for search/language/parser.ts, `engines/embedded` for engines/embedded/x/y.ts, `engines` for
 * engines/z.ts.
 */
function layerOf(path: string): string {
  const parts = path.split('/');
  if (parts.length === 1) return path.replace(/\.ts$/, '');
  return parts[0] === 'engines' && parts.length > 2 ? parts.slice(0, 2).join('/') : parts[0]!;
}

/**
 * `format` for engines/embedded/format/keys.ts, `server.ts` for http/server.ts; `.` where the file stands in
 * no room.
 */
function roomOf(folder: string, path: string): string {
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length > 0 || Object.hasOwn(ROOMS[folder] ?? {}, first) ? first : '.';
}

/** `fastify` for fastify/types/reply.js, with its scope where it has one. */
function packageOf(name: string): string {
  return /^(?:@[^/]*\/)?[^/]*/.exec(name)![0];
}

function allowedBy(arrows: Readonly<Record<string, readonly string[]>>, prefix: string): string[] {
  return Object.entries(arrows).flatMap(([from, targets]) => targets.map((to) => `${prefix}${from} → ${to}`));
}

/**
 * The blocks of a document that have arrows: the layers, then for each layer with rooms its name and these. By rows: a
 * name, and the names behind its arrow, which may stand in the lines below. `/` stands behind a folder of the layers.
 */
function drawings(text: string): { layers: Arrows; rooms: Readonly<Record<string, Arrows>> } {
  const blocks = [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const [layers, ...rooms] = blocks.filter((block) => block.includes('──►'));
  const named = rooms.map((block) => {
    const end = block.indexOf('\n');
    return [block.slice(0, end).replace(/\/$/, ''), arrowsOf(block.slice(end + 1))] as const;
  });
  return { layers: arrowsOf(layers!), rooms: Object.fromEntries(named) };
}

function arrowsOf(block: string): Arrows {
  const rows: Record<string, string[]> = {};
  let row: string[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const begins = /^ \S/.test(line);
    const [before = '', behind] = begins || line.includes('──►') ? line.split('──►') : ['', line];
    if (begins) {
      row = [];
      rows[nameIn(before.trim().split(/\s/)[0]!)] = row;
    }
    const targets = (behind ?? '').split(',').map((name) => name.trim());
    row.push(...targets.filter((name) => name !== '').map(nameIn));
  }
  return rows;
}

function nameIn(drawing: string): string {
  if (drawing === '*.ts') return '.';
  return drawing.replace(/\/$/, '').replace(/^(main|app|config|metrics)\.ts$/, '$1');
}
