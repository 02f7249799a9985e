// Dumps for the tests of kills, faults and power loss: posts and comments in turn, the same for the same seed. A later
// edition of a dump holds a part of the same records with newer scores and texts, and some new ones.

import { crc32 } from 'node:zlib';
import { randomNumbers } from '../../bench/corpus.ts';

/** Short, so that lists and merges see every word often. */
const WORDS = ['solar', 'panel', 'roof', 'battery', 'grid', 'wind', 'meter', 'cable', 'inverter', 'sun'];
const COMMUNITIES = ['Energy', 'Solar', 'Roofing', 'OffGrid'];
/** 2020-09-13. */
const FIRST = 1_600_000_000;
/** One line in so many is none that is taken: a part of a line, as broken transfers leave it. */
const BROKEN_EVERY = 997;

export interface DumpShape {
  readonly records: number;
  readonly seed: number;
  /** 0 for the first; edition n replaces two thirds of edition n − 1 and goes on behind it by a third. */
  readonly edition: number;
}

/** NDJSON. */
export function dumpText({ records, seed, edition }: DumpShape): string {
  const first = Math.floor((records * edition) / 3);
  const random = randomNumbers(seed * 31 + edition);
  const lines: string[] = [];
  for (let number = first; number < first + records; number++) {
    const line = JSON.stringify(
      number % 3 === 0 ? postOf(number, edition, random) : commentOf(number, edition, random),
    );
    lines.push(number % BROKEN_EVERY === 500 ? line.slice(0, 40) : line);
  }
  return `${lines.join('\n')}\n`;
}

/** An archive of one file, not compressed (APPNOTE.TXT 4.3). */
export function storedZip(name: string, content: string): Buffer {
  const data = Buffer.from(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(Buffer.byteLength(name), 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
  const header = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\0'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(header.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, header, end]);
}

function shared(number: number, edition: number, random: () => number) {
  return {
    id: number.toString(36),
    subreddit: pick(COMMUNITIES, random),
    subreddit_id: 't5_2qh',
    created_utc: FIRST + number,
    score: Math.floor(random() * 100),
    retrieved_on: FIRST + 1_000_000 * (edition + 1),
  };
}

function postOf(number: number, edition: number, random: () => number): object {
  const fields = shared(number, edition, random);
  return {
    ...fields,
    title: `${words(6, random)} ${markOf(fields.id, fields.retrieved_on)}`,
    selftext: words(12, random),
    is_self: true,
    domain: `self.${fields.subreddit}`,
    over_18: random() < 0.1,
  };
}

function commentOf(number: number, edition: number, random: () => number): object {
  const post = Math.floor(number / 30) * 3;
  const fields = shared(number, edition, random);
  const body = `${words(15, random)} ${markOf(fields.id, fields.retrieved_on)}`;
  return { ...fields, link_id: `t3_${post.toString(36)}`, body };
}

/** Stands in the text of this copy of a record, and nowhere else. */
export function markOf(id: string, retrieved: number): string {
  return `mark${id}x${retrieved.toString(36)}mark`;
}

function words(count: number, random: () => number): string {
  return Array.from({ length: count }, () => pick(WORDS, random)).join(' ');
}

function pick<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)]!;
}
