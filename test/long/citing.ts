// npm run test:long -- citing [scripts]: random edits behind citations; what each check says is held against what was
// seen of every record. 500 scripts take some two minutes of processor time.

import { type EditReport, runEditScripts } from '../citing/edit-scripts.ts';

const SCRIPTS = Number(process.argv[2] ?? 500);
/** On one folder. */
const AT_ONCE = 25;

const sum = new Map<keyof EditReport, number>();
for (let done = 0; done < SCRIPTS; done += AT_ONCE) {
  const report = await runEditScripts(Math.min(AT_ONCE, SCRIPTS - done), 1 + done / AT_ONCE);
  for (const [name, value] of Object.entries(report) as [keyof EditReport, number][]) {
    sum.set(name, (sum.get(name) ?? 0) + value);
  }
}
console.log([...sum].map(([name, value]) => `${name}: ${value.toLocaleString('en')}`).join('\n'));
const { user, system } = process.cpuUsage();
console.log(`${Math.round((user + system) / 1e6)} s of processor time`);
