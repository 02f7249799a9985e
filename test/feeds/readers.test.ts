// Feeds as parsers of real readers take them: Python's feedparser, and feedsmith of npm. `.ci/run` installs both.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { isoTime } from '../../src/model/time.ts';
import { temporaryFolder } from '../helpers.ts';
import { AWKWARD_FEEDS, FORMS } from './awkward-feeds.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('read.py', import.meta.url));
const PYTHON = process.env.COLLOQUY_PYTHON ?? '';
const TOOLS = process.env.COLLOQUY_CLIENT_TOOLS ?? '';
const FEEDSMITH = join(TOOLS, 'node_modules/feedsmith/dist/index.mjs');

/** Parsers take white space at the ends of a text away, or leave it. */
const trimmed = (text: string | undefined) => (text ?? '').trim();

/** As both parsers are to find it. */
const EXPECTED = AWKWARD_FEEDS.map(({ title, self, home, next, entries }) => ({
  ...{ title: trimmed(title), self, home, next },
  entries: entries.map(({ id, title: of, link, text, updated }) => ({
    ...{ id, title: trimmed(of), link, text: trimmed(text), updated: isoTime(updated) },
  })),
}));

describe('feeds as others read them', () => {
  it('there are 50 or more', () => assert.ok(AWKWARD_FEEDS.length >= 50));

  it('feedparser', { skip: lackingFeedparser() }, async () => {
    using folder = temporaryFolder();
    const name = (number: number) => `${String(number).padStart(3, '0')}.atom`;
    for (const [number, feed] of AWKWARD_FEEDS.entries())
      writeFileSync(join(folder.path, name(number)), FORMS.atom(feed));
    const { stdout } = await run(PYTHON, [PROGRAM, folder.path], { maxBuffer: 1e9 });
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const [number, feed] of EXPECTED.entries()) {
      const { name: file, bozo, version, entries, ...rest } = found[number];
      assert.deepEqual([file, bozo, version], [name(number), '', 'atom10']);
      const read = entries.map(({ type, ...entry }: Record<string, string>) => {
        assert.equal(type, 'text/plain');
        return { ...entry, title: trimmed(entry.title), text: trimmed(entry.text) };
      });
      assert.deepEqual({ ...rest, title: trimmed(rest.title), entries: read }, feed);
    }
  });

  for (const form of ['atom', 'json'] as const) {
    it(`feedsmith, ${form}`, {
      skip: existsSync(FEEDSMITH) ? false : 'COLLOQUY_CLIENT_TOOLS has no feedsmith',
    }, async () => {
      const { parseFeed } = await import(pathToFileURL(FEEDSMITH).href);
      for (const [number, feed] of AWKWARD_FEEDS.entries()) {
        const found = parseFeed(FORMS[form](feed));
        assert.equal(found.format, form);
        const read = form === 'atom' ? ofAtom(found.feed) : ofJson(found.feed);
        assert.deepEqual(read, EXPECTED[number]);
      }
    });
  }
});

type Found = Record<string, string> &
  Record<'links' | 'entries' | 'items', Found[]> &
  Record<'title' | 'content', { value: string }>;

function ofAtom({ title, links, entries }: Found) {
  const linkOf = (of: Found[], rel: string) => of.find((link) => link.rel === rel)?.href ?? null;
  return {
    ...{ title: trimmed(title.value), self: linkOf(links, 'self'), home: linkOf(links, 'alternate') },
    next: linkOf(links, 'next'),
    entries: entries.map(({ id, title: of, links: to, content, updated }) => ({
      ...{ id, title: trimmed(of.value), link: linkOf(to, 'alternate') },
      ...{ text: trimmed(content?.value), updated },
    })),
  };
}

function ofJson(feed: Found) {
  return {
    ...{ title: trimmed(`${feed.title}`), self: feed.feed_url, home: feed.home_page_url },
    next: feed.next_url ?? null,
    entries: feed.items.map((item) => ({
      ...{ id: item.id, title: trimmed(`${item.title}`), link: item.url },
      ...{ text: trimmed(item.content_text), updated: item.date_modified },
    })),
  };
}

/** Why a test cannot run; false: it can. */
function lackingFeedparser(): string | false {
  if (PYTHON === '') return 'COLLOQUY_PYTHON names no Python';
  try {
    execFileSync(PYTHON, ['-c', 'import feedparser'], { stdio: 'ignore' });
    return false;
  } catch {
    return `${PYTHON} lacks feedparser`;
  }
}
