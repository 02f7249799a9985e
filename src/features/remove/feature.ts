// `colloquy remove`: hides records from every answer for good; reads what to remove, as ids, links and names from
// arguments and files, or as a query; what it prints about erasing their text; its progress.

import { Argument, Command, Option } from 'commander';
import { openApp } from '../../app.ts';
import { commandLine, type Item, linesOf, STANDARD_INPUT } from '../../cli/command-line.ts';
import { type Feature, type FeatureEntry, loadFeatures, reachedByRemovals } from '../../cli/feature.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, communityName, configWith, dataOption, wholeNumberOf } from '../../cli/options.ts';
import { LINE_EVERY_MS } from '../../cli/progress.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { expectDataFolder } from '../../folder/data-folder.ts';
import { counted } from '../../http/views/format.ts';
import type { PurgeReport } from '../../model/engine.ts';
import { KINDS, type Kind, readRecordId } from '../../model/record.ts';
import type { Removal } from '../../model/removals.ts';
import { readableTime } from '../../model/time.ts';
import type { OnRemoval } from '../../operation/operation.ts';
import type { RemovalProgress, Remover } from '../../removals/remover.ts';
import type { Target } from '../../removals/target.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';

export const feature: Feature = {
  name: 'remove',
  commands: { remove: async (features) => removeCommand(features) },
};

interface RemoveFlags extends TargetFlags, CommonFlags {
  readonly purge?: boolean;
  readonly dryRun?: boolean;
  readonly list?: boolean;
  readonly undo?: number;
}

const HELP = `
Removed records disappear from every answer at once, even in a running server, and later imports skip them. Their text
is erased from the files within 24 hours if a server runs on the folder, or at once with --purge. Put -- in front of a
query that starts with a minus.
  colloquy remove posts abc123 https://www.reddit.com/r/energy/comments/abc124/
  colloquy remove comments --from ids.txt --purge
  colloquy remove posts abc123 --with-comments
  colloquy remove community /r/energy
  colloquy remove query --kind comments --dry-run '"a name" after:1970-01-01'
  colloquy remove --list
  colloquy remove --undo 3`;

function removeCommand(features: readonly FeatureEntry[]): Command {
  return new Command('remove')
    .description('remove records for good: by id or link, by community, or by query')
    .addArgument(new Argument('[what]', 'what to remove by').choices(SUBJECTS))
    .argument(
      '[item...]',
      'ids, permalinks or other links; names of communities; a query; - for standard input',
    )
    .option('--from <file>', 'read ids, links or names from a file, one per line; - for standard input')
    .option('--with-comments', 'also remove the comments of the posts, including those imported later')
    .addOption(
      new Option('--kind <kind>', 'with a query: remove only this kind').choices(['posts', 'comments']),
    )
    .option('--dry-run', 'only count, change nothing')
    .option(
      '--purge',
      'erase the text from every file at once; on its own: the text of everything removed so far',
    )
    .option('--list', 'list the removals so far')
    .option('--undo <id>', 'undo a removal', wholeNumberOf(1, Infinity, NUMBER))
    .option('--json', 'print the result as JSON')
    .addOption(dataOption())
    .addHelpText('after', HELP)
    .action(async (what: string | undefined, items: string[], flags: RemoveFlags) => {
      refuseMixtures(what, flags);
      const config = configWith(flags);
      await expectDataFolder(config);
      const target = what === undefined ? null : await readTarget(what, items, flags, config.permalinkBase);
      await run(config, target, flags, await reachedByRemovals(await loadFeatures(features)));
    });
}

async function run(config: Config, target: Target | null, flags: RemoveFlags, reached: readonly OnRemoval[]) {
  await using app = await openApp(config, { toRead: flags.list === true || flags.dryRun === true });
  if (flags.list) return tellList(app.catalogue.removals.all(), flags);
  using progress = new RemovalProgressLine();
  const remover = app.remover(reached, (now) => progress.show(now));
  if (target !== null) await removeOrCount(remover, target, flags, progress);
  else if (flags.undo !== undefined) await undo(remover, flags.undo, flags, progress);
  else {
    const purge = await remover.purge();
    progress.clear();
    if (flags.json) printJson(purgeFields(purge));
    else process.stdout.write(`${purgeWords(purge, config.dataFolder)}\n`);
  }
}

