// A server whose wall clock jumps by an hour and a year, forward and back, while it serves; libfaketime moves the
// clock. The clock that never goes back stays as it is, as it does when a machine's time is set.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Accounts } from '../../src/accounts/accounts.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { PROGRAM, type Served, serve } from '../processes.ts';

const [LIBRARY] = globSync('/usr/lib*/{*/,}faketime/libfaketimeMT.so.1');
const HOUR = 3_600;
const YEAR = 365 * 86_400;
const JUMPS = [HOUR, -HOUR, YEAR, -YEAR, 0];
const COMMENTS = 6_000;
/** So that an export does not fit between the server and who does not read. */
const LONG = 'a word and another one '.repeat(80);
const PAGE = 1_000;
/** Each may ask this often a minute, and asks less. */
const ACCOUNTS = 30;
const A_MINUTE = 3;

describe('a clock that jumps while the server serves', {
  skip: LIBRARY === undefined ? 'libfaketime is not installed (the package faketime of Debian)' : false,
}, () => {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const clock = join(folder.path, 'clock');
  const env = {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  const keys: string[] = [];
  let [session, spent] = ['', ''];
  let asked = 0;
  let served: Served;

  before(async () => {
    {
      await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 1 });
      const ids = Array.from({ length: COMMENTS }, (_, i) => (i + 1_000).toString(36));
      await engine.index('comment', packRecords(ids.map((id) => comment({ id, body: LONG }))));
      await using accounts = Accounts.open(data);
      const keyOf = (email: string) => accounts.createKey({ email, name: 'a', expiresInDays: null }).key;
      for (let i = 0; i < ACCOUNTS; i++) keys.push(keyOf(`a${i}@example.org`));
      spent = keyOf('spent@example.org');
      session = accounts.sessions.start(
        (await credentialsOf(accounts).register('bob@example.org', 'a long one'))!,
        'test',
      );
    }
    const patient = { COLLOQUY_QUERY_TIMEOUT_MS: '240000' };
    const limits = { COLLOQUY_REQUESTS_PER_MINUTE: String(A_MINUTE), COLLOQUY_THREADS: '1' };
    const settings = { ...env, ...patient, ...limits };
    jump(YEAR);
    served = await serve(['--data', data], settings);
    const { headers } = await fetch(`${served.address}/livez`);
    assert.ok(Date.parse(headers.get('date')!) - Date.now() > (YEAR - HOUR) * 1_000, 'the clock is ours');
    jump(0);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** In turns by every account, so that none comes to its limit. */
  function get(path: string, key = keys[asked++ % ACCOUNTS]!): Promise<Response> {
    return fetch(served.address + path, { headers: { authorization: `Bearer ${key}` } });
  }

  /** The envelope. */
  async function search(words: string) {
    const response = await get(`/api/v1/search/comments?${words}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  /** Every look at the clock reads the file, so that it is never there in part. */
  function jump(seconds: number): void {
    writeFileSync(`${clock}.next`, seconds < 0 ? `${seconds}` : `+${seconds}`);
    renameSync(`${clock}.next`, clock);
  }

  it('a walk goes on behind every jump, and gives every record once', async () => {
    const ids = new Set<string>();
    let cursor = '';
    for (const seconds of [0, ...JUMPS]) {
      jump(seconds);
      const page = await search(`query=word&limit=${PAGE}&after=${cursor}`);
      assert.equal(page.total_count, COMMENTS);
      for (const { id } of page.data) ids.add(id);
      cursor = String(page.sort_key[0] ?? '');
    }
    assert.equal(ids.size, COMMENTS);
  });

  it('who has used up a limit gets nothing more by a jump, and waits no longer', async () => {
    const began = performance.now();
    let status = 200;
    while (status === 200) status = (await get('/api/v1/search/comments?query=x', spent)).status;
    assert.equal(status, 429);
    let granted = 0;
    for (const seconds of JUMPS) {
      jump(seconds);
      const response = await get('/api/v1/search/comments?query=x', spent);
      if (response.status === 200) granted++;
      else assert.ok(Number(response.headers.get('retry-after')) <= 60 / A_MINUTE, `${seconds}`);
    }
    // What comes by the time that really went by, on a slow machine too.
    const due = ((performance.now() - began) / 60_000) * A_MINUTE;
    assert.ok(granted <= Math.ceil(due), `${granted} granted, ${due} due`);
  });

  it('a session holds over an hour, ends while the year is another, and is there again afterwards', async () => {
    const found: number[] = [];
    for (const seconds of [HOUR, -HOUR, YEAR, 0]) {
      jump(seconds);
      const headers = { cookie: `colloquy_session=${session}` };
      const response = await fetch(`${served.address}/account`, { headers, redirect: 'manual' });
      found.push(response.status);
    }
    assert.deepEqual(found, [200, 200, 303, 200]);
  });

  it('an export goes on to its end', async () => {
    for (const seconds of [YEAR, -YEAR]) {
      jump(0);
      const response = await get('/api/v1/export/comments?query=word&format=ndjson');
      const reader = response.body!.getReader();
      const pieces = [(await reader.read()).value!];
      jump(seconds);
      for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
      assert.equal(Buffer.concat(pieces).toString().split('\n').length - 1, COMMENTS);
    }
  });

  it('what another process imports, removes and erases shows, whatever its clock and ours say', async () => {
    let id = 0;
    for (const seconds of [YEAR, -YEAR]) {
      jump(seconds);
      const source = join(folder.path, 'new.ndjson');
      const record = { id: `new${id++}`, subreddit: 'energy', created_utc: 1_700_000_000, body: 'heliostat' };
      writeFileSync(source, `${JSON.stringify({ ...record, score: 1, link_id: 't3_1' })}\n`);
      run({}, 'import', source);
      assert.equal((await search('query=heliostat')).total_count, 1);
      run(env, 'remove', 'comments', record.id, '--purge');
      assert.equal((await search('query=heliostat')).total_count, 0);
    }
  });

  function run(settings: Readonly<Record<string, string>>, ...words: readonly string[]): void {
    const all = { ...process.env, ...settings };
    const ended = spawnSync(process.execPath, [PROGRAM, ...words, '--data', data], { env: all });
    assert.equal(ended.status, 0, String(ended.stderr));
  }
});
