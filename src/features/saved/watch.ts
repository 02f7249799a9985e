// `colloquy watch`: reports new records since the last run, each at least once, even if a run is killed. Contract 22.
// The state between two runs is a small file, replaced atomically. The user's command runs in the shell, with lines on
// its standard input.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type App, openApp } from '../../app.ts';
import { openAccountsToRead } from '../../cli/accounts-folder.ts';
import { tellDropped } from '../../cli/command-line.ts';
import { linesOfRecords } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption, wholeNumberOf } from '../../cli/options.ts';
import { userStateFolder } from '../../config.ts';
import { naming, UsageError } from '../../errors.ts';
import type { OneOfMany, SearchEngine } from '../../model/engine.ts';
import { type NewsPosition, nextNews, type OlderRecords } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { bucketStart } from '../../model/timeline.ts';
import { underQuery } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { DEFAULT_FIELDS } from '../../search/presenter.ts';
import { isCount, readJsonFile, replaceFile } from '../../sqlite/database.ts';
import { savedById } from './command.ts';
import type { SavedSearch } from './store.ts';

interface WatchFlags extends CommonFlags {
  readonly saved?: string;
  readonly state?: string;
  readonly exec?: string;
  readonly above?: number;
  readonly maxAge?: number;
}

/** Exit code: news was reported. */
const NEWS_EXIT = 10;

/** Records read at once: a text may have 1 MiB. */
const READ_AT_ONCE = 25;

export function watchCommand(): Command {
  return new Command('watch')
    .description('tell what came in since the last run; the first run only remembers')
    .addArgument(new Argument('[kind]', 'what to watch').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .option('--saved <id>', 'watch a saved search, by its number in `saved list`, in place of kind and query')
    .option('--state <file>', 'keep the state here (default: a file in your state folder)')
    .option('--json', 'print a line of JSON for each record')
    .option(
      '--exec <command>',
      'instead, run this in the shell, with a line of JSON for each record as its input',
    )
    .option(
      '--above <n>x',
      `report a day with more than n times the mean of the ${USUAL_DAYS} before it`,
      readTimes,
    )
    .option(
      '--max-age <days>',
      'only count records that were older than this on arrival',
      wholeNumberOf(0, 99_999, 'a number of days, 0 to 99999'),
    )
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Exit code 0: nothing; ${NEWS_EXIT}: news was reported; 1: it failed, and the next run reports the same again.
A \`before:\` needs an \`after:\`. A query that begins with a minus goes after --.
  colloquy watch comments "heat pump" /r/solarpower
  colloquy watch --saved 3 --json
  colloquy watch posts solar --exec 'mail -s "New on solar" ann@example.org'
  colloquy watch comments outage --above 3x`,
    )
    .action(async (kinds: Kinds | undefined, words: string[], flags: WatchFlags) => {
      process.exitCode = await runWatch(await wishOf(kinds, words.join(' '), flags), flags);
    });
}

type Kinds = 'posts' | 'comments';

/** `under`: as in Watched. `saved`: the id of the saved search, or null. */
type WatchWish = Pick<Watched, 'kind' | 'under'> & { readonly text: string; readonly saved: number | null };

/** Throws a UsageError. */
async function wishOf(kinds: Kinds | undefined, text: string, flags: WatchFlags): Promise<WatchWish> {
  if (flags.saved === undefined) {
    if (kinds !== undefined)
      return { kind: kinds === 'posts' ? 'post' : 'comment', text, under: null, saved: null };
    throw new UsageError('expected `posts` or `comments` with a query, or `--saved ID`, found neither');
  }
  if (kinds !== undefined) {
    throw new UsageError(`expected kind and query, or \`--saved ID\`, found \`${kinds}\` beside \`--saved\``);
  }
  await using accounts = await openAccountsToRead(configWith(flags));
  const { id, kind, query, under } = savedById(accounts, flags.saved);
  return { kind, text: query, under, saved: id };
}

