import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Row } from '../normalise/cells.ts';
import { communityOf } from '../normalise/community-names.ts';
import type { Block } from './block.ts';
import { csvLayout, readCsv } from './csv.ts';

const COMMENTS =
  'type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,permalink,body,sentiment,score';
const PREFIX = 'comment,c1,2qh,energy,false,1600000000,https://old.reddit.com/r/Energy/comments/p1/t/c1/';

async function* chunked(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(text: string, size = 11): Promise<Block[]> {
  const content = Buffer.from(text);
  const layout = csvLayout(content);
  assert.ok(layout !== null && 'fields' in layout, JSON.stringify(layout));
  return Array.fromAsync(readCsv(chunked(content, size), layout));
}

function rowsOf(blocks: readonly Block[]): [line: number, row: Record<string, unknown>][] {
  return blocks.flatMap(({ data, lines }) => {
    const texts = Buffer.from(data).toString().split('\n').slice(0, -1);
    return texts.map((text, i): [number, Record<string, unknown>] => [
      (lines as Uint32Array)[i] ?? -1,
      JSON.parse(text),
    ]);
  });
}

/** Line and body of each row that was read. */
async function bodies(text: string, size?: number): Promise<[number, unknown][]> {
  return rowsOf(await read(text, size)).map(([line, row]) => [line, row.body]);
}

test('a dataset row becomes the API record of the same comment', async () => {
  const rows = rowsOf(await read(`${COMMENTS}\n${PREFIX},"Yes, ""quite""\nso",0.5,-3\n`));
  assert.deepEqual(rows, [
    [
      2,
      {
        type: 'comment',
        id: 'c1',
        subreddit: { id: '2qh', name: 'energy', nsfw: 'false' },
        created_utc: '1600000000',
        permalink: 'https://old.reddit.com/r/Energy/comments/p1/t/c1/',
        body: 'Yes, "quite"\nso',
        sentiment: '0.5',
        score: '-3',
      },
    ],
  ]);
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
      assert.deepEqual(await bodies(text, size), [
        [2, 'fine'],
        [3, 'good'],
      ]);
    }
  });
}

test('line numbers count the line breaks inside cells', async () => {
  const text = `${COMMENTS}\n${PREFIX},"a\nb\r\nc",,1\n\n${PREFIX},d,,1\n`;
  assert.deepEqual(await bodies(text), [
    [2, 'a\nb\r\nc'],
    [6, 'd'],
  ]);
});

const BROKEN: [rule: string, rows: string[], bodies: string[], brokenLines: number[]][] = [
  [
    'an open quote in front of a row with quotes',
    ['"open,,1', '"fine, thanks",,1', 'good,,1'],
    ['fine, thanks', 'good'],
    [2],
  ],
  ['an open quote in front of rows without', ['"open,,1', 'fine,,1', 'good,,1'], ['fine', 'good'], [2]],
  ['an open quote in the last row', ['fine,,1', '"open,,1'], ['fine'], [3]],
  ['too many cells', ['a,b,c,d,e,1', 'fine,,1'], ['fine'], [2]],
  [
    'a lone quote inside quotes is text',
    ['"a 5" of "rain" now",,1', 'fine,,1'],
    ['a 5" of "rain" now', 'fine'],
    [],
  ],
  ['a quote inside a cell without quotes is text', ['5" disk,,1', 'fine,,1'], ['5" disk', 'fine'], []],
];

for (const [rule, rows, expected, brokenLines] of BROKEN) {
  test(`a broken row costs only itself: ${rule}`, async () => {
    const text = [COMMENTS, ...rows.map((row) => `${PREFIX},${row}`)].join('\n');
    for (const size of [1, 17, 5000]) {
      const blocks = await read(text, size);
      assert.deepEqual(
        rowsOf(blocks).map(([, row]) => row.body),
        expected,
      );
      const rejects = blocks.flatMap((block) => block.rejects);
      assert.deepEqual(
        rejects.map(({ line, reason }) => [line, reason]),
        brokenLines.map((line) => [line, 'bad_row']),
      );
    }
  });
}

