// The programs under examples/ are run against a server, and the unit of systemd is checked.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { commandsOf } from '../src/cli/run.ts';
import { SETTINGS } from '../src/config.ts';
import { FEATURES } from '../src/features.ts';
import { idsOf } from './api/asking.ts';
import { comment, jsonLines, post, START_OF_2008 } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { listening, openSite } from './page/site.ts';
import { missing } from './processes.ts';

const COMMANDS = commandsOf(FEATURES);

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const WEEK = 7 * 86_400;

/** 1,500 posts, so that a walk has two pages; of two communities, within two weeks of 2008. */
const POSTS = Array.from({ length: 1500 }, (_, i) =>
  post({
    id: `p${i}`,
    title: i % 3 === 0 ? 'Wind' : 'Solar',
    community: i % 2 === 0 ? 'energy' : 'roofs',
    created: START_OF_2008 + 4 * WEEK + (i % 2) * WEEK,
    score: i % 5,
  }),
);
const COMMENTS = [
  comment({ id: 'a', body: 'solar', created: START_OF_2008 }),
  comment({ id: 'b', body: 'solar', created: START_OF_2008 - 1 }),
  comment({ id: 'c', body: 'wind', created: START_OF_2008 }),
];

describe('examples', async () => {
  const site = ofTests(await openSite(POSTS, COMMENTS));
  const base = await listening(await site.build());

  async function output(program: string, name: string, ...words: string[]): Promise<string> {
    const env = { ...process.env, BASE: base, COLLOQUY_KEY: site.key };
    return (await run(program, [join(folder, name), ...words], { env, maxBuffer: 1e8 })).stdout;
  }

  it('README.md has all of them', () => {
    const rows = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| \[(\S+)\]\(\1\)/gm)];
    const named = rows.map(([, name]) => name!);
    assert.deepEqual([...named, 'README.md'].sort(), readdirSync(folder).sort());
  });

  it('table.py: a row a month, over all pages', { skip: missing('python3') }, async () => {
    const expected = 'month,posts,median_score,communities\n2008-01,500,2,1\n2008-02,500,2,1\n';
    assert.equal(await output('python3', 'table.py', 'solar', 'after:1970-01-01'), expected);
    await assert.rejects(output('python3', 'table.py', 'score:x'), /bad_score: /);
  });

  it('every-match.mjs: every match once, over all pages', async () => {
    const records = jsonLines(await output(process.execPath, 'every-match.mjs', 'posts', 'solar'));
    const solar = POSTS.filter(({ title }) => title === 'Solar');
    assert.deepEqual(idsOf(records).sort(), idsOf(solar).sort());
    await assert.rejects(output(process.execPath, 'every-match.mjs', 'posts', 'score:x'), /bad_score: /);
  });

  it('by-year.sh: the counts of each year', { skip: missing('curl') }, async () => {
    const rows = (await output('sh', 'by-year.sh', 'comments', 'solar')).trimEnd().split('\n');
    const counts = Object.fromEntries(rows.map((row) => row.split('\t')));
    assert.deepEqual([counts['2005'], counts['2007'], counts['2008'], counts['2009']], ['0', '1', '1', '0']);
    assert.equal(rows.length, new Date().getUTCFullYear() - 2004);
    await assert.rejects(output('sh', 'by-year.sh', 'comments', 'score:x'), /bad_score/);
  });
});

describe('colloquy.service', () => {
  const unit = readFileSync(join(folder, 'colloquy.service'), 'utf8');

  it('calls a command that there is, with settings that there are', async () => {
    const [, path, command, ...flags] = /^ExecStart=(\S+) (\S+)(.*)$/m.exec(unit)!;
    assert.equal(path, '/opt/colloquy/bin/colloquy');
    const { bin } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(bin), ['colloquy']);
    const loaded = await COMMANDS[command!]!();
    assert.ok(loaded instanceof Command);
    assert.deepEqual(flags, ['']);
    const known: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);
    const named = [...unit.matchAll(/^Environment=(COLLOQUY_\w+)=/gm)].map(([, name]) => name!);
    assert.ok(named.length > 0);
    const unknown = named.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });

  it('every line is a section, a setting of systemd or a comment', () => {
    const lines = unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*)$/);
  });

  it('its exposure is at most 1 of 10, as systemd rates it', {
    skip: missing('systemd-analyze'),
  }, async (t) => {
    const words = ['security', '--no-pager', '--offline=true', '--threshold=10'];
    const { stdout } = await run('systemd-analyze', [...words, join(folder, 'colloquy.service')]).catch(
      (error: { stdout: string; stderr: string }) => {
        if (/unrecognized option|unknown/i.test(error.stderr)) return { stdout: '' };
        throw error;
      },
    );
    if (stdout === '') return t.skip('a systemd before 250');
    assert.match(stdout, /Overall exposure level for colloquy\.service: 0\.\d/);
  });

  it('its threads may set their priority: exports failed under a filter that forbids it', () => {
    const filters = [...unit.matchAll(/^SystemCallFilter=(.*)$/gm)].map(([, filter]) => filter);
    assert.deepEqual(filters, ['@system-service', '~@privileged @resources', 'setpriority']);
  });
});
