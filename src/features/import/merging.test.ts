import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { comment, temporaryFolder } from '../../../test/helpers.ts';
import { openEmbeddedEngine } from '../../engines/embedded/engine.ts';
import { packRecords } from '../../engines/packing/packed-records.ts';
import { mergeImported } from './command.ts';

async function told(batches: number, stop = new AbortController().signal): Promise<string> {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
  for (let batch = 0; batch < batches; batch++) {
    const records = Array.from({ length: 9_000 }, (_, i) => comment({ id: `b${batch}x${i}`, body: 'solar' }));
    await engine.index('comment', packRecords(records));
  }
  const { mock: writing } = mock.method(process.stderr, 'write', () => true);
  try {
    await mergeImported(engine, stop);
    return writing.calls.map((call) => call.arguments[0]).join('');
  } finally {
    writing.restore();
  }
}

describe('merging at the end of an import', () => {
  it('tells what it does, how long that takes and that it can be broken off', async () => {
    const [first, second] = (await told(6)).split('\n');
    assert.match(first!, /^Merging 6 segments with 54,000 records, about 1 s: .* Ctrl-C .* without harm.$/);
    assert.match(second!, /^Merged in \d+\.\d s.$/);
  });

  it('tells nothing of what takes less than a second', async () => {
    assert.equal(await told(2), '');
  });

  it('does nothing where the import was stopped', async () => {
    assert.equal(await told(6, AbortSignal.abort()), '');
  });
});
