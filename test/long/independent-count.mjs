// Counts by a script that shares no code with Colloquy: each query of a list beside a hand-written condition on the raw
// lines of a dump. Exits with 1 where a total differs.
//
//   npm run test:long -- independent-count comments RC_2005-12.zst
//   npm run test:long -- independent-count posts AskMen_submissions.zst

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';

const [kinds, dump] = process.argv.slice(2);
if (!['posts', 'comments'].includes(kinds) || dump === undefined) {
  console.error('expected: posts|comments DUMP.zst');
  process.exit(2);
}
const colloquy = new URL('../../bin/colloquy.mjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'colloquy-count-'));

const word = (text) => new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${text}(?![\\p{L}\\p{M}\\p{N}])`, 'iu');
const gap = '[^\\p{L}\\p{M}\\p{N}]+';
const decode = (text) => {
  const names = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
  const once = (given) => given.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name) => names[name]);
  return once(once(text)).replaceAll(/[\u00ad\u200b-\u200d\ufeff]|&#x200B;/gi, '');
};
const time = (record) => Number(record.created_utc);
const day = (text) => Date.parse(`${text}T00:00:00Z`) / 1000;
const links = (record, domain) =>
  new RegExp(`(?<!\\w)(https?://(www\\.)?|www\\.)([\\w-]+\\.)*${domain}(?![\\w.-]*\\w)`, 'i').test(
    decode(record.body),
  );
const texts = (record) => (kinds === 'posts' ? [record.title, record.selftext] : [record.body]).map(decode);
const has = (record, pattern) => texts(record).some((text) => pattern.test(text));

const QUERIES = {
  comments: [
    ['', () => true],
    ['reddit', (r) => has(r, word('reddit'))],
    ['-the', (r) => !has(r, word('the'))],
    ['"of the"', (r) => has(r, word(`of${gap}the`))],
    ["don't", (r) => has(r, word(`don${gap}t`))],
    ['libert*', (r) => has(r, /(?<![\p{L}\p{M}\p{N}])libert/iu)],
    ['score:5 -bush', (r) => r.score >= 5 && !has(r, word('bush'))],
    ['score:<0', (r) => r.score < 0],
    ['after:2005-12-20 war|peace', (r) => time(r) >= day('2005-12-20') && has(r, word('(war|peace)'))],
    ['before:2005-12-28', (r) => time(r) < day('2005-12-28') && time(r) >= day('2005-12-27')],
    ['site:wikipedia.org', (r) => links(r, 'wikipedia\\.org')],
    ['/r/reddit.com google', (r) => r.subreddit === 'reddit.com' && has(r, word('google'))],
  ],
  posts: [
    ['', () => true],
    ['women', (r) => has(r, word('women'))],
    ['-women -men', (r) => !has(r, word('women')) && !has(r, word('men'))],
    ['"what is"', (r) => has(r, word(`what${gap}is`))],
    ["what's", (r) => has(r, word(`what${gap}s`))],
    ['relation*', (r) => has(r, /(?<![\p{L}\p{M}\p{N}])relation/iu)],
    ['score:>100', (r) => r.score > 100],
    ['score:2..5 girlfriend', (r) => r.score >= 2 && r.score <= 5 && has(r, word('girlfriend'))],
    ['site:self', (r) => r.is_self],
    ['-site:self', (r) => !r.is_self],
    ['beard|"facial hair"', (r) => has(r, word('beard')) || has(r, word(`facial${gap}hair`))],
    ['removed', (r) => has(r, word('removed'))],
  ],
};

try {
  const bytes = zstdDecompressSync(readFileSync(dump), { params: { [constants.ZSTD_d_windowLogMax]: 31 } });
  const records = new Map();
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue;
    const record = JSON.parse(line);
    if (!records.has(record.id)) records.set(record.id, record);
  }
  run('import', dump);
  let wrong = 0;
  for (const [query, condition] of QUERIES[kinds]) {
    const byHand = [...records.values()].filter(condition).length;
    const answer = JSON.parse(run('search', kinds, '--json', '--limit', '0', '--', query));
    if (byHand !== answer.total_count) wrong++;
    const verdict = byHand === answer.total_count ? 'equal' : 'DIFFERENT';
    console.log(`${verdict}  by hand ${byHand}  colloquy ${answer.total_count}  ${query || '(everything)'}`);
  }
  console.log(`${QUERIES[kinds].length} queries over ${records.size} ${kinds}: ${wrong} different`);
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command, ...words) {
  return execFileSync(process.execPath, [colloquy, command, '--data', folder, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 28,
  });
}
