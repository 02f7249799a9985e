// `colloquy thread`: a post and its comments on the command line.

import { Command, Option } from 'commander';
import { type App, openApp } from '../../app.ts';
import {
  type CommonFlags,
  configWith,
  dataOption,
  flagOf,
  readFlags,
  timeoutOption,
} from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { readableTime } from '../../model/time.ts';
import type { Parameter } from '../../operation/parameters.ts';
import { openTextForm, type TextFormat } from '../../operation/text-forms.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { oneLine } from '../../text/quoted.ts';
import { readThreadFields, type ThreadResult, type ThreadWish, threadJson, threadOf } from './threads.ts';

interface ThreadFlags extends CommonFlags {
  readonly timeout?: number;
  readonly format?: 'json' | TextFormat;
  readonly fields?: string;
}

/** Parameters that say which page of the answer of the API is printed. */
const OF_PAGES = ['shape', 'limit', 'after'];

type ThreadTable = { readonly [Name in Exclude<keyof ThreadWish, 'post'>]: Parameter<ThreadWish[Name]> };

export function threadCommand(parameters: ThreadTable): Command {
  const command = new Command('thread')
    .description('a post and its comments, with what each answers')
    .argument('<post>', 'id of the post, or a link to it or to one of its comments');
  for (const [name, parameter] of Object.entries(parameters)) command.addOption(flagOf(name, parameter));
  return command
    .addOption(
      new Option(
        '--format <form>',
        'print the answer of the API; or its comments alone, the oldest first',
      ).choices(['json', 'csv', 'csv-excel', 'ndjson']),
    )
    .option('--json', 'the same as --format json')
    .addOption(timeoutOption())
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Flags of pages need --json: --shape, --limit, --after. --fields needs --format.
For example:
  colloquy thread kofq2a
  colloquy thread kofq2a --around ghq1b2c
  colloquy thread https://www.reddit.com/r/aww/comments/kofq2a/ --format csv --fields id,parent_id,depth,score`,
    )
    .action(async (post: string, { json, ...given }: ThreadFlags) => {
      const flags = json ? ({ ...given, format: 'json' } as const) : given;
      expectFitting(flags);
      const wish = { post, ...readFlags(parameters, flags) };
      // The configured limit is for servers; here nobody else is waiting.
      const config = { ...configWith(flags), queryTimeoutMs: flags.timeout ?? Infinity };
      await using app = await openApp(config, { sample: true, toRead: true });
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      for await (const text of textsOf(app, wish, flags.format)) process.stdout.write(text);
    });
}

async function* textsOf(app: App, wish: ThreadWish, format: ThreadFlags['format']): AsyncGenerator<string> {
  if (format === 'json') {
    yield* threadJson(await threadOf(app, wish));
    yield '\n';
    return;
  }
  const whole = { ...wish, limit: 'all' } as const;
  if (format === undefined) {
    yield* listOf(await threadOf(app, { ...whole, shape: 'tree' }));
    return;
  }
  const { answer } = await threadOf(app, whole);
  const form = openTextForm(format, 'comment', readThreadFields(wish.fields));
  yield form.head;
  for (const comment of answer.comments) yield form.line(comment);
}

function expectFitting(flags: ThreadFlags): void {
  const { format, fields } = flags;
  for (const name of OF_PAGES) {
    if (name in flags && format !== 'json')
      throw new UsageError(`\`--${name}\`: expected \`--json\` with it, found none`);
  }
  if (fields !== undefined && format === undefined)
    throw new UsageError('`--fields`: expected `--format` with it, found none');
}

const MAX_SHOWN = 200;

/** Most steps by which comments are indented; deeper ones state their depth. */
const MAX_STEPS = 8;

type ListedComment = CommentRecord & { readonly parent_id: string | null; readonly depth: number | null };

function* listOf({ answer, levels }: ThreadResult): Generator<string> {
  const { post, total_count: total } = answer;
  yield post === null ? '(the post is not here)\n' : postLines(post);
  yield `${total.toLocaleString('en')} ${total === 1 ? 'comment' : 'comments'}\n`;
  // With all fields: only `--format` allows a choice.
  const comments = answer.comments as readonly object[] as readonly ListedComment[];
  for (const [i, comment] of comments.entries()) yield commentLines(comment, levels![i]!);
}

function postLines(post: PostRecord): string {
  const where = `/r/${post.subreddit.name}  ${readableTime(post.created_utc)}  ${post.score} score`;
  const text = post.selftext.trim() === '' ? '' : `    ${oneLine(post.selftext, MAX_SHOWN)}\n`;
  return `${oneLine(post.title, MAX_SHOWN)}\n    ${where}\n    ${post.permalink}\n${text}`;
}

function commentLines(comment: ListedComment, level: number): string {
  const { id, parent_id: parent, depth, created_utc, score, body } = comment;
  const indent = '  '.repeat(Math.min(level, MAX_STEPS));
  const deep = level > MAX_STEPS ? `  level ${level}, answers ${parent}` : '';
  const isLost = level === 0 && depth === null;
  const lost = isLost ? `  answers ${parent === null ? 'something unknown' : `${parent}, not here`}` : '';
  const head = `${indent}${readableTime(created_utc)}  ${score} score  ${id}${deep}${lost}`;
  return `${head}\n${indent}    ${oneLine(body, MAX_SHOWN)}\n`;
}
