// Random histories of records, data sets, removals and undos, beside a plain model of what should become of the data
// sets: each is withdrawn when a removal meets a record that it contains, and at no other time.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/removals/target.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { REACHED } from '../archive.ts';
import { pick as pickFrom, randomBelow } from '../generators/random.ts';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { define, filesBelow, linesOf, make, openData } from './house.ts';

const COMMUNITIES = ['energy', 'cats', 'chess'];
const WORDS = ['solar', 'wind', 'coal'];
const DATASETS = [
  { name: 'solar', query: 'solar' },
  { name: 'cats', query: '/r/cats,/r/chess', kinds: ['comment'] as const },
  { name: 'all', query: '' },
];
const IDS = 12;
/** So many of the posts have comments. */
const POSTS = 4;

type Pick = <T>(values: readonly T[]) => T;

interface Member {
  readonly kind: Kind;
  readonly id: string;
  readonly community: string;
  /** Of a comment; empty where it is not known, and of a post. */
  readonly post: string;
}

/** What the model knows of a data set. */
interface Published {
  members: readonly Member[];
  isWithdrawn: boolean;
  isDue: boolean;
  readonly losses: Set<number>;
}

/** Throws an AssertionError where model and data sets differ; `seed` names the history. */
export async function runHistory(
  folder: string,
  seed: number,
  steps: number,
): Promise<Record<string, number>> {
  await using app = await openData(join(folder, String(seed)));
  const below = randomBelow(seed);
  const pick: Pick = (values) => pickFrom(below, values);
  const model = new Map<string, Published>();
  const removals: number[] = [];
  const done: Record<string, number> = {};
  let withdrawals = 0;
  await addRecords(app, pick, 0, 20);
  for (const { name, ...fields } of DATASETS) {
    define(app, { name, formats: ['ndjson.zst'], ...fields });
    await publish(app, model, name);
  }
  for (let step = 1; step <= steps; step++) {
    const action = pick(['add', 'remove', 'remove', 'undo', 'rebuild', 'upkeep', 'upkeep'] as const);
    done[action] = (done[action] ?? 0) + 1;
    if (action === 'add') await addRecords(app, pick, step, 4);
    else if (action === 'remove') withdrawals += await remove(app, model, removals, targetOf(pick));
    else if (action === 'undo') await undo(app, model, removals, pick);
    else if (action === 'rebuild') await publish(app, model, pick(DATASETS).name);
    else for (const name of shelfOf(app).due()) await publish(app, model, name);
    compare(app, model, `seed ${seed}, step ${step}, ${action}`);
  }
  for (const name of shelfOf(app).due()) await publish(app, model, name);
  for (const published of model.values()) expectNoneRemoved(app, published);
  return { ...done, withdrawals };
}

function targetOf(pick: Pick): Target {
  const id = (kind: Kind) => `${kind[0]}${pick(numbers(IDS))}`;
  const kind = pick(KINDS);
  const withComments = pick([true, false]);
  return pick<Target>([
    { kind: 'records', of: 'comment', ids: [id('comment'), id('comment')], withComments: false },
    { kind: 'records', of: 'post', ids: [id('post')], withComments },
    { kind: 'records', of: 'post', ids: [`p${pick(numbers(POSTS))}`], withComments: true },
    { kind: 'communities', names: [pick([...COMMUNITIES, 'nowhere', 'else'])] },
    {
      ...{
        kind: 'query',
        query: interpretWithoutWindow(`${pick(WORDS)} /r/${pick(COMMUNITIES)} score:3`).query,
      },
      ...{ kinds: [kind], withComments: withComments && kind === 'post' },
    },
  ]);
}

/** Returns how many data sets it withdraws. */
async function remove(
  app: App,
  model: ReadonlyMap<string, Published>,
  removals: number[],
  target: Target,
): Promise<number> {
  const isMet = await meeting(app, target);
  const { id } = await app.remover(REACHED).remove(target);
  if (id === null) return 0;
  removals.push(id);
  let withdrawals = 0;
  for (const published of model.values()) {
    const { isWithdrawn } = published;
    if (!isWithdrawn && !published.members.some(isMet)) continue;
    // Also of a withdrawn one, since what its next edition would have had is not known.
    published.losses.add(id);
    published.isWithdrawn = true;
    published.isDue = true;
    if (!isWithdrawn) withdrawals++;
  }
  return withdrawals;
}

