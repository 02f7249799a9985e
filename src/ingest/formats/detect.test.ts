import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../errors.ts';
import { detectFormat, SAMPLE_BYTES } from './read.ts';

const POST = '{"id":"a","title":"t","subreddit":"x","created_utc":1}';
const COMMENT = '{"id":"b","body":"b","subreddit":"x","created_utc":1}';
const LISTING = `{"kind":"Listing","data":{"children":[{"kind":"t3","data":${POST}}]}}`;
const ENVELOPE = `{"type":"post","total_count":1,"data":[${POST}],"query":"","sort_key":[]}`;

const READ: [rule: string, text: string, kind: string][] = [
  ['lines', `${POST}\n${COMMENT}\n`, 'lines'],
  ['one line without an end', POST, 'lines'],
  ['a byte order mark and blank lines in front', `\ufeff\n\n${POST}\n`, 'lines'],
  ['a first line that is cut off at its start', `"body":"x"}\n${POST}\n`, 'lines'],
  ['a first line that is cut off at its end', `{"id":"a","title":"t\n${POST}\n${COMMENT}\n`, 'lines'],
  ['a listing on one line', LISTING, 'lines'],
  ['an envelope on one line', ENVELOPE, 'lines'],
  ['an array on one line', `[${POST},${COMMENT}]`, 'lines'],
  ['a post page: two listings', `[${LISTING},${LISTING}]`, 'lines'],
  ['one community', '{"display_name":"x","over18":false,"id":"2qh"}\n', 'lines'],
  ['an array, one record a line', `[\n${POST},\n${COMMENT}\n]\n`, 'values'],
  ['an indented listing', JSON.stringify(JSON.parse(LISTING), null, 2), 'values'],
  ['an indented envelope', JSON.stringify(JSON.parse(ENVELOPE), null, '\t'), 'values'],
  ['indented records after one another', `${JSON.stringify(JSON.parse(POST), null, 1)}\n{\n}\n`, 'values'],
  ['a first line longer than the sample', `{"body":"${'x'.repeat(SAMPLE_BYTES)}`, 'lines'],
  ['an array on a line longer than the sample', `[{"body":"${'x'.repeat(SAMPLE_BYTES)}`, 'values'],
  ['an indented value longer than the sample', `{\n "data": [\n${`${POST},\n`.repeat(30_000)}`, 'values'],
  ['CSV', 'id,subreddit,created_utc,body\n1,x,1,b\n', 'csv'],
  ['nothing', '', 'empty'],
  ['blank lines', ' \n\n', 'empty'],
];

for (const [rule, text, kind] of READ) {
  test(`read as ${kind}: ${rule}`, () => {
    assert.equal(detectFormat(Buffer.from(text).subarray(0, SAMPLE_BYTES)).kind, kind);
  });
}

test('CSV without community is read where the operator says which it is', () => {
  assert.equal(detectFormat(Buffer.from('id,created_utc,body\n'), { community: 'energy' }).kind, 'csv');
});

const NO_COMMUNITY =
  /^neither posts nor comments: expected a community \(.*`--community NAME`\) too, found the columns `id`, `created_utc`, `body`, `score`; `--column id=NAME` says what another one is$/;
const REFUSED: [rule: string, content: string | Buffer, found: RegExp][] = [
  ['JSON of another shape', '{"a":1,"b":{}}', /expected `title` or `body`, .* the fields `a`, `b`$/],
  ['JSON with many fields', '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}', /`g`, `h`, …$/],
  ['JSON without objects', '[1,2,3]', /found JSON without objects$/],
  ['an empty object', '{}', /with the fields \(none\)$/],
  ['text', 'Dear reader,\nthis is text.', /found text that begins with `Dear reader, this is text\.`$/],
  ['text that steers terminals', '\x1b[31mred\x07', /found text that begins with `\[31mred`|binary data/],
  ['markup', '<!doctype html>', /found text that begins with `<!doctype html>`$/],
  ['CSV without names of columns', 'a,b,c\n1,2,3\n', /CSV with a row of column names, found text/],
  ['CSV without community', 'id,created_utc,body,score\n', NO_COMMUNITY],
  ['a table of one column', 'body\nhello\n', /: expected an `id` or a `permalink`, a .*columns `body`; /],
  ['CSV with an id alone', 'id,score\n', /a community \(.*\), a time `created_utc`, and a `title` or/],
  ['binary data', Buffer.from([1, 2, 3, 4, 0, 0, 255]), /found binary data of an unknown kind$/],
  ['UTF-16', Buffer.from('\ufeff{"id":1}', 'utf16le'), /expected text in UTF-8, found UTF-16/],
];

for (const [rule, content, found] of REFUSED) {
  test(`refused: ${rule}`, () => {
    assert.throws(
      () => detectFormat(Buffer.from(content)),
      (error) => error instanceof UsageError && found.test(error.message) && !error.message.includes('\n'),
    );
  });
}
