// Many random histories of what comes in, and callers who ask for what is new: npm run test:long -- arrival-histories
// [HISTORIES] [FIRST]. Each is made of its number alone, so that several processes may share them.

import { runArrivalHistory } from '../arrival-history.ts';
import { progressOf } from './progress.ts';

const histories = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);
const STEPS = 80;

let [asked, told] = [0, 0];
const progress = progressOf(histories, 'histories');
for (let done = 0; done < histories; done++) {
  const counts = await runArrivalHistory(first + done, STEPS);
  asked += counts.asked;
  told += counts.told;
  progress(done + 1);
}
process.stdout.write(`${histories} histories: asked ${asked} times, told ${told} matches, each once\n`);
