// Reads what `colloquy remove` should remove: ids, links and names from arguments and files, or a query.

import { type Item, linesOf, STANDARD_INPUT } from '../../cli/command-line.ts';
import { communityName } from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { KINDS, type Kind, readRecordId } from '../../model/record.ts';
import type { Target } from '../../removals/target.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';

export const SUBJECTS = ['posts', 'comments', 'community', 'query'] as const;

export interface TargetFlags {
  readonly from?: string;
  readonly withComments?: boolean;
  readonly kind?: 'posts' | 'comments';
}

/** `what` is one of SUBJECTS. Throws a UsageError that lists every item that is not understood. */
export async function readTarget(
  what: string,
  items: readonly string[],
  flags: TargetFlags,
  permalinkBase: string,
): Promise<Target> {
  refuseFlags(what, flags);
  const withComments = flags.withComments === true;
  if (what === 'query') return readQuery(items, flags, withComments);
  const given = await allItems(items, flags.from);
  if (what === 'community') {
    return { kind: 'communities', names: [...new Set(readAll(given, readCommunity))] };
  }
  const of: Kind = what === 'posts' ? 'post' : 'comment';
  const ids = readAll(given, (text) => {
    const reading = readRecordId(of, text, permalinkBase);
    return 'id' in reading ? { value: reading.id } : reading;
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

function readAll<T>(
  items: readonly Item[],
  read: (text: string) => { readonly value: T } | { readonly problem: string },
): T[] {
  const values: T[] = [];
  const problems: string[] = [];
  for (const { text, place } of items) {
    const reading = read(text);
    if ('value' in reading) values.push(reading.value);
    else problems.push(place === '' ? reading.problem : `${place}: ${reading.problem}`);
  }
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was removed`);
  return values;
}

function readCommunity(text: string): { readonly value: string } | { readonly problem: string } {
  try {
    return { value: communityName(text) };
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
}
