// Many random histories of what comes in, and callers who ask for what is new: npm run test:arrivals -- [HISTORIES]
// [FIRST]

import { runArrivalHistory } from '../arrival-history.ts';

const histories = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);
const STEPS = 80;

let [asked, told] = [0, 0];
for (let seed = first; seed < first + histories; seed++) {
  const counts = await runArrivalHistory(seed, STEPS);
  asked += counts.asked;
  told += counts.told;
}
process.stdout.write(`${histories} histories: asked ${asked} times, told ${told} matches, each once\n`);
