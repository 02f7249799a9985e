// The largest texts of real records can be read whole on the site, without script: looks for the largest texts of each
// kind, fetches the pages of their records as a visitor and compares every character.
//
//   npm run test:long -- largest-texts [FOLDER]   (a data folder; absent: ../shared/data/corpus is imported into a
// temporary one)

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { recordAddress } from '../../src/http/addresses/reading.ts';
import { buildServer } from '../../src/http/server.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { PageService } from '../../src/search/page/page-service.ts';
import { decodeEntities } from '../../src/text/entities.ts';
import { shownText } from '../page/site.ts';

const HOW_MANY = 5;
const corpus = fileURLToPath(new URL('../../../shared/data/corpus/', import.meta.url));
const given = process.argv[2];

if (given !== undefined) await readLargest(given);
else if (existsSync(corpus)) await importAndRead();
else console.log(`skipped: ${corpus} is not here`);

async function importAndRead(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-largest-'));
  try {
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const files = readdirSync(corpus).map((name) => join(corpus, name));
    const { status } = spawnSync(process.execPath, [main, 'import', ...files, '--data', folder], {
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`import: exit ${status}`);
    await readLargest(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readLargest(folder: string): Promise<void> {
  const config = { ...readConfig({}), dataFolder: folder };
  await using app = await openApp(config, { sample: false });
  const server = await buildServer({
    search: app.search,
    exports: app.exports,
    analysis: { engine: app.engine, queryTimeoutMs: Infinity },
    keys: app.accounts,
    settings: { requestsPerMinute: 0, exportsAtOnce: 4, publicUrl: null, trustedProxies: [] },
    pages: { service: new PageService(app.engine, app.search, config), settings: config },
  });
  for (const kind of KINDS) {
    for (const record of await largest(app.engine, kind)) {
      const text = textOf(record);
      const word = /\p{L}{4,}(?=\P{L}*$)/u.exec(text.slice(-2000))?.[0] ?? '';
      const url = recordAddress(kind, record.id, { q: word });
      const { statusCode, body } = await server.inject({ url });
      const expected = decodeEntities(text)
        .replace(/\r\n?/g, '\n')
        .replace(/(\p{M}{4})\p{M}+/gu, '$1');
      const isWhole = statusCode === 200 && shownText(body) === expected;
      const marks = body.split('<mark>').length - 1;
      console.log(
        `${url.split('?')[0]}: ${text.length} characters, ${isWhole ? 'whole' : 'NOT WHOLE'}, ${marks} marks`,
      );
      if (!isWhole) process.exitCode = 1;
    }
  }
  await server.close();
}

async function largest(engine: SearchEngine, kind: Kind): Promise<StoredRecord[]> {
  let found: StoredRecord[] = [];
  for await (const batch of engine.scan(kind, { items: [] }, 'newest')) {
    found = [...found, ...batch].sort((a, b) => textOf(b).length - textOf(a).length).slice(0, HOW_MANY);
  }
  return found;
}

function textOf(record: StoredRecord): string {
  return record.kind === 'post' ? record.selftext : record.body;
}
