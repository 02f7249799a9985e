import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunked } from '../../../test/helpers.ts';
import { communityOf } from '../normalise/addresses.ts';
import type { Row } from '../normalise/cells.ts';
import type { Block } from './block.ts';
import { csvLayout, readCsv } from './csv.ts';

const COMMENTS =
  'type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,permalink,body,sentiment,score';
const PREFIX = 'comment,c1,2qh,energy,false,1600000000,https://old.reddit.com/r/Energy/comments/p1/t/c1/';

async function read(text: string, size = 11): Promise<Block[]> {
  const content = Buffer.from(text);
  const layout = csvLayout(content);
  assert.ok(layout !== null && 'fields' in layout, JSON.stringify(layout));
  return Array.fromAsync(readCsv(chunked(content, size), layout));
}

function rowsOf(blocks: readonly Block[]): [line: number, row: Record<string, unknown>][] {
  return blocks.flatMap(({ data, lines }) => {
    const rows = Buffer.from(data)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text));
    return rows.map((row, i): [number, Record<string, unknown>] => [(lines as Uint32Array)[i] ?? -1, row]);
  });
}

/** Line and body of each row that was read. */
async function bodies(text: string, size?: number): Promise<string[]> {
  return rowsOf(await read(text, size)).map(([line, row]) => `${line} ${row.body}`);
}

test('a dataset row becomes the API record of the same comment', async () => {
  const rows = rowsOf(await read(`${COMMENTS}\n${PREFIX},"Yes, ""quite""\nso",0.5,-3\n`));
  const subreddit = { id: '2qh', name: 'energy', nsfw: 'false' };
  const permalink = 'https://old.reddit.com/r/Energy/comments/p1/t/c1/';
  const texts = { type: 'comment', id: 'c1', created_utc: '1600000000', sentiment: '0.5', score: '-3' };
  assert.deepEqual(rows, [[2, { ...texts, subreddit, permalink, body: 'Yes, "quite"\nso' }]]);
});

const SAME: [rule: string, text: string][] = [
  ['line feeds', `${COMMENTS}\n${PREFIX},fine,,1\n${PREFIX},good,,1\n`],
  ['no last line feed', `${COMMENTS}\n${PREFIX},fine,,1\n${PREFIX},good,,1`],
  ['CRLF', `${COMMENTS}\r\n${PREFIX},fine,,1\r\n${PREFIX},good,,1\r\n`],
  ['quotes around everything', `${COMMENTS}\n${PREFIX},"fine","",1\n${PREFIX},"good","","1"\n`],
  ['a leading index column without a name', `,${COMMENTS}\n0,${PREFIX},fine,,1\n1,${PREFIX},good,,1\n`],
  ['a column of another name', `Unnamed: 0,${COMMENTS}\n0,${PREFIX},fine,,1\n1,${PREFIX},good,,1\n`],
  ['semicolons', `${COMMENTS};x\n${PREFIX},fine,,1\n${PREFIX},good,,1\n`.replaceAll(',', ';')],
  ['tabs', `${COMMENTS}\n${PREFIX},fine,,1\n${PREFIX},good,,1\n`.replaceAll(',', '\t')],
  ['rows without their empty last cells', `${COMMENTS},x,y\n${PREFIX},fine\n${PREFIX},good\n`],
];

for (const [rule, text] of SAME) {
  test(`rows: ${rule}`, async () => {
    for (const size of [1, 13, 5000]) {
      assert.deepEqual(await bodies(text, size), ['2 fine', '3 good']);
    }
  });
}

test('line numbers count the line breaks inside cells', async () => {
  const text = `${COMMENTS}\n${PREFIX},"a\nb\r\nc",,1\n\n${PREFIX},d,,1\n`;
  assert.deepEqual(await bodies(text), ['2 a\nb\r\nc', '6 d']);
});

const BROKEN: [rule: string, rows: string[], bodies: string[], brokenLines: number[]][] = [
  ['an open quote before a row with quotes', ['"open,,1', '"f, t",,1', 'good,,1'], ['f, t', 'good'], [2]],
  ['an open quote in front of rows without', ['"open,,1', 'fine,,1', 'good,,1'], ['fine', 'good'], [2]],
  ['an open quote in the last row', ['fine,,1', '"open,,1'], ['fine'], [3]],
  ['too many cells', ['a,b,c,d,e,1', 'fine,,1'], ['fine'], [2]],
  ['a lone quote inside quotes is text', ['"5" of "rain" so",,1', 'f,,1'], ['5" of "rain" so', 'f'], []],
  ['a quote inside a cell without quotes is text', ['5" disk,,1', 'fine,,1'], ['5" disk', 'fine'], []],
];

for (const [rule, rows, expected, brokenLines] of BROKEN) {
  test(`a broken row costs only itself: ${rule}`, async () => {
    const text = [COMMENTS, ...rows.map((row) => `${PREFIX},${row}`)].join('\n');
    for (const size of [1, 17, 5000]) {
      const blocks = await read(text, size);
      const found = rowsOf(blocks).map(([, row]) => row.body);
      assert.deepEqual(found, expected);
      const rejects = blocks.flatMap((block) => block.rejects).map(({ line, reason }) => `${line} ${reason}`);
      const told = brokenLines.map((line) => `${line} bad_row`);
      assert.deepEqual(rejects, told);
    }
  });
}

