// What an operator does to a served folder, by command, round after round: imports, removals, undoing, purges, data
// sets. The folder is about as large after each round as before.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../../processes.ts';
import {
  COMMENTS_A_ROUND,
  commentOf,
  communityOf,
  POSTS_A_ROUND,
  wordOf,
  writeBase,
  writeRound,
} from './folder.ts';
import { Ledger } from './ledger.ts';

export const DATASET = 'soak';
const REMOVED_BY_ID = 50;
/** Rounds whose records stay. */
const KEPT = 2;
const PURGED_EVERY = 3;
const PUBLISHED_EVERY = 4;

export type Kind = 'posts' | 'comments';

/** As the ledger knows it: what is searched for, among records of this kind. */
export function questionOf(kind: Kind, query: string): string {
  return `/api/v1/search/${kind}?query=${encodeURIComponent(query)}`;
}

export class Operator {
  readonly ledger = new Ledger();
  /** The last round of which all is there. */
  round = 0;
  isPublished = false;
  readonly commands: Record<string, number> = {};
  readonly #folder: string;
  readonly #sources: string;
  readonly #lines: readonly string[];
  readonly #all = { posts: 0, comments: 0 };

  /** `lines`: the comments of the beginning. */
  constructor(folder: string, sources: string, lines: readonly string[]) {
    this.#folder = folder;
    this.#sources = sources;
    this.#lines = lines;
  }

  async begin(): Promise<void> {
    const files = this.#files('base');
    writeBase(files.comments, files.posts, this.#lines);
    await this.#command(['import', files.comments, files.posts]);
    this.#all.comments = this.#lines.length;
    this.#all.posts = Math.ceil(this.#lines.length / 20);
    this.#setAll();
  }

  /** One round after the other, each at its time or when the last is over. */
  async rounds(everyMs: number, over: AbortSignal): Promise<void> {
    for (let round = 1; !over.aborted; round++) {
      const next = sleep(everyMs, null, { signal: over }).catch(() => null);
      await this.#bring(round);
      await this.#removeAndUndo(round);
      this.round = round;
      if (round > KEPT) await this.#drop(round - KEPT);
      if (round % PURGED_EVERY === 0) await this.#command(['remove', '--purge']);
      if (round % PUBLISHED_EVERY === 1) await this.#publish();
      await next;
    }
  }

  async #bring(round: number): Promise<void> {
    const files = this.#files('round');
    writeRound(files.comments, files.posts, round, this.#lines);
    this.ledger.set(questionOf('comments', wordOf(round)), 0, COMMENTS_A_ROUND);
    this.ledger.set(questionOf('posts', wordOf(round)), 0, POSTS_A_ROUND);
    this.#setAll(COMMENTS_A_ROUND, POSTS_A_ROUND);
    await this.#command(['import', files.comments, files.posts]);
    this.#change(round, COMMENTS_A_ROUND, POSTS_A_ROUND);
  }

  async #removeAndUndo(round: number): Promise<void> {
    const ids = Array.from({ length: REMOVED_BY_ID }, (_, i) => commentOf(round, i * 7));
    const question = questionOf('comments', wordOf(round));
    const left = COMMENTS_A_ROUND - REMOVED_BY_ID;
    this.ledger.set(question, left, COMMENTS_A_ROUND);
    this.#setAll(-REMOVED_BY_ID, 0);
    const removed = JSON.parse(await this.#command(['remove', 'comments', ...ids])) as { id: number };
    this.ledger.set(question, left);
    await sleep(500);
    this.ledger.set(question, left, COMMENTS_A_ROUND);
    await this.#command(['remove', '--undo', String(removed.id)]);
    this.ledger.set(question, COMMENTS_A_ROUND);
    this.#setAll();
  }

  async #drop(round: number): Promise<void> {
    this.ledger.set(questionOf('comments', wordOf(round)), 0, COMMENTS_A_ROUND);
    this.ledger.set(questionOf('posts', wordOf(round)), 0, POSTS_A_ROUND);
    this.#setAll(-COMMENTS_A_ROUND, -POSTS_A_ROUND);
    await this.#command(['remove', 'community', communityOf(round)]);
    this.#change(round, -COMMENTS_A_ROUND, -POSTS_A_ROUND);
    for (const kind of ['posts', 'comments'] as const)
      this.ledger.forget(questionOf(kind, wordOf(round - KEPT)));
  }

  /** Of the two newest rounds, which the next ones remove: the data set is made again and again. */
  async #publish(): Promise<void> {
    const words = ['--formats', 'ndjson.zst,csv.gz'];
    const query = `/r/${communityOf(this.round)}`;
    if (this.isPublished) await this.#command(['datasets', 'remove', DATASET]);
    this.isPublished = false;
    await this.#command(['datasets', 'publish', DATASET, 'comments', query, ...words]);
    this.isPublished = true;
  }

  #change(round: number, comments: number, posts: number): void {
    this.#all.comments += comments;
    this.#all.posts += posts;
    this.ledger.set(questionOf('comments', wordOf(round)), Math.max(0, comments));
    this.ledger.set(questionOf('posts', wordOf(round)), Math.max(0, posts));
    this.#setAll();
  }

  /** What there is in all, while so many come (or go, below 0). */
  #setAll(comments = 0, posts = 0): void {
    for (const [kind, change] of [['comments', comments] as const, ['posts', posts] as const]) {
      const now = this.#all[kind];
      this.ledger.set(questionOf(kind, ''), now + Math.min(0, change), now + Math.max(0, change));
    }
  }

  #files(name: string): { comments: string; posts: string } {
    const path = (kind: string) => join(this.#sources, `${name}-${kind}.ndjson`);
    return { comments: path('comments'), posts: path('posts') };
  }

  /** Returns what it prints. Throws, with what it says, where it fails. */
  async #command(words: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [PROGRAM, ...words, '--json', '--data', this.#folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const told = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        told[name] += text;
      });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0)
      throw new Error(`colloquy ${words.slice(0, 3).join(' ')}: ended with ${code}: ${told.stderr}`);
    const name = words.slice(0, 2).find((word) => word.startsWith('--')) ?? words[0]!;
    this.commands[name] = (this.commands[name] ?? 0) + 1;
    return told.stdout;
  }
}
