// `colloquy check` over a cluster: documents that are not as their records say are named, and others are not.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { documentOf } from '../../src/engines/opensearch/cluster/documents.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { comment, linkPost, post, temporaryFolder } from '../helpers.ts';
import { call } from './harness.ts';
import { environmentOf, inPlace, open, run } from './place.ts';
import { onCluster } from './test-cluster.ts';

const POSTS = [
  post({ id: 'p1', score: -3, communityId: '2x', adult: true }),
  linkPost({ id: 'p2', domain: `${'é'.repeat(40_000)}.example`, score: Number.MAX_SAFE_INTEGER }),
  linkPost({ id: 'p3', domain: '' }),
];
const COMMENTS = Array.from({ length: 300 }, (_, i) =>
  comment({ id: `c${i}`, post: 'p1', body: `see https://${i % 7}.example.org and http://example.com/` }),
);

await onCluster('colloquy check over OpenSearch', (nodes) => {
  /** Over these records in a cluster; `put` writes a document as nobody may. */
  async function checked(
    test: (
      check: () => Promise<{ readonly code: number; readonly report: CheckJson }>,
      put: (index: 'post' | 'comment', id: string, document: object) => Promise<void>,
    ) => Promise<void>,
  ): Promise<void> {
    using folder = temporaryFolder();
    await inPlace(nodes, async (settings) => {
      const own = environmentOf(settings);
      {
        await using engine = await open(settings);
        await engine.index('post', packRecords(POSTS));
        await engine.index('comment', packRecords(COMMENTS));
        await engine.hide(1, 'comment', { ids: ['c7'] });
      }
      const words = ['--data', folder.path];
      const made = await run(['keys', 'create', '--account', 'ann@example.org', ...words], own);
      assert.equal(made.code, 0, made.stderr);
      const check = async () => {
        const { code, stdout } = await run(['check', '--json', ...words], own);
        return { code, report: JSON.parse(stdout || '{}') as CheckJson };
      };
      await test(check, async (kind, id, document) => {
        await call(settings, 'PUT', `/${indexNames(settings)[kind]}/_doc/${id}?refresh=true`, document);
      });
    });
  }

  const asWritten = (record: StoredRecord) => documentOf(record, { arrived: 1, batch: 'b', generation: 1 });

  it('what was imported has no problems, and hidden records are not counted', () =>
    checked(async (check) => {
      const { code, report } = await check();
      assert.deepEqual([code, report.problems], [0, []]);
      assert.equal(report.records, POSTS.length + COMMENTS.length - 1);
      assert.ok(report.segments > 0);
    }));

  it('a document that is not as its record says is named with its fields', () =>
    checked(async (check, put) => {
      const [record] = POSTS as [StoredRecord];
      await put('post', 'p1', { ...asWritten(record), score: 4, adult: false, domains: ['other.example'] });
      await put('comment', 'c3', { ...asWritten(COMMENTS[3]!), m0: 65_536 });
      await put('comment', 'c4', asWritten(COMMENTS[5]!));
      const { code, report } = await check();
      assert.equal(code, 1);
      const lines = report.problems.map((line) => line.replace(/^test-[\w-]+-(posts|comments): /, '$1: '));
      assert.deepEqual(lines.slice(0, 3).sort(), [
        'comments: record c3: expected what it says in m0',
        'comments: record c4: expected a comment of this id',
        'posts: record p1: expected what it says in score, adult, domains',
      ]);
      assert.match(
        lines[3]!,
        /^comments: expected the fingerprint [0-9a-f]{16}, found records of [0-9a-f]{16}$/,
      );
      assert.equal(lines.length, 4);
    }));
});

interface CheckJson {
  readonly records: number;
  readonly segments: number;
  readonly problems: readonly string[];
}