test('a quote that is never closed does not swallow a large file', async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => `${PREFIX},row ${i},,1`);
  const text = [COMMENTS, `${PREFIX},"open,,1`, ...rows].join('\n');
  const blocks = await read(text, 65_536);
  assert.equal(rowsOf(blocks).length, rows.length);
  const rejects = blocks.flatMap((block) => block.rejects);
  assert.deepEqual([rejects.length, rejects[0]?.line], [1, 2]);
});

test('what the first row says', () => {
  const layout = (text: string) => {
    const found = csvLayout(Buffer.from(text));
    return found === null ? null : 'missing' in found ? found.missing : 'read';
  };
  const read = [COMMENTS, 'id,subreddit,created_utc,title', 'ID,Subreddit,Created_UTC,Body\r'];
  read.push('id,created_utc,title,permalink', 'title,score,id,url,created,body,timestamp');
  read.push('id,body,created_utc,subreddit.display_name_prefixed');
  for (const text of read) assert.equal(layout(`${text}\n`), 'read', text);
  for (const text of [',0,1,2,3\n0,text,d02u4j6,drunk\n', 'vore_irl,t5_3icqa,":D",1698796800.0\n', ''])
    assert.equal(layout(text), null, text);
  assert.match(`${layout('created_utc,score,domain,id,title\n')}`, /^a community \(`subreddit`/);
  assert.deepEqual(layout('id,subreddit,title\n'), ['a time `created_utc`']);
  assert.deepEqual(layout('id,subreddit,created_utc,score\n'), ['a `title` or `body`']);
});

test('a file of both kinds leaves the other kind’s empty columns out', async () => {
  const rows = rowsOf(await read('id,subreddit,created_utc,title,selftext,body\na,x,1,T,,\nb,x,1,,,B\n'));
  assert.equal(rows[0]?.[1].title, 'T');
  assert.ok(!('title' in (rows[1]?.[1] ?? {})));
});

const OWN = '/r/Energy/comments/p/x/c1/';
const USER = 'https://a.org/user/Me/comments/p/x/c1/';
const SITE = 'https://www.reddit.com/r';
const LINKS = [`t,${SITE}/Energy/comments/c1/t/`, `t,${SITE}/Other/comments/p1/t/`];
LINKS.push('t,https://a.org/r/Energy/comments/c1/');
const COMMUNITIES: [rule: string, columns: string, rows: string[], communities: unknown[]][] = [
  ['out of the permalink', 'permalink', [OWN, USER, ''], ['Energy', 'u_Me', null]],
  ['out of a comment’s URL', 'url', ['https://reddit.com/r/Energy/comments/p/x/c1'], ['Energy']],
  ['a column that names it comes first', 'permalink,subreddit', [`${OWN},Solar`, `${OWN},`], ['Solar', null]],
  ['an export’s prefixed name', 'subreddit.display_name_prefixed', ['r/Energy'], ['Energy']],
  ['a name beside a prefixed one', 'subreddit_name_prefixed,subreddit', ['r/Energy,Energy'], ['Energy']],
  ['out of a post’s URL, where it is its own', 'title,url', LINKS, ['Energy', null, null]],
];

for (const [rule, columns, cells, communities] of COMMUNITIES) {
  test(`the community: ${rule}`, async () => {
    const isPost = columns.startsWith('title');
    const head = `id,created,${isPost ? '' : 'body,'}${columns}\n`;
    const lines = cells.map((row) => `c1,1,${isPost ? '' : 'b,'}${row}\n`).join('');
    const rows = rowsOf(await read(head + lines)).map(([, row]) => row);
    const named = rows.map((row: Row) => communityOf(row, 'c1', null)?.spelling ?? null);
    assert.deepEqual(named, communities);
  });
}

test('`created` is the time where no column is called `created_utc`', async () => {
  const times = async (text: string) => rowsOf(await read(text)).map(([, row]) => row.created_utc);
  assert.deepEqual(await times('id,subreddit,created,body\na,x,7.0,b\n'), ['7.0']);
  assert.deepEqual(await times('id,subreddit,created,created_utc,body\na,x,7.0,9,b\n'), ['9']);
});

test('any cells, written as RFC 4180 asks, come out as they went in', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é', '😀') });
  const sizes = fc.integer({ min: 1, max: 40 });
  const property = fc.asyncProperty(fc.array(cell, { maxLength: 6 }), sizes, async (cells, size) => {
    const rows = cells.map((body) => `a,x,1,"${body.replaceAll('"', '""')}"\r\n`);
    const blocks = await read(`id,subreddit,created_utc,body\r\n${rows.join('')}`, size);
    const found = rowsOf(blocks).map(([, { body }]) => body);
    assert.deepEqual(found, cells);
  });
  await fc.assert(property);
});