async function runWatch({ kind, text, under, saved }: WatchWish, flags: WatchFlags): Promise<number> {
  const config = { ...configWith(flags), queryTimeoutMs: Infinity };
  const { query, echo, dropped } = interpretWithoutWindow(text);
  const watch = flags.above === undefined ? 'news' : 'above';
  const watched = { kind, query: echo, under, watch } as const;
  const of = { kind, query, ...underQuery(under) };
  const path =
    flags.state === undefined
      ? statePathIn(userStateFolder(), config.dataFolder, watched, saved)
      : resolve(flags.state);
  const before = readWatchState(path, watched);
  await using app = await openApp(config, { toRead: true });
  tellDropped(dropped);
  const run = { app, flags, before, of, query: echo };
  const { state, lines } = await (watch === 'news' ? newsOf(run) : dayOf(run));
  // The state must not advance before everything is reported.
  const code = lines === null ? 0 : await deliver(flags, lines);
  const isKnown = before !== null && state.arrival === before.arrival && state.day === before.day;
  if (code !== 1 && !isKnown) writeWatchState(path, { ...watched, ...state });
  if (before === null) process.stderr.write('(the first run: from now on, what comes in is told)\n');
  return code;
}

interface Run {
  readonly app: App;
  readonly flags: WatchFlags;
  /** null: this is the first run. */
  readonly before: WatchState | null;
  readonly of: WatchedRecords;
  readonly query: string;
}

/** The state for the next run. `lines`: null: nothing is to be told, as on a first run. */
interface Found {
  readonly state: Pick<WatchState, 'arrival' | 'day'>;
  readonly lines: AsyncIterable<string> | null;
}

async function newsOf(run: Run): Promise<Found> {
  const { app, flags, before, of } = run;
  if (before === null) {
    await app.engine.refresh();
    const { arrival } = await app.engine.ask(of);
    return { state: { arrival }, lines: null };
  }
  const maxAge = flags.maxAge === undefined ? null : flags.maxAge * DAY;
  const found = await newsSince(app.engine, { of, since: before.arrival ?? 0, maxAge });
  const { arrival, total } = found;
  return { state: { arrival }, lines: total === 0 ? null : newsLines(run, found) };
}

async function* newsLines(run: Run, { total, pages, older }: NewsFound): AsyncGenerator<string> {
  const { app, flags, query } = run;
  const { kind } = run.of;
  const isJson = printsJson(flags);
  const name = (count: number) => `${count.toLocaleString('en')} ${kind}${count === 1 ? '' : 's'}`;
  if (!isJson) yield `${name(total)} came in: ${query || '(everything)'}\n`;
  const fields = [...DEFAULT_FIELDS[kind], 'arrived_utc'].join(',');
  for await (const ids of pages) {
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = ids.slice(at, at + READ_AT_ONCE).map((id) => `${kind === 'post' ? 't3' : 't1'}_${id}`);
      const { data } = await app.search.records({ kind, ids: some.join(','), fields });
      yield isJson ? data.map((record) => `${JSON.stringify(record)}\n`).join('') : linesOfRecords(data);
    }
  }
  const count = older.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return;
  const oldest = { type: 'older', kind: `${kind}s`, query, count };
  yield isJson
    ? `${JSON.stringify(oldest)}\n`
    : `${name(count)} of them ${count === 1 ? 'is' : 'are'} older than ${flags.maxAge} days\n`;
}

/** News is a day with more than `--above` times the mean; with a mean of 0, one with any. */
async function dayOf({ app, flags, before, of, query }: Run): Promise<Found> {
  const last = await lastDayOf(app.engine, of);
  const known = before?.day ?? null;
  const day = last !== null && last.count > last.mean * flags.above! ? last.day : known;
  const isNew = before !== null && day !== known;
  return { state: { day }, lines: isNew ? dayLine(flags, query, last!) : null };
}