test('a quote that is never closed does not swallow a large file', async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => `${PREFIX},row ${i},,1`);
  const text = [COMMENTS, `${PREFIX},"open,,1`, ...rows].join('\n');
  const blocks = await read(text, 65_536);
  assert.equal(rowsOf(blocks).length, rows.length);
  assert.deepEqual(
    blocks.flatMap(({ rejects }) => rejects).map(({ line }) => line),
    [2],
  );
});

test('what the first row says', () => {
  const layout = (text: string) => {
    const found = csvLayout(Buffer.from(text));
    return found === null ? null : 'missing' in found ? found.missing : 'read';
  };
  assert.equal(layout(`${COMMENTS}\n`), 'read');
  assert.equal(layout('id,subreddit,created_utc,title\n'), 'read');
  assert.equal(layout('ID,Subreddit,Created_UTC,Body\r\n'), 'read');
  assert.equal(layout('id,created_utc,title,permalink\n'), 'read');
  assert.equal(layout('title,score,id,url,created,body,timestamp\n'), 'read');
  assert.equal(layout('id,body,created_utc,subreddit.display_name_prefixed\n'), 'read');
  assert.match(`${layout('created_utc,score,domain,id,title\n')}`, /^a community \(`subreddit`/);
  assert.deepEqual(layout('id,subreddit,title\n'), ['a time `created_utc`']);
  assert.deepEqual(layout('id,subreddit,created_utc,score\n'), ['a `title` or `body`']);
  assert.equal(layout(',0,1,2,3\n0,text,d02u4j6,drunk\n'), null);
  assert.equal(layout('vore_irl,t5_3icqa,":D",1698796800.0\n'), null);
  assert.equal(layout(''), null);
});

test('a file of both kinds leaves the other kind’s empty columns out', async () => {
  const rows = rowsOf(await read('id,subreddit,created_utc,title,selftext,body\na,x,1,T,,\nb,x,1,,,B\n'));
  assert.equal(rows[0]?.[1].title, 'T');
  assert.ok(!('title' in (rows[1]?.[1] ?? {})));
});

const COMMUNITIES: [rule: string, text: string, communities: unknown[]][] = [
  [
    'out of the permalink',
    'id,created_utc,body,permalink\nc1,1,b,/r/Energy/comments/p/x/c1/\nc2,1,b,https://old.reddit.com/user/Me/comments/p/x/c2/\nc3,1,b,\n',
    ['Energy', 'u_Me', null],
  ],
  [
    'out of the URL, where it is the record’s own',
    'id,created,title,url,body\np1,1,t,https://www.reddit.com/r/Energy/comments/p1/t/,x\np2,1,t,https://www.reddit.com/r/Other/comments/p1/t/,\np3,1,t,https://example.org/r/Energy/comments/p3/,\n',
    ['Energy', null, null],
  ],
  [
    'out of a comment’s URL',
    'id,created_utc,body,url\nt1_c1,1,b,https://reddit.com/r/Energy/comments/p/x/c1\n',
    ['Energy'],
  ],
  [
    'a column that names it comes first',
    'id,created_utc,body,permalink,subreddit\nc1,1,b,/r/Energy/comments/p/x/c1/,Solar\nc2,1,b,/r/Energy/comments/p/x/c2/,\n',
    ['Solar', null],
  ],
  [
    'an export’s prefixed name',
    'id,created_utc,body,subreddit.display_name_prefixed\nc1,1,b,r/Energy\n',
    ['Energy'],
  ],
  [
    'a name beside a prefixed one',
    'id,created_utc,body,subreddit_name_prefixed,subreddit,subreddit_id\nc1,1,b,r/Energy,Energy,t5_2\n',
    ['Energy'],
  ],
];

for (const [rule, text, communities] of COMMUNITIES) {
  test(`the community: ${rule}`, async () => {
    const rows = rowsOf(await read(text)).map(([, row]) => row);
    const idOf = ({ id }: Row) => String(id).replace(/^t1_/, '');
    const named = rows.map((row) => communityOf(row, idOf(row), null)?.spelling ?? null);
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
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (cells, size) => {
        const rows = cells.map((body) => `a,x,1,"${body.replaceAll('"', '""')}"\r\n`);
        const read = await bodies(`id,subreddit,created_utc,body\r\n${rows.join('')}`, size);
        assert.deepEqual(
          read.map(([, body]) => body),
          cells,
        );
      },
    ),
  );
});
