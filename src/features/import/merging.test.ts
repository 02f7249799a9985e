import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { someComments } from '../../../test/helpers.ts';
import { mergeImported } from './command.ts';

async function told(batches: number, stop = new AbortController().signal): Promise<string> {
  const batch = (n: number) => someComments(9_000, (i) => ({ id: `b${n}x${i}`, body: 'solar' }));
  await using engine = await embeddedEngine(...Array.from({ length: batches }, (_, n) => batch(n)));
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