async function* dayLine(flags: WatchFlags, query: string, { day, count, mean }: LastDay) {
  const rounded = Math.round(mean * 10_000) / 10_000;
  const told = { type: 'above', query, day: readableDay(day), count, mean: rounded };
  yield printsJson(flags)
    ? `${JSON.stringify(told)}\n`
    : `${told.day}: ${count.toLocaleString('en')} match ${query || '(everything)'}; ` +
      `the ${USUAL_DAYS} days before had ${told.mean.toLocaleString('en')} a day\n`;
}

function printsJson({ json, exec }: WatchFlags): boolean {
  return json === true || exec !== undefined;
}

/** NEWS_EXIT once the command or standard output has taken all lines; else 1. */
async function deliver({ exec }: WatchFlags, lines: AsyncIterable<string>): Promise<number> {
  if (exec !== undefined) {
    const failure = await runWithLines(exec, lines);
    if (failure === null) return NEWS_EXIT;
    process.stderr.write(`colloquy: the command failed (${failure}); the next run tells the same again\n`);
    return 1;
  }
  // A broken pipe ends the process before the state is saved.
  process.exitCode = 1;
  for await (const line of lines) await print(line);
  return NEWS_EXIT;
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

function readTimes(text: string): number {
  const times = /^(\d{1,6}(?:\.\d{1,3})?)x?$/.exec(text)?.[1];
  if (times === undefined || Number(times) <= 0)
    throw new InvalidArgumentError('expected a number as in `3x`.');
  return Number(times);
}

/** What a pipe says whose reader has gone. */
const CLOSED = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];

/**
 * Pipes the lines to the command, waits for its end, and resolves to its failure or null. The command need not read all
 * of them, and shares our standard output and error.
 */
async function runWithLines(command: string, lines: AsyncIterable<string>): Promise<string | null> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => {
      if (signal !== null) resolve(`ended by ${signal}`);
      else resolve(code === 0 ? null : `exit code ${code}`);
    });
  });
  // Where the command stops reading, its exit code says whether that is a failure.
  await pipeline(lines, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (!CLOSED.includes(error.code ?? '')) throw error;
  });
  return await ended;
}

const PAGE = 1_000;

type WatchedRecords = Pick<OneOfMany, 'kind' | 'query' | 'under'>;

interface NewsWish {
  readonly of: WatchedRecords;
  /** The arrival of the last view that was reported. */
  readonly since: number;
  /** Seconds; null: any age. See NewsRequest. */
  readonly maxAge: number | null;
}

type NewsFound = Awaited<ReturnType<typeof newsSince>>;

/**
 * `arrival`: of the first view; `pages` and `older` cover everything up to it that was not removed since. `total`:
 * exact, in that view, with records older than `maxAge`. `pages`: ids, last arrival first; a record that arrives again
 * meanwhile may be missing: it is then past `arrival`. `older`: records older than `maxAge`, complete once all pages
 * are read.
 *
 * Throws a UsageError if the arrival belongs to another index, and what `ask` throws.
 */
export async function newsSince(engine: SearchEngine, { of, since, maxAge }: NewsWish) {
  const older: OlderRecords[] = [];
  const ask = async (after?: NewsPosition) => {
    const news = { limit: PAGE, maxAge, ...(after && { after }) };
    const answer = await engine.ask({ ...of, since, news });
    older.push(...answer.news!.older);
    return answer;
  };
  await engine.refresh();
  const first = await ask();
  if (first.arrival < since) {
    throw new UsageError(
      `expected the index of the last run, with arrivals up to ${since}, found another, which ends at ` +
        `${first.arrival}; delete the state to watch it`,
    );
  }
  async function* pages() {
    for (let news = first.news!; ; ) {
      if (news.records.length > 0) yield news.records.map(({ record }) => record.id);
      const next = nextNews(news);
      if (next === null) return;
      news = (await ask(next)).news!;
    }
  }
  return { arrival: first.arrival, total: first.total, pages: pages(), older };
}

