// Random edits of a folder behind a citation: imports, copies with another text or score, removals, undoing, purges.
// What the check says is held against what was seen of every record.

import assert from 'node:assert/strict';
import { type App, openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { monthOf } from '../../src/features/citing/claim.ts';
import { type Check, check, cite } from '../../src/features/citing/service.ts';
import { citationsOf, type KeptCitation } from '../../src/features/citing/store.ts';
import { hex64, recordMix } from '../../src/model/hash.ts';
import { isNews } from '../../src/model/pages.ts';
import type { StoredComment, StoredRecord } from '../../src/model/record.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { REACHED } from '../archive.ts';
import { randomBelow } from '../generators/random.ts';
import { comment, START_OF_2008, temporaryFolder } from '../helpers.ts';

export interface EditReport {
  readonly scripts: number;
  /** How many checks found the citation unchanged. */
  readonly same: number;
  /** Months that differed, and of these: by what came in alone; with records gone; with records that match again. */
  readonly months: number;
  readonly inAlone: number;
  readonly gone: number;
  readonly matchAgain: number;
}

const QUERIES = ['', 'solar', 'score:3', '/r/cats', 'solar -wind', 'after:2008-02-01'];
const IDS = 40;
const EDITS = 6;

type Tally = { -readonly [Field in keyof EditReport]: EditReport[Field] };

/** As many scripts of EDITS edits, each behind citations of all QUERIES, on one folder. Throws an AssertionError. */
export async function runEditScripts(scripts: number, seed: number): Promise<EditReport> {
  using folder = temporaryFolder();
  await using app = await openApp({ ...readConfig({}), dataFolder: folder.path, threads: 0 });
  const tally: Tally = { scripts, same: 0, months: 0, inAlone: 0, gone: 0, matchAgain: 0 };
  const history = new History(app, seed);
  await history.import(Array.from({ length: IDS / 2 }, () => history.randomComment()));
  for (let script = 0; script < scripts; script++) {
    const cited: { readonly citation: KeptCitation; readonly matches: Matches }[] = [];
    for (const query of QUERIES) {
      const { citation } = await cite(app, { query, kinds: ['comment'], note: null });
      // A citation of before may be the same, and stands where it stood: it is made anew.
      citationsOf(app.catalogue).remove(citation.id);
      const anew = await cite(app, { query, kinds: ['comment'], note: null });
      cited.push({ citation: anew.citation, matches: await history.matches(query) });
    }
    history.beginScript();
    for (let edit = 0; edit < EDITS; edit++) await history.edit();
    for (const { citation, matches } of cited) {
      const checked = await check(app, citation);
      const where = `seed ${seed}, script ${script}, query \`${citation.answer.query}\``;
      const now = await history.matches(citation.answer.query);
      compare(checked, matches, now, history, tally, where);
    }
  }
  return tally;
}

/** By id. */
type Matches = ReadonlyMap<string, StoredRecord>;

function compare(
  check: Check,
  cited: Matches,
  now: Matches,
  history: History,
  tally: Tally,
  where: string,
): void {
  const checked = check.kinds.comments!;
  const months = new Map(checked.months.map((month) => [month.month, month]));
  const of = (matches: Matches, month: string) =>
    new Map([...matches].filter(([, { created }]) => monthOf(created) === month));
  const all = new Set([...cited.values(), ...now.values()].map(({ created }) => monthOf(created)));
  let areSame = true;
  for (const month of all) {
    const [was, is] = [of(cited, month), of(now, month)];
    const isSame = was.size === is.size && [...was].every(([id, one]) => mix(one) === mix(is.get(id)));
    const told = months.get(month);
    if (isSame) {
      assert.equal(told, undefined, `${where}: ${month} is the same`);
      continue;
    }
    areSame = false;
    assert.ok(told?.since, `${where}: ${month} differs, and is told of`);
    const { since } = told;
    const cameIn = [...is.keys()].filter((id) => history.cameIn(id)).length;
    const stayed = [...is.keys()].filter((id) => !history.cameIn(id));
    const gone = [...was.keys()].filter((id) => !is.has(id) || history.cameIn(id));
    const matchAgain = stayed.filter((id) => !was.has(id)).length;
    const expected = [was.size, cameIn, gone.length - matchAgain, is.size];
    assert.deepEqual([told.cited, since.in, since.out, told.now], expected, `${where}: ${month}`);
    assert.equal(told.cited + since.in - since.out, told.now, `${where}: then + in - out = now`);
    const removed = gone.filter((id) => history.isRemoved(id)).length;
    const bound = matchAgain === 0 ? since.removed : since.removed + matchAgain;
    assert.ok(removed <= bound, `${where}: ${month}: at most ${since.removed} removed, ${removed} were`);
    const isInAlone =
      gone.length === 0 && matchAgain === 0 && stayed.every((id) => mix(was.get(id)) === mix(is.get(id)));
    assert.equal(since.isInAlone, isInAlone, `${where}: ${month}: whether what came in is all`);
    tally.months++;
    if (isInAlone) tally.inAlone++;
    if (gone.length > 0) tally.gone++;
    if (matchAgain > 0) tally.matchAgain++;
  }
  assert.equal(check.isSame, areSame, where);
  for (const month of months.keys()) assert.ok(all.has(month), where);
  if (areSame) tally.same++;
}

function mix(record: StoredRecord | undefined): string {
  return record === undefined ? '' : hex64(recordMix(record));
}

class History {
  readonly #app: App;
  readonly #below: (end: number) => number;
  /** Ids whose present text came in since the script began, hidden or not. */
  readonly #cameIn = new Set<string>();
  /** Removals of the script in force, and those that can be undone. */
  readonly #removals: number[] = [];
  #retrieved = 1;

  constructor(app: App, seed: number) {
    this.#app = app;
    this.#below = randomBelow(seed);
  }

  beginScript(): void {
    this.#cameIn.clear();
    this.#removedNow.clear();
  }

  cameIn(id: string): boolean {
    return this.#cameIn.has(id);
  }

  /** Whether a removal of this script took it out. */
  isRemoved(id: string): boolean {
    return this.#removedNow.has(id);
  }
  readonly #removedNow = new Set<string>();

  async matches(text: string): Promise<Matches> {
    const matches = new Map<string, StoredRecord>();
    const { query } = interpretWithoutWindow(text);
    for await (const batch of this.#app.engine.scan('comment', query, 'newest')) {
      for (const record of batch) matches.set(record.id, record);
    }
    return matches;
  }

  async edit(): Promise<void> {
    const sort = this.#below(10);
    if (sort < 3) await this.import(Array.from({ length: 1 + this.#below(4) }, () => this.randomComment()));
    else if (sort < 5) await this.#rescore();
    else if (sort < 8) await this.#remove();
    else if (sort < 9) await this.#undo();
    else await this.#app.remover(REACHED).purge();
  }

  /** Of several copies of an id only the last: two that undo each other would come in, and change nothing. */
  async import(records: readonly StoredComment[]): Promise<void> {
    const before = await this.matches('');
    const single = [...new Map(records.map((record) => [record.id, record])).values()];
    await this.#app.engine.index('comment', packRecords(single));
    for (const [id, record] of await this.matches('')) {
      const known = before.get(id);
      if (known === undefined || isNews(known, record)) this.#cameIn.add(id);
    }
  }

  randomComment(): StoredComment {
    const number = this.#below(IDS);
    const words = ['solar', 'wind', 'solar wind', 'rain', 'solar rain'];
    return comment({
      id: number.toString(36),
      // A record is created once, in one of three months, whatever copies there are of it.
      created: START_OF_2008 + (number % 3) * 31 * 86_400 + number,
      community: number % 4 === 0 ? 'cats' : 'energy',
      body: words[this.#below(words.length)]!,
      score: this.#below(6),
      retrieved: this.#retrieved++,
    });
  }

  /** Copies that bring another score alone: they do not come in. */
  async #rescore(): Promise<void> {
    const all = [...(await this.matches('')).values()] as StoredComment[];
    const some = all.filter(() => this.#below(4) === 0);
    const copies = some.map((one) => ({ ...one, score: this.#below(6), retrieved: this.#retrieved++ }));
    await this.import(copies);
  }

  async #remove(): Promise<void> {
    const before = await this.matches('');
    const ids = [...before.keys()].filter(() => this.#below(8) === 0);
    const target = { kind: 'records', of: 'comment', ids, withComments: false } as const;
    const { id } = await this.#app.remover(REACHED).remove(target);
    this.#removals.push(id!);
    const after = await this.matches('');
    for (const name of before.keys()) if (!after.has(name)) this.#removedNow.add(name);
  }

  async #undo(): Promise<void> {
    const [removal] = this.#removals.splice(this.#below(Math.max(1, this.#removals.length)), 1);
    if (removal === undefined) return;
    await this.#app.remover(REACHED).undo(removal);
    for (const id of (await this.matches('')).keys()) this.#removedNow.delete(id);
  }
}
