// From query text to interpreted query: parser, limits, the implied window, the canonical form.

import type { Position } from '../../errors.ts';
import type { Query, QueryItem } from '../../model/query.ts';
import { quoted } from '../../text/quoted.ts';
import { type Dropped, droppedOf } from './dropped.ts';
import {
  type AfterItem,
  hopelesslyLong,
  impliedAfter,
  longEcho,
  longPhrase,
  longText,
  tooManyItems,
  withoutImplied,
} from './limits.ts';
import { parse } from './parser.ts';
import { printItem, printQuery } from './print-query.ts';
import { type Fault, faultOf, refusalOf, type SyntaxItem, type SyntaxTree } from './syntax-tree.ts';

/** The setting that says whether `before:` without `after:` gets an `after:` one day earlier. */
export type ImpliedWindow = '1d' | 'off';

export interface Interpretation {
  /** The added `after:`, if there is one, is the last item. */
  readonly query: Query;
  /** The query in canonical form; empty if it asks for every record. */
  readonly echo: string;
  /** The added `after:` as in the echo (`after:2023-12-31`); null if none was added. */
  readonly implied: string | null;
  /** What was written and is not searched for, in the order written. */
  readonly dropped: readonly Dropped[];
}

/** For the endpoints, the page and the `search` command. Throws the first fault as a ServiceError with its position. */
export function interpretQuery(
  text: string,
  { impliedWindow }: { readonly impliedWindow: ImpliedWindow },
): Interpretation {
  const { items, tree } = readQuery(text);
  const implied = impliedWindow === 'off' ? null : impliedAfter(items);
  const query = { items: implied === null ? items : [...items, implied] };
  return {
    query,
    echo: printQuery(query),
    implied: implied === null ? null : printItem(implied),
    dropped: droppedOf(text, tree),
  };
}

/**
 * For exports, removals, feeds and other callers that add no window: also throws `open_window`.
 * Accepts the echo of a search that added the window.
 */
export function interpretWithoutWindow(text: string): Omit<Interpretation, 'implied'> {
  const read = readQuery(text);
  const { items, tree } = read;
  const implied = impliedAfter(items);
  if (implied !== null) throw refusalOf(openWindow(text, read, implied));
  const query = { items };
  return { query, echo: printQuery(query), dropped: droppedOf(text, tree) };
}

/** An item as it was written. */
interface WrittenItem {
  readonly position: Position;
  /** Several for `/r/a+b`. Never empty. */
  readonly items: readonly QueryItem[];
}

/** A query item by item. */
interface WrittenQuery {
  /** In the order written, without what is dropped. */
  readonly written: readonly WrittenItem[];
  readonly query: Query;
  readonly echo: string;
  /** What the implied window would add to it; null: nothing. */
  readonly implied: AfterItem | null;
  readonly dropped: readonly Dropped[];
}

/** For what tells of each item. Adds no window. Throws the first fault as a ServiceError with its position. */
export function interpretItems(
  text: string,
  { impliedWindow }: { readonly impliedWindow: ImpliedWindow },
): WrittenQuery {
  const { items, tree } = readQuery(text);
  const query = { items };
  return {
    written: tree.items.flatMap(({ position, ...item }) =>
      item.kind === 'understood' ? { position, items: item.meaning } : [],
    ),
    query,
    echo: printQuery(query),
    implied: impliedWindow === 'off' ? null : impliedAfter(items),
    dropped: droppedOf(text, tree),
  };
}

interface ReadQuery {
  readonly items: readonly QueryItem[];
  readonly tree: SyntaxTree;
}

function readQuery(text: string): ReadQuery {
  const hopeless = hopelesslyLong(text);
  if (hopeless !== null) throw refusalOf(hopeless);
  const tree = parse(text);
  const items = tree.items.flatMap((item) => (item.kind === 'understood' ? item.meaning : []));
  const counted = withoutImplied(items);
  const fault =
    longText(text, tree, items) ??
    firstInPlace([...tree.faults, tooManyItems(tree, items.length - counted.length), longPhrase(tree)]) ??
    nothingToSearch(text, tree, items) ??
    longEcho(text, counted);
  if (fault !== null) throw refusalOf(fault);
  return { items, tree };
}

/** If two are at the same place, the one given first. */
function firstInPlace(faults: readonly (Fault | null)[]): Fault | null {
  const present = faults.filter((fault) => fault !== null);
  return present.sort((a, b) => a.position.offset - b.position.offset)[0] ?? null;
}

/** The fault of a text that is not empty, but of which everything was dropped. */
function nothingToSearch(text: string, tree: SyntaxTree, items: readonly QueryItem[]): Fault | null {
  if (tree.items.length === 0 || items.length > 0) return null;
  const whole = { text, position: { offset: 0, length: text.length } };
  return faultOf(whole, 'nothing_to_search', 'a word or an operator to search for', {
    found: `only signs in ${quoted(text.trim())}`,
  });
}

/** Characters of a canonical query that a message repeats, twice. */
const MAX_REPEATED = 300;

/** The fault, at the first `before:`. Gives the queries that would be right, whole unless they are long. */
function openWindow(text: string, { items, tree }: ReadQuery, implied: AfterItem): Fault {
  const isBefore = (item: SyntaxItem) => item.kind === 'understood' && item.meaning[0]?.kind === 'before';
  const { position } = tree.items.find(isBefore)!;
  const isLong = printQuery({ items }).length > MAX_REPEATED;
  const closed = (after: AfterItem) => {
    const item = printItem(after);
    return isLong ? `\`,${item}\` after it` : `\`${printQuery({ items: [...items, after] })}\``;
  };
  const oneDay =
    implied.time === 0 ? '' : `${closed(implied)} for the one day that a search would look at, or `;
  return faultOf({ text, position }, 'open_window', 'an `after:` beside `before:`', {
    found:
      `none, and none is added here; write ${oneDay}${closed({ kind: 'after', time: 0 })} ` +
      'for all time before',
  });
}