async function removeOrCount(
  remover: Remover,
  target: Target,
  flags: RemoveFlags,
  progress: RemovalProgressLine,
): Promise<void> {
  const isDry = flags.dryRun === true;
  const report = isDry ? { id: null, ...(await remover.preview(target)) } : await remover.remove(target);
  const purge = flags.purge === true && report.id !== null ? await remover.purge() : null;
  progress.clear();
  const { id, posts, comments, notThere } = report;
  if (flags.json) {
    printJson({ id, posts, comments, not_there: notThere, dry_run: isDry, ...purgeFields(purge) });
    return;
  }
  const records = `${counted(posts, 'post')} and ${counted(comments, 'comment')}`;
  if (isDry) process.stdout.write(`${records} would be removed; nothing was changed\n`);
  else if (id === null) process.stdout.write('nothing matches, so nothing was removed\n');
  else {
    const andFile = purge?.erased === 'now' ? ' and file' : '';
    process.stdout.write(`removal ${id}: ${records} removed from every answer${andFile}\n`);
  }
  if (notThere > 0) {
    const stay = isDry
      ? 'would be added to the list anyway'
      : 'added to the list anyway, so later imports skip them';
    process.stdout.write(`${counted(notThere, 'id')} not in the index: ${stay}\n`);
  }
  if (id === null) return;
  const words = textWords(purge, commandLine(['remove', '--purge'], flags.data));
  if (words !== null) process.stderr.write(`${words}\n`);
  process.stderr.write(`To undo: ${commandLine(['remove', '--undo', String(id)], flags.data)}\n`);
}

async function undo(remover: Remover, id: number, flags: RemoveFlags, progress: RemovalProgressLine) {
  const { back, notBack } = await remover.undo(id);
  progress.clear();
  if (flags.json) {
    printJson({ id, back, not_back: notBack });
    return;
  }
  process.stdout.write(`removal ${id} is undone: ${counted(back, 'record')} restored\n`);
  if (notBack > 0) {
    process.stdout.write(`${counted(notBack, 'record')} not restored: erased, or part of another removal\n`);
    process.stderr.write(
      `To get erased records back, import their dumps again: ${commandLine(['import', 'FILE'], flags.data)}\n`,
    );
  }
}

function tellList(removals: readonly Removal[], flags: RemoveFlags): void {
  if (flags.json) {
    printJson(
      removals.map(
        ({ id, subject, withComments, state, begun, listed, posts, comments, erased, undone }) => ({
          ...{ id, what: subject, with_comments: withComments, state, removed: begun, listed },
          ...{ posts, comments, erased, undone },
        }),
      ),
    );
    return;
  }
  const headings = ['id', 'what', 'removed (UTC)', 'listed', 'posts', 'comments', 'state'];
  const rows = removals.map((removal) => [
    String(removal.id),
    removal.subject + (removal.withComments ? ', with comments' : ''),
    readableTime(removal.begun),
    ...[removal.listed, removal.posts, removal.comments].map((n) => n.toLocaleString('en')),
    stateInWords(removal),
  ]);
  if (rows.length > 0) process.stdout.write(table(headings, rows));
  else process.stderr.write('nothing has been removed yet\n');
}

function stateInWords({ state, erased, undone }: Removal): string {
  switch (state) {
    case 'listing':
    case 'pending':
      return 'not finished';
    case 'undoing':
      return 'undo not finished';
    case 'undone':
      return `undone ${readableTime(undone!)}`;
    case 'done':
      return erased === null ? 'removed from answers' : `erased ${readableTime(erased)}`;
  }
}

/** Throws a UsageError for flags that contradict each other. */
function refuseMixtures(what: string | undefined, flags: RemoveFlags): void {
  const alone = (['list', 'undo', 'purge'] as const).filter((name) => flags[name] !== undefined);
  if (what === undefined && alone.length === 0) {
    throw new UsageError(
      `expected what to remove (${SUBJECTS.join(', ')}) or \`--list\`, \`--undo\` or \`--purge\`, ` +
        'found nothing (try: `colloquy remove --help`)',
    );
  }
  const ofTarget = ['from', 'withComments', 'kind', 'dryRun'] as const;
  const given = ofTarget.filter((name) => flags[name] !== undefined);
  const isMixed =
    what === undefined
      ? alone.length > 1 || given.length > 0
      : flags.list !== undefined ||
        flags.undo !== undefined ||
        (flags.dryRun !== undefined && flags.purge !== undefined);
  if (isMixed) {
    throw new UsageError(
      'expected `--list`, `--undo` or `--purge` alone, ' +
        'or something to remove without `--list` or `--undo`, and `--dry-run` without `--purge`; ' +
        'found another combination',
    );
  }
}

const NUMBER = 'the number of a removal, as shown by `remove --list`';

const LATER = 'by the index itself, or by a server once the data sets in progress are complete';

/** `purge`: the result of `--purge`; null if it was not given, or there was nothing to erase. */
export function purgeFields(purge: PurgeReport | null) {
  return { purged: purge?.erased === 'now', purge_scheduled: purge?.erased === 'scheduled' };
}

