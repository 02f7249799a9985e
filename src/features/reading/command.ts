// `colloquy thread`: a post and its comments on the command line.

import { Command, InvalidArgumentError, Option } from 'commander';
import { type App, openApp } from '../../app.ts';
import { configWith, dataOption, timeoutOption } from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { readableTime } from '../../model/time.ts';
import { openTextForm, type TextFormat } from '../../operation/text-forms.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { oneLine } from '../../text/quoted.ts';
import {
  MAX_THREAD_PAGE,
  readThreadFields,
  THREAD_SHAPES,
  type ThreadResult,
  type ThreadWish,
  threadJson,
  threadsOf,
} from './threads.ts';

interface ThreadOptions {
  readonly data?: string;
  readonly around?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly shape?: ThreadWish['shape'];
  readonly fields?: string;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly format?: 'json' | TextFormat;
}

export function threadCommand(): Command {
  return new Command('thread')
    .description('a post and its comments, with what each answers')
    .argument('<post>', 'id of the post, or a link to it or to one of its comments')
    .option('--around <comment>', 'only this comment, its parents and its answers')
    .addOption(
      new Option(
        '--format <form>',
        'print the answer of the API; or its comments alone, the oldest first',
      ).choices(['json', 'csv', 'csv-excel', 'ndjson']),
    )
    .option('--json', 'the same as --format json')
    .addOption(new Option('--shape <shape>', 'with --json: a list, or a tree').choices(THREAD_SHAPES))
    .option('--limit <n>', `with --json: comments of a page, 0 to ${MAX_THREAD_PAGE}`, readLimit)
    .option('--after <cursor>', 'with --json: `next` of the last answer, for the next page')
    .option('--fields <names>', 'with --format: only these fields of each comment, separated by commas')
    .addOption(timeoutOption())
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
For example:
  colloquy thread kofq2a
  colloquy thread kofq2a --around ghq1b2c
  colloquy thread https://www.reddit.com/r/aww/comments/kofq2a/ --format csv --fields id,parent_id,depth,score`,
    )
    .action(async (post: string, { json, ...given }: ThreadOptions) => {
      const options = json ? ({ ...given, format: 'json' } as const) : given;
      expectFitting(options);
      // The configured limit is for servers; here nobody else is waiting.
      const config = { ...configWith(options), queryTimeoutMs: options.timeout ?? Infinity };
      await using app = await openApp(config, { sample: true, toRead: true });
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      await print(app, post, options);
    });
}

async function print(app: App, post: string, options: ThreadOptions): Promise<void> {
  const { around = null, after = null, limit = null, shape = 'flat', fields = null, format } = options;
  if (format === 'json') {
    const result = await threadsOf(app).thread({ post, around, shape, after, limit, fields });
    for (const text of threadJson(result)) process.stdout.write(text);
    process.stdout.write('\n');
    return;
  }
  const whole = { post, around, after: null, limit: 'all' } as const;
  if (format === undefined) {
    const result = await threadsOf(app).thread({ ...whole, shape: 'tree', fields: null });
    for (const text of listOf(result)) process.stdout.write(text);
    return;
  }
  const { answer } = await threadsOf(app).thread({ ...whole, shape: 'flat', fields });
  const form = openTextForm(format, 'comment', readThreadFields(fields));
  process.stdout.write(form.head);
  for (const comment of answer.comments) process.stdout.write(form.line(comment));
}

function expectFitting({ format, shape, limit, after, fields }: ThreadOptions): void {
  for (const [name, value] of Object.entries({ shape, limit, after })) {
    if (value !== undefined && format !== 'json')
      throw new UsageError(`\`--${name}\`: expected \`--json\` with it, found none`);
  }
  if (fields !== undefined && format === undefined)
    throw new UsageError('`--fields`: expected `--format` with it, found none');
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(limit <= MAX_THREAD_PAGE)) throw new InvalidArgumentError(`expected 0 to ${MAX_THREAD_PAGE}.`);
  return limit;
}

const MAX_SHOWN = 200;

/** Most steps by which comments are indented; deeper ones state their depth. */
const MAX_STEPS = 8;

type ListedComment = CommentRecord & { readonly parent_id: string | null; readonly depth: number | null };

/** The post, then two lines for each comment, indented below its parent. */
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
