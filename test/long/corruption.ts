// `npm run test:long -- corruption [times]`: damage of every kind to every file of an index, 50 questions after each.
// Prints what became of them; ends at the first wrong answer, at the first error that does not name the file. `times`
// multiplies the number of flipped bits (1 where none is named).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cutAt,
  type Damage,
  databaseFlips,
  flipAt,
  makeKilledVictim,
  makeVictim,
  type Part,
  partsOf,
  segmentFiles,
  tryDamage,
  type Victim,
  wrongFiles,
} from '../corruption.ts';

const times = Number(process.argv[2] ?? 1);
const DOCS = 12_000;
const FLIPS_OF_A_PART = 12 * times;
const CUT_EVERY = 512;

using victim = await makeVictim(DOCS);
using other = await makeVictim(2_100, 2);
using killed = await makeKilledVictim(other);
const files = segmentFiles(victim.folder);
for (const kind of ['post', 'comment'] as const) {
  const file = segmentFiles(victim.folder, kind)[0]!;
  for (const part of partsOf(join(victim.folder, file))) {
    await run(victim, `flip in ${part.name} of ${kind}s`, flips(file, part));
  }
}
const foreign = readFileSync(join(other.folder, segmentFiles(other.folder, 'comment')[0]!));
await run(victim, 'wrong files', wrongFiles(victim.folder, foreign));
await run(victim, `cut at every ${CUT_EVERY} bytes`, cuts(files.at(-1)!));
for (const name of ['posts.db', 'comments.db']) {
  await run(victim, `flip in ${name}`, databaseFlips(victim.folder, name, 400 * times));
}
await run(killed, 'flip in comments.db-wal', databaseFlips(killed.folder, 'comments.db-wal', 200 * times));

function flips(file: string, { name, offset, length }: Part): Damage[] {
  const count = Math.min(FLIPS_OF_A_PART, length);
  return Array.from({ length: count }, (_, i) =>
    flipAt(file, offset + Math.floor(((i + 0.5) * length) / count), (i * 5) % 8, `, ${name}`),
  );
}

function cuts(file: string): Damage[] {
  const { length } = readFileSync(join(victim.folder, file));
  return Array.from({ length: Math.ceil(length / CUT_EVERY) }, (_, i) => cutAt(file, i * CUT_EVERY));
}

async function run(on: Victim, what: string, damages: readonly Damage[]): Promise<void> {
  const sum = { same: 0, refused: 0, older: 0 };
  let unnoticed = 0;
  for (const [i, damage] of damages.entries()) {
    const outcome = await tryDamage(on, damage, i % 25 === 0 ? 1 : 0);
    for (const name of ['same', 'refused', 'older'] as const) sum[name] += outcome[name];
    if (outcome.same === on.questions.length) unnoticed++;
  }
  process.stdout.write(
    `${what}: ${damages.length} times; ${sum.same} answers right, ${sum.older} of an earlier commit, ${sum.refused} refused by name; ${unnoticed} times not touched by any question\n`,
  );
}