/** When the text of a removal is erased; null: no file contains it. `purgeCommand` is `remove --purge` as typed. */
export function textWords(purge: PurgeReport | null, purgeCommand: string): string | null {
  switch (purge?.erased) {
    case 'now':
      return null;
    case 'scheduled':
      return `The text is erased later: ${LATER}; \`remove --list\` shows when it is gone`;
    case undefined:
      return (
        'The text is erased from the files within 24 hours if a server is running. To erase it now: ' +
        purgeCommand
      );
  }
}

export function purgeWords({ erased }: PurgeReport, dataFolder: string): string {
  return erased === 'now'
    ? `no file in ${dataFolder} contains removed texts any more`
    : `removed texts are erased later: ${LATER}; \`remove --list\` shows when they are gone`;
}

const REDRAW_EVERY_MS = 200;

const WORDS: Readonly<Record<RemovalProgress['step'], string>> = {
  waiting: 'waiting for another removal to end',
  finding: 'found',
  listing: 'listed',
  hiding: 'removed',
  erasing: 'erasing removed texts from the files',
};

/**
 * On standard error: one line, redrawn on a terminal; otherwise a plain line now and then. Writes nothing for short
 * steps.
 */
class RemovalProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  #last = performance.now();
  #isDrawn = false;

  show({ step, done, total }: RemovalProgress): void {
    const now = performance.now();
    const isLong = step === 'waiting' || step === 'erasing';
    const every = this.#isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS;
    if (!isLong && now - this.#last < every) return;
    this.#last = now;
    const number = (n: number) => n.toLocaleString('en');
    const share = total === null ? number(done) : `${number(done)} of ${number(total)}`;
    const line = isLong ? WORDS[step] : `${WORDS[step]}: ${share}`;
    this.clear();
    process.stderr.write(this.#isTerminal ? line : `${line}\n`);
    this.#isDrawn = this.#isTerminal;
  }

  /** Call it before printing anything else. */
  clear(): void {
    if (this.#isDrawn) process.stderr.write('\r\x1b[2K');
    this.#isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

const SUBJECTS = ['posts', 'comments', 'community', 'query'] as const;

interface TargetFlags {
  readonly from?: string;
  readonly withComments?: boolean;
  readonly kind?: 'posts' | 'comments';
}

/** `what` is one of SUBJECTS. Throws a UsageError that lists every item that is not understood. */
async function readTarget(
  what: string,
  items: readonly string[],
  flags: TargetFlags,
  permalinkBase: string,
): Promise<Target> {
  refuseFlags(what, flags);
  const withComments = flags.withComments === true;
  if (what === 'query') return readQuery(items, flags, withComments);
  const given = await allItems(items, flags.from);
  if (what === 'community')
    return { kind: 'communities', names: [...new Set(readAll(given, communityName))] };
  const of: Kind = what === 'posts' ? 'post' : 'comment';
  const ids = readAll(given, (text) => {
    const reading = readRecordId(of, text, permalinkBase);
    if ('id' in reading) return reading.id;
    throw new UsageError(reading.problem);
  });
  return { kind: 'records', of, ids, withComments };
}

function refuseFlags(what: string, { from, withComments, kind }: TargetFlags): void {
  if (kind !== undefined && what !== 'query') {
    throw new UsageError(`expected \`--kind\` with \`remove query\`, found it with \`remove ${what}\``);
  }
  if (from !== undefined && what === 'query') {
    throw new UsageError('expected a query as argument, found `--from`');
  }
  if (withComments && (what === 'comments' || kind === 'comments')) {
    throw new UsageError('expected `--with-comments` only when posts are removed, found comments');
  }
}

function readQuery(words: readonly string[], { kind }: TargetFlags, withComments: boolean): Target {
  const { query, echo } = interpretWithoutWindow(words.join(' '));
  if (query.items.length === 0) {
    throw new UsageError(
      'expected a query, found none, which would remove every record; if you mean that, use after:1970-01-01',
    );
  }
  process.stderr.write(`query: ${echo}\n`);
  const kinds = kind === undefined ? KINDS : [kind === 'posts' ? ('post' as const) : ('comment' as const)];
  return { kind: 'query', query, kinds, withComments };
}

async function allItems(items: readonly string[], from: string | undefined): Promise<readonly Item[]> {
  const files = [...items.filter((item) => item === STANDARD_INPUT), ...(from === undefined ? [] : [from])];
  const all: Item[] = items.filter((item) => item !== STANDARD_INPUT).map((text) => ({ text, place: '' }));
  for (const file of new Set(files)) for await (const item of linesOf(file)) all.push(item);
  if (all.length === 0) throw new UsageError('expected something to remove, found nothing');
  return all;
}

/** `read` throws a UsageError. */
function readAll(items: readonly Item[], read: (text: string) => string): string[] {
  const values: string[] = [];
  const problems: string[] = [];
  for (const { text, place } of items) {
    try {
      values.push(read(text));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(place === '' ? error.message : `${place}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was removed`);
  return values;
}
