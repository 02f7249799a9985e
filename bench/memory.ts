// `npm run bench -- memory FOLDER`: the memory of a process that serves, after every query of every class was asked of
// two workers. It gets the classes as JSON on standard input, and prints bytes: resident, of it arrays, and the peak.

import { text } from 'node:stream/consumers';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { QueryClass } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

const [folder] = process.argv.slice(2);
const classes = JSON.parse(await text(process.stdin)) as readonly QueryClass[];
await using engine = await openEmbeddedEngine(folder!, { rules: { keepOriginals: false }, workers: 2 });
const queries = classes.flatMap((one) => one.queries);
const askAll = async (start: number) => {
  for (let i = start; i < queries.length; i += 2) {
    const asked = { kind: 'comment', query: queries[i]! } as const;
    await engine.ask({ ...asked, ...WHOLE_ANSWER.question });
    await engine.ask({ ...asked, page: { order: 'top', limit: 25, after: null } });
  }
};
await Promise.all([askAll(0), askAll(1)]);
const { rss: resident, arrayBuffers: arrays } = process.memoryUsage();
const peak = process.resourceUsage().maxRSS * 1024;
process.stdout.write(`${JSON.stringify({ resident, arrays, peak })}\n`);
