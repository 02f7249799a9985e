// Files made to do harm: lines that stand between two good ones, and whole files. None may cost more than itself.

import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { commentLine, postLine } from './import-helpers.ts';

const GOOD = { id: '"h"', body: '"b"', subreddit: '"x"', created_utc: '1' };
const LISTING = '{"kind":"Listing","data":{"children":[';
const GOOD_COMMENT = '"id":"h","body":"b","subreddit":"x","created_utc":1';

/** A comment with this text as the value of a field. */
function having(field: keyof typeof GOOD, value: string): string {
  const fields = Object.entries({ ...GOOD, [field]: value });
  return `{${fields.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

function nested(open: string, inner: string, close: string, times: number): string {
  return `${open.repeat(times)}${inner}${close.repeat(times)}`;
}

/** Lines, each with what becomes of it: a reason, or `read`. */
export function hostileLines(): (readonly [what: string, line: string | Buffer, outcome: string])[] {
  return [
    ['an array a million deep', nested('[', '', ']', 1_000_000), 'bad_json'],
    ['an object a million deep', nested('{"a":', '1', '}', 1_000_000), 'bad_json'],
    ['a million open brackets', '['.repeat(1_000_000), 'bad_json'],
    ['a million closing brackets', ']'.repeat(1_000_000), 'bad_json'],
    ['deep replies', `{${GOOD_COMMENT},"replies":${nested(LISTING, '', ']}}', 300_000)}}`, 'bad_json'],
    ['deep, but a record', `{${GOOD_COMMENT},"deep":${nested('[', '', ']', 9_000)}}`, 'read'],
    ['a line of 100 MB', Buffer.alloc(100_000_000, 'x'), 'too_long'],
    ['a record of 20 MB', commentLine('h', { body: 'x'.repeat(20_000_000) }), 'too_long'],
    ['sixteen megabytes of empty arrays', `{"a":[${'[],'.repeat(5_000_000)}[]]}`, 'bad_json'],
    ['fifteen megabytes of nulls', `{"a":[${'null,'.repeat(3_000_000)}0]}`, 'not_a_record'],
    ['many fields', `{${Array.from({ length: 300_000 }, (_, i) => `"f${i}":0`).join(',')}}`, 'not_a_record'],
    ['doubled keys', '{"id":"x","id":"h","body":"1","body":"2","subreddit":"x","created_utc":1}', 'read'],
    ['__proto__ with fields', `{"__proto__":{"id":"p","title":"t"},${GOOD_COMMENT}}`, 'read'],
    ['__proto__ in place of the fields', `{"__proto__":{${GOOD_COMMENT}}}`, 'not_a_record'],
    ['names of Object', `{"constructor":{"prototype":{"id":1}},"toString":1,${GOOD_COMMENT}}`, 'read'],
    ['__proto__ as community', having('subreddit', '"__proto__"'), 'read'],
    ['a community object of __proto__', having('subreddit', '{"__proto__":{"name":"x"}}'), 'no_community'],
    ['__proto__ as id', having('id', '"__proto__"'), 'read'],
    ['constructor as community', having('subreddit', '"constructor"'), 'read'],
    ['time of 2106', having('created_utc', '4294967296'), 'bad_time'],
    ['time of a hundred digits', having('created_utc', `${'9'.repeat(100)}`), 'bad_time'],
    ['time of a million digits', having('created_utc', `"${'9'.repeat(1_000_000)}"`), 'bad_time'],
    ['time NaN', having('created_utc', 'NaN'), 'bad_json'],
    ['time hexadecimal', having('created_utc', '"0x10"'), 'bad_time'],
    ['time of a day that is none', having('created_utc', '"2021-02-30T00:00:00Z"'), 'bad_time'],
    ['time in a year of five digits', having('created_utc', '"12021-02-03T00:00:00Z"'), 'bad_time'],
    ['time of a million spaces', having('created_utc', `"2021-02-03${' '.repeat(1_000_000)}"`), 'bad_time'],
    [
      'a million decimals',
      having('created_utc', `"2021-02-03 00:00:00.${'1'.repeat(1_000_000)}"`),
      'bad_time',
    ],
    ['community that is a prefix alone', having('subreddit', '"r/"'), 'no_community'],
    ['community of an account with a path', having('subreddit', '"u/a/b"'), 'bad_community'],
    ['community of many slashes', having('subreddit', `"${'/'.repeat(1_000_000)}"`), 'bad_community'],
    ['a display_name that is a list', having('subreddit', '{"display_name":["x"]}'), 'no_community'],
    ['a scraped thread without a thing', '{"data":{"submission_metadata":{},"comments":[]}}', 'not_a_record'],
    ['a thread of 1e9 comments', '{"submission_metadata":{},"comments":1e9}', 'not_a_record'],
    ['a collection of nothing', `{"sorted_links":${LISTING}null]}}}`, 'not_a_record'],
    ['a collection in a collection', nested('{"sorted_links":', '[]', '}', 5_000), 'nothing'],
    ['score 1e308', `{${GOOD_COMMENT},"score":1e308}`, 'bad_score'],
    ['score of 2^53', `{${GOOD_COMMENT},"score":9007199254740993}`, 'bad_score'],
    ['id of a megabyte', having('id', `"${'a'.repeat(1_000_000)}"`), 'bad_id'],
    ['id that climbs folders', having('id', '"../../etc/passwd"'), 'bad_id'],
    ['id with markup', having('id', '"<script>"'), 'bad_id'],
    ['id with SQL', having('id', '"\'; DROP TABLE records; --"'), 'bad_id'],
    ['community of a megabyte', having('subreddit', `"${'a'.repeat(1_000_000)}"`), 'bad_community'],
    ['body of lone surrogates', having('body', '"\\ud800\\udc00\\udc00\\ud800"'), 'read'],
    ['body of NULs', having('body', `"${'\\u0000'.repeat(10_000)}"`), 'read'],
    ['body of combining marks', commentLine('h', { body: `a${'\u0301'.repeat(300_000)}` }), 'read'],
    ['body of joined emoji', commentLine('h', { body: '👨‍👩‍👧‍👦\u200d'.repeat(20_000) }), 'read'],
    ['body of two megabytes', commentLine('h', { body: '日'.repeat(700_000) }), 'read'],
    ['body of one word of a megabyte', commentLine('h', { body: 'x'.repeat(1_000_000) }), 'read'],
    ['body of exclamation marks', commentLine('h', { body: `good ${'!'.repeat(500_000)}` }), 'read'],
    ['body of spaces', commentLine('h', { body: ' '.repeat(500_000) }), 'read'],
    ['body of brackets', commentLine('h', { body: '[x]('.repeat(100_000) }), 'read'],
    ['body of addresses', commentLine('h', { body: 'https://a.example/ '.repeat(40_000) }), 'read'],
    ['an endless address', postLine('h', { url: `/${'a/'.repeat(400_000)}`, domain: null }), 'read'],
    ['an address of dots', postLine('h', { url: `http://${'a.'.repeat(100_000)}/`, domain: null }), 'read'],
    ['an address that runs', postLine('h', { url: 'javascript:alert(1)', domain: null }), 'read'],
    ['an address of a wrong port', postLine('h', { url: 'http://a.org:99999/', domain: null }), 'read'],
    ['a permalink that runs', commentLine('h', { permalink: 'javascript:alert(1)' }), 'read'],
    ['a permalink of a megabyte', commentLine('h', { permalink: `/${'a'.repeat(1_000_000)}` }), 'read'],
    ['raw NULs', Buffer.alloc(100_000), 'nothing'],
    ['raw NULs around a record', `${'\0'.repeat(5000)}${commentLine('h')}${'\0'.repeat(5000)}`, 'read'],
    ['bytes that are no UTF-8', Buffer.alloc(10_000, 0xff), 'bad_json'],
    ['overlong UTF-8', Buffer.from([0x7b, 0xc0, 0xaf, 0x7d]), 'bad_json'],
    ['a control character in a string', having('body', '"a\u0007"'), 'bad_json'],
    ['a byte order mark', `\ufeff${commentLine('h')}`, 'bad_json'],
    ['carriage returns', '\r\r\r\r', 'nothing'],
    ['two records on one line', `${commentLine('h1')}${commentLine('h2')}`, 'bad_json'],
    ['a record and more', `${commentLine('h')}garbage`, 'bad_json'],
    ['a record cut off', commentLine('h').slice(0, -9), 'bad_json'],
    ['an open string', '{"id":"h', 'bad_json'],
    ['a comment', '// {"id":"h"}', 'bad_json'],
    ['single quotes', "{'id':'h'}", 'bad_json'],
    ['null', 'null', 'not_a_record'],
    ['a number', '-1e5', 'not_a_record'],
    ['a word', '"word"', 'not_a_record'],
    ['an empty object', '{}', 'not_a_record'],
    ['an empty array', '[]', 'nothing'],
    ['a listing of no list', '{"kind":"Listing","data":{"children":{"length":1e9}}}', 'nothing'],
    ['a listing of nulls', '{"kind":"Listing","data":{"children":[null]}}', 'not_a_record'],
    ['a wrapper without data', '{"kind":"t1","data":null}', 'not_a_record'],
    ['CSV', 'comment,h,2qh,energy,false,1,/r/x,text,,1', 'bad_json'],
  ];
}

