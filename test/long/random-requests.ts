// The long run of the random requests: npm run test:long -- random-requests [count] [seed]
// Prints how many answers had which status; fails at the first 5xx or answer that is not as the document says.

import { COMMENTS, POSTS } from '../api/corpus.ts';
import { sendRandomRequests } from '../api/random-requests.ts';
import { openService } from '../api/service.ts';

const [count = 20_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
await using service = await openService(POSTS, COMMENTS);
const start = performance.now();
const statuses = await sendRandomRequests(await service.build(), service, { count, seed });
const seconds = (performance.now() - start) / 1000;
const lines = [...statuses]
  .sort(([a], [b]) => a - b)
  .map(([status, n]) => `${status}  ${String(n).padStart(6)}  ${((100 * n) / count).toFixed(1)} %`);
console.log(`${count} requests, seed ${seed}, ${seconds.toFixed(1)} s\n${lines.join('\n')}`);
