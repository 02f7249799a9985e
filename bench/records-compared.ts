// Whether an import makes the same of dumps as another checkout does: every record, byte for byte, ratings included,
// and every count. `npm run bench -- records-compared OTHER FILE…`; prints the first differences.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordsOf } from '../src/engines/packing/packed-records.ts';
import { HeadedBytes } from '../src/ingest/containers/byte-source.ts';
import type { Block } from '../src/ingest/formats/block.ts';
import { readBlocks } from '../src/ingest/formats/read.ts';
import { findContents } from '../src/ingest/sources/find.ts';
import { Spool } from '../src/ingest/sources/spool.ts';
import { blockWork, type PackedResult } from '../src/ingest/work.ts';
import type { RecordBatch } from '../src/model/record.ts';

const TOLD = 10;
const OPTIONS = { kind: null, permalinkBase: 'https://www.example.org', community: null, where: null };

const [other, ...files] = process.argv.slice(2);
if (other === undefined || files.length === 0) throw new Error('expected another checkout, and files');
const path = join(resolve(other), 'src/ingest/work.ts');
const theirs = (await import(pathToFileURL(path).href)) as { blockWork: typeof blockWork };
const [own, others] = [blockWork(OPTIONS), theirs.blockWork(OPTIONS)];
let records = 0;
let different = 0;

await using spool = new Spool();
for (const content of await findContents(files, process.stdin, spool)) {
  const opened = await content.open();
  const { blocks } = await readBlocks(new HeadedBytes(opened.bytes), {});
  for await (const block of blocks) compare(block);
  await opened.bytes.close();
}
process.stdout.write(`${records} records, ${different} blocks with differences\n`);
process.exitCode = different === 0 ? 0 : 1;

function compare(block: Block): void {
  const [a, b] = [own(block), others(block)];
  records += a.posts.count + a.comments.count;
  if (bytesOf(a) === bytesOf(b)) return;
  different++;
  if (different > TOLD) return;
  process.stdout.write(`${JSON.stringify(countsOf(a))}\n${JSON.stringify(countsOf(b))}\n`);
  for (const kind of ['post', 'comment'] as const) {
    const [ours, found] = [a, b].map((result) => recordsOf(kind, result[`${kind}s`]));
    for (const [i, record] of ours!.entries()) {
      const [one, two] = [JSON.stringify(record), JSON.stringify(found![i])];
      if (one !== two) process.stdout.write(`${one}\n${two}\n`);
    }
  }
}

function countsOf({ posts: _, comments: __, ...counts }: PackedResult): object {
  return counts;
}

function bytesOf(result: PackedResult): string {
  const packs = (batch: RecordBatch) =>
    batch.parts.map((part) => Buffer.from(part).toString('latin1')).join();
  return `${packs(result.posts)} ${packs(result.comments)} ${JSON.stringify(countsOf(result))}`;
}