const LINES = Buffer.from(`${Array.from({ length: 500 }, (_, i) => commentLine(`w${i}`)).join('\n')}\n`);

/** Whole files: name → content. */
export function hostileFiles(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const zstd = zstdCompressSync(LINES, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  for (const [name, packed] of Object.entries({ zst: zstd, gz: gzipSync(LINES) })) {
    for (let part = 0; part < 10; part++) {
      const at = Math.floor((packed.length * part) / 10);
      files.set(`cut-${part}.${name}`, packed.subarray(0, at));
      const damaged = Buffer.from(packed);
      damaged[at] = damaged[at]! ^ 0x55;
      files.set(`damaged-${part}.${name}`, damaged);
    }
  }
  files.set('garbage-behind.zst', Buffer.concat([zstd, Buffer.alloc(1000, 'g')]));
  files.set('bomb-10-gigabytes', bomb());
  files.set('line-feeds', gzipSync(Buffer.alloc(50_000_000, '\n')));
  files.set('window', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0, 0, 0]));
  files.set('zip-end-alone', Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18, 0xff)]));
  files.set('zip-start-alone', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(500, 0xff)]));
  files.set('xz', Buffer.concat([Buffer.from('\xfd7zXZ\0', 'latin1'), Buffer.alloc(50, 1)]));
  files.set('bz2', Buffer.concat([Buffer.from('BZh91AY&SY'), Buffer.alloc(50, 1)]));
  const columns = 'id,subreddit,created_utc,body';
  const texts = {
    'open-quotes.csv': `${columns}\n${'a,x,1,"open\n'.repeat(20_000)}`,
    'one-quote.csv': `${columns}\na,x,1,"${'x'.repeat(20_000_000)}`,
    'many-columns.csv': `${columns}${',x'.repeat(300_000)}\na,x,1,b\n`,
    'proto.csv': `${columns},__proto__,constructor\na,x,1,b,{},1\n`,
    'slashes.csv': `id,created_utc,body,permalink\na,1,b,${'/r/'.repeat(1_000_000)}\n`,
    'proto-community.csv': 'id,created_utc,body,permalink\na,1,b,/r/__proto__/comments/p/x/a/\n',
    'names-alone.csv': `id,body,${'created,'.repeat(100_000)}\n`,
    'deep-thread.json': deepThread(),
    'open-array': `[\n${having('id', '"a"')},\n${'['.repeat(5_000_000)}`,
    'one-value.json': `{\n"a":[\n${'1,\n'.repeat(9_000_000)}`,
  };
  for (const [name, text] of Object.entries(texts)) files.set(name, Buffer.from(text));
  files.set('random', Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * i * 31 + i * 17) % 251)));
  return files;
}

/** A thread of replies as deep as is read, indented as scrapers do, and one deeper. */
function deepThread(): string {
  const reply = (i: number) => `\n{"id":"d${i}","body":"b","created_utc":"2021-01-31 18:30:15","replies":[`;
  const thread = (depth: number) => {
    const replies = Array.from({ length: depth }, (_, i) => reply(i)).join('');
    const submission = '{"title":"t","permalink":"/r/x/comments/p/","created_utc":1}';
    return `{\n"data":{"submission_metadata":${submission},"comments":[${replies}${']}'.repeat(depth)}]}}`;
  };
  return `${thread(4_990)}\n${thread(5_010)}\n`;
}

/** Some kilobytes that unpack to ten gigabytes: a gzip of a gzip of a hundred times a hundred megabytes of zeros. */
function bomb(): Buffer {
  const packed = (bytes: Buffer) => gzipSync(bytes, { level: 9 });
  const zeros = packed(Buffer.alloc(100_000_000));
  return packed(packed(Buffer.concat(Array.from({ length: 100 }, () => zeros))));
}
