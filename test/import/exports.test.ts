// Exports are imported as they are: what comes out of the second index is what came out of the first.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shaperModule } from '../../src/features/export/export-service.ts';
import { COMPRESSIONS, type Compression, type Format } from '../../src/features/export/parameters.ts';
import { KINDS, type Kind } from '../../src/model/record.ts';
import { FIELD_NAMES } from '../../src/search/presenter.ts';
import { AWKWARD_TEXTS } from '../export-shaping.ts';
import { commentLine, type ImportPlace, importPlace, postLine } from './import-helpers.ts';

/** Ids that readers of tables take for something else. */
const AWKWARD_IDS = ['1e5', '007', 'null', 'NA', 'inf', 'true', '0x1f', '-1', '_', '1_000', '2020-01-01'];

const POSTS = [
  ...AWKWARD_IDS.map((id) => postLine(id, { score: -5 })),
  ...AWKWARD_TEXTS.map((title, i) => postLine(`t${i}`, { title, is_self: true, selftext: title + title })),
  postLine('own', { is_self: true, subreddit: 'AskMen', domain: 'self.AskMen' }),
  postLine('lost', { url: null, domain: '', retrieved_utc: 1_700_000_000 }),
  postLine('gone', { is_self: true, selftext: '[removed]' }),
  ...Array.from({ length: 12 }, (_, i) => postLine(`adult${i}`, { subreddit: 'Late', over_18: true })),
];

const COMMENTS = [
  ...AWKWARD_IDS.map((id) => commentLine(id, { score: 2_147_483_647, parent_id: 't1_other' })),
  ...AWKWARD_TEXTS.map((body, i) => commentLine(`t${i}`, { body, parent_id: 't3_p' })),
  commentLine('rated', { body: 'I love this, it is wonderful.' }),
  commentLine('alone', { link_id: undefined, subreddit: 'cats', subreddit_id: 't5_2qhta' }),
  commentLine('gone', { body: '[deleted]', retrieved_utc: 1_700_000_000 }),
  commentLine('adult', { subreddit: 'late' }),
];

describe('our own exports, imported again', () => {
  for (const format of ['ndjson', 'csv'] as const) {
    for (const compress of Object.keys(COMPRESSIONS) as Compression[]) {
      it(`${format}, ${compress}: give the same export`, async () => {
        await using first = await importPlace();
        const dumps = { post: POSTS, comment: COMMENTS };
        await first.run(KINDS.map((kind) => first.file(`${kind}s.ndjson`, dumps[kind].join('\n'))));
        await using second = await importPlace();
        for (const kind of KINDS) {
          const name = `${kind}.${format}${COMPRESSIONS[compress].extension}`;
          const source = second.file(name, await exported(first, kind, format, compress));
          const { added, read } = await second.run([source]);
          assert.deepEqual([added, read], [dumps[kind].length, dumps[kind].length]);
        }
        for (const kind of KINDS) {
          const before = (await exported(first, kind, 'ndjson', 'none')).toString();
          assert.equal(before.match(/\n/g)?.length, dumps[kind].length);
          assert.equal((await exported(second, kind, 'ndjson', 'none')).toString(), before);
        }
      });
    }
  }
});

/** All records, all fields. */
async function exported(
  { engine, catalogue }: ImportPlace,
  kind: Kind,
  format: Format,
  compress: Compression,
) {
  const shaper = shaperModule({
    ...{ kind, format, compress, fields: FIELD_NAMES[kind], resume: null },
    ...{ permalinkBase: 'https://www.reddit.com', catalogue: { path: catalogue.path!, isReadOnly: false } },
  });
  const all = { query: { items: [] }, order: 'oldest', after: null, limit: null } as const;
  await using run = await engine.export({ kind, ...all, shaper });
  const pieces: Uint8Array[] = [];
  for await (const block of run.blocks) pieces.push(...block.bytes);
  return Buffer.concat(pieces);
}
