import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { chunked } from '../../../test/helpers.ts';
import { BrokenSource } from './byte-source.ts';
import { gunzip } from './gzip.ts';

/** What comes out, for how much of it checksums vouch, and how it broke. */
async function read(bytes: Buffer, chunk: number) {
  const vouched = { bytes: 0 };
  const pieces: Buffer[] = [];
  let broken: string | null = null;
  try {
    for await (const piece of gunzip(chunked(bytes, chunk), 64, vouched)) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof BrokenSource)) throw error;
    broken = error.message;
  }
  return { text: Buffer.concat(pieces).toString(), vouched: vouched.bytes, broken };
}

const TEXT = 'a line of text, and another one\n'.repeat(200);
const MEMBER = gzipSync(TEXT);
/** The same with extra data, a name, a comment and a checksum of the header (which no reader checks). */
const FULL_HEADER = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3]),
  Buffer.from([3, 0, 1, 2, 3]),
  Buffer.from('name\0a comment\0..'),
  MEMBER.subarray(10),
]);
const SIZES = [1, 7, 1000, 1 << 20];

describe('gzip', () => {
  for (const size of SIZES) {
    it(`several members are one text, in chunks of ${size}`, async () => {
      const bytes = Buffer.concat([MEMBER, gzipSync(''), MEMBER]);
      const expected = { text: TEXT + TEXT, vouched: 2 * TEXT.length, broken: null };
      assert.deepEqual(await read(bytes, size), expected);
    });

    for (const garbage of ['garbage here', '\0\0\0\0', 'x'.repeat(3000)]) {
      it(`behind the last member ${garbage.length} foreign bytes lose nothing and are told, in chunks of ${size}`, async () => {
        const broken = `the gzip data ends at byte ${MEMBER.length}, and something else follows: not read`;
        const found = await read(Buffer.concat([MEMBER, Buffer.from(garbage)]), size);
        assert.deepEqual(found, { text: TEXT, vouched: TEXT.length, broken });
      });
    }
  }

  it('a header may hold extra data, a name, a comment and its own checksum', async () => {
    assert.deepEqual(await read(FULL_HEADER, 5), { text: TEXT, vouched: TEXT.length, broken: null });
  });

  it('a member that breaks off gives what came before and says so, wherever it breaks', async () => {
    for (const member of [MEMBER, FULL_HEADER]) {
      for (let end = 3; end < member.length; end++) {
        const { text, vouched, broken } = await read(member.subarray(0, end), SIZES[end % SIZES.length]!);
        assert.ok(TEXT.startsWith(text));
        assert.equal(vouched, 0);
        assert.match(broken ?? '', /ends after \d+ bytes/);
      }
    }
  });

  it('a wrong checksum and damaged data are told', async () => {
    const wrong = Buffer.from(MEMBER);
    wrong[MEMBER.length - 6]! ^= 1;
    assert.match((await read(wrong, 1000)).broken ?? '', /checksum/);
    const damaged = Buffer.from(MEMBER);
    damaged[12]! ^= 0xff;
    assert.match((await read(damaged, 1000)).broken ?? '', /damaged|ends after/);
  });
});