/** The last day is compared with this many days before it. */
const USUAL_DAYS = 28;

type LastDay = NonNullable<Awaited<ReturnType<typeof lastDayOf>>>;

/**
 * `day`: that of the kind's newest record, matching or not: its first second, UTC. `mean`: per day, over the USUAL_DAYS
 * before it. null: the kind has no records. Throws what `ask` throws.
 */
async function lastDayOf(engine: SearchEngine, of: WatchedRecords) {
  const { kind, query } = of;
  await engine.refresh();
  const page = { order: 'newest', limit: 1, after: null } as const;
  const newest = (await engine.ask({ kind, query: { items: [] }, page })).page!.records[0];
  if (newest === undefined) return null;
  const day = bucketStart('day', newest.created);
  const between = (from: number, to: number): Query => ({
    items: [...query.items, { kind: 'after', time: Math.max(0, from) }, { kind: 'before', time: to }],
  });
  const asked = [between(day, day + DAY), between(day - USUAL_DAYS * DAY, day)];
  const { answers } = await engine.askAll(asked.map((one) => ({ ...of, query: one })));
  return { day, count: answers[0]!.total, mean: answers[1]!.total / USUAL_DAYS };
}

/** What is watched; `news`: new records, `above`: a day with more records than usual. */
type Watched = Pick<SavedSearch, 'kind' | 'query' | 'under'> & { readonly watch: 'news' | 'above' };

interface WatchState extends Watched {
  /** For `news`: everything up to this arrival was reported. */
  readonly arrival?: number;
  /** For `above`: the last day reported, its first second; null: none. */
  readonly day?: number | null;
}

const FORM = 1;

/** Each watch of each data folder has its own file. `saved`: the id of a saved search, or null. */
function statePathIn(
  folder: string,
  dataFolder: string,
  { kind, query, under, watch }: Watched,
  saved: number | null,
): string {
  const named = [dataFolder, kind, query, under, watch, ...(saved === null ? [] : [saved])];
  const name = createHash('sha256').update(JSON.stringify(named)).digest('hex');
  return join(folder, `watch-${name.slice(0, 32)}.json`);
}

/** null: no such file. Throws a UsageError if it belongs to another watch, a StorageError if it is no state. */
function readWatchState(path: string, watched: Watched): WatchState | null {
  const expected = 'the state of a watch, found something else; choose another file';
  const state = readJsonFile(path, asState, expected);
  if (state === null) return null;
  const keys = ['kind', 'query', 'under', 'watch'] as const;
  if (keys.every((key) => state[key] === watched[key])) return state;
  throw new UsageError(
    `\`${path}\`: expected the state of ${wordsOf(watched)}, found that of ${wordsOf(state)}; choose another file`,
  );
}

/** Synced when it returns; a kill or a power cut leaves this state or the previous one. Makes the folder. */
export function writeWatchState(path: string, state: WatchState): void {
  naming(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify({ form: FORM, ...state })}\n`, 0o600);
  });
}

function asState(given: Partial<WatchState> & { readonly form?: unknown }): WatchState | null {
  const { form, kind, query, under = null, watch, arrival, day } = given;
  const isKnown = form === FORM && (kind === 'post' || kind === 'comment') && typeof query === 'string';
  if (!isKnown) return null;
  if (watch === 'news' && isCount(arrival)) return { kind, query, under, watch, arrival };
  return watch === 'above' && (day === null || isCount(day)) ? { kind, query, under, watch, day } : null;
}

function wordsOf({ kind, query, under, watch }: Watched): string {
  const below = under === null ? '' : ` of posts that match \`${under}\``;
  const what = `${KIND_NAMES[kind]} ${query === '' ? '(everything)' : `\`${query}\``}${below}`;
  return watch === 'news' ? what : `${what} with \`--above\``;
}
