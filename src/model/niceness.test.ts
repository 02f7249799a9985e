import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';

const CODE = `
import { getPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
const { standBack } = await import(workerData);
parentPort.postMessage([5, 12, 7].map((niceness) => { standBack(niceness); return getPriority(); }));
`;

it('a thread stands back and never comes forward again, and the others stay where they are', {
  skip: process.platform !== 'linux' && 'only Linux knows the priority of a thread',
}, async () => {
  const before = getPriority();
  const code = new URL(`data:text/javascript,${encodeURIComponent(CODE)}`);
  const worker = new Worker(code, { workerData: new URL('waiting.ts', import.meta.url).href });
  const [found] = await once(worker, 'message');
  const expected = [5, 12, 12].map((niceness) => Math.max(niceness, before));
  assert.deepEqual(found, expected);
  assert.equal(getPriority(), before);
});