/** As the words of the command say it, without the list. */
async function meeting(app: App, target: Target): Promise<(member: Member) => boolean> {
  if (target.kind === 'communities') return ({ community }) => target.names.includes(community);
  const ids: Record<Kind, string[]> = { post: [], comment: [] };
  if (target.kind === 'records') ids[target.of].push(...target.ids);
  else {
    await app.engine.refresh();
    for (const kind of target.kinds)
      for await (const records of app.engine.scan(kind, target.query, 'newest'))
        ids[kind].push(...records.map(({ id }) => id));
  }
  return ({ kind, id, post: of }) =>
    ids[kind].includes(id) || (target.withComments && kind === 'comment' && ids.post.includes(of));
}

async function undo(
  app: App,
  model: ReadonlyMap<string, Published>,
  removals: number[],
  pick: Pick,
): Promise<void> {
  if (removals.length === 0) return;
  const id = removals.splice(pick(numbers(removals.length)), 1)[0]!;
  await app.remover(REACHED).undo(id);
  for (const published of model.values()) {
    if (published.losses.delete(id)) published.isDue = true;
  }
}

async function publish(app: App, model: Map<string, Published>, name: string): Promise<void> {
  await make(app, name);
  const members = await matchesOf(app, name);
  const losses = model.get(name)?.losses ?? new Set();
  model.set(name, { members, isWithdrawn: false, isDue: false, losses });
}

async function matchesOf(app: App, name: string): Promise<Member[]> {
  const { dataset } = shelfOf(app).get(name);
  const { query } = interpretWithoutWindow(dataset.query);
  const scans = dataset.kinds.map((kind) => Array.fromAsync(app.engine.scan(kind, query, 'newest')));
  return (await Promise.all(scans)).flat(2).map((record) => {
    const { kind, id, community } = record;
    return { kind, id, community, post: record.kind === 'comment' ? record.post : '' };
  });
}

function compare(app: App, model: ReadonlyMap<string, Published>, where: string): void {
  for (const [name, { isWithdrawn, isDue }] of model) {
    const { dataset, edition } = shelfOf(app).get(name);
    assert.equal(edition === null, isWithdrawn, `${where}: ${name} is withdrawn`);
    assert.equal(shelfOf(app).due().includes(name), isDue, `${where}: ${name} is due`);
    const folder = shelfOf(app).folderOf(dataset);
    assert.equal(existsSync(folder), !isWithdrawn, `${where}: the files of ${name}`);
    if (!isWithdrawn)
      assert.deepEqual(idsIn(folder, name, dataset.kinds), idsOf(model.get(name)!.members), where);
    else assert.deepEqual(filesBelow(join(folder, '..')), [], where);
  }
}

/** What is served in the end has nothing that the list of removals refuses. */
function expectNoneRemoved(app: App, { members, isWithdrawn, isDue }: Published): void {
  assert.deepEqual([isWithdrawn, isDue], [false, false]);
  const records = members.map((member) => ({ ...comment({ id: member.id }), ...member }) as StoredRecord);
  assert.ok(!app.catalogue.removals.refused(records).includes(true));
}

function idsIn(folder: string, name: string, kinds: readonly Kind[]): string[] {
  return kinds.flatMap((kind) => linesOf(folder, `${name}-${kind}s.ndjson.zst`).map(({ id }) => id)).sort();
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ id }) => id).sort();
}

/** New ones, and newer copies of those that are there, which may match no more, or stand elsewhere. */
async function addRecords(app: App, pick: Pick, retrieved: number, count: number): Promise<void> {
  const made = { post: [] as StoredRecord[], comment: [] as StoredRecord[] };
  for (let i = 0; i < count; i++) {
    const common = {
      community: pick(COMMUNITIES),
      score: pick(numbers(6)),
      created: START_OF_2008,
      retrieved,
    };
    const text = pick([...WORDS, 'gone']);
    const number = pick(numbers(IDS));
    made.post.push(post({ id: `p${number}`, title: text, ...common }));
    const of = pick(['', ...numbers(POSTS).map((n) => `p${n}`)]);
    made.comment.push(comment({ id: `c${number}`, body: text, post: of, ...common }));
  }
  for (const kind of KINDS) await app.engine.index(kind, packRecords(made[kind]));
  await app.engine.refresh();
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
