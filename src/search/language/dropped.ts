// How the search differs from the text that was written. Dropped: whole items without a word, and signs that
// are part of a word for its reader (`C++`, `$5`) but not for the index. Contract 3.4 and 3.5. Reworded:
// items that the canonical form writes differently.

import type { Position } from '../../errors.ts';
import type { QueryItem, Word } from '../../model/query.ts';
import { tokenSpans } from '../../text/tokenizer.ts';
import { parse } from './parser.ts';
import { printItem, QUOTES, type SyntaxTree } from './syntax.ts';

export interface Dropped {
  /** As written: an item without a word (`&`), or a word with its signs (`C++`). */
  readonly written: string;
  /** What is searched for instead (`C`); null: nothing. */
  readonly searched: string | null;
  /** Of the whole item. */
  readonly position: Position;
}

/** In the order written; `text` is the text of the tree. */
export function droppedOf(text: string, tree: SyntaxTree): Dropped[] {
  return tree.items.flatMap((item): Dropped[] => {
    const { position } = item;
    if (item.kind === 'dropped') {
      const written = text.slice(position.offset, position.offset + position.length);
      return [{ written, searched: null, position }];
    }
    if (item.kind === 'faulty') return [];
    const words = item.meaning.flatMap((part) => (part.kind === 'words' ? part.words : []));
    return words.flatMap((word) => withoutSigns(word).map((signs) => ({ ...signs, position })));
  });
}

/** The pieces of a word, separated by spaces, that lose signs. */
function withoutSigns({ kind, typed }: Word): { written: string; searched: string }[] {
  return typed.split(/\p{White_Space}+/u).flatMap((piece, i, pieces) => {
    const spans = tokenSpans(piece);
    if (spans.length === 0) return [];
    const start = spans[0]!.start;
    const end = spans.at(-1)!.end;
    if (!SIGN_BEFORE.test(piece.slice(0, start)) && !SIGN_BEHIND.test(piece.slice(end))) return [];
    const star = kind === 'prefix' && i === pieces.length - 1 ? '*' : '';
    return [{ written: piece + star, searched: piece.slice(start, end) + star }];
  });
}

// Signs that stand for something, unlike brackets, quotes, stops and dashes: of currency, of arithmetic,
// `C#`, `@home`, `5%`, `.NET`. A sign between two words separates them, and is not reported.
const SIGN_BEHIND = /[\p{Sc}\p{Sm}\p{So}#@%&*§\\]/u;
const SIGN_BEFORE = /[\p{Sc}\p{Sm}\p{So}#@%&*§\\]|^\.$/u;

/**
 * True if the canonical form leaves an item out or puts it in other words. Capitals, quotes, spaces around
 * bars, slashes around `r/name` and `/r/a+b` do not count as other words.
 */
export function isReworded(written: string): boolean {
  return parse(written).items.some((item) => {
    if (item.kind === 'dropped') return true;
    if (item.kind === 'faulty') return false;
    const { offset, length } = item.position;
    return plain(written.slice(offset, offset + length)) !== plain(together(item.meaning));
  });
}

/** Printed as one item: several communities, joined by `+`. */
function together([first, ...others]: readonly QueryItem[]): string {
  return [printItem(first!), ...others.map((item) => printItem(item).replace(/^-?\/r\//, ''))].join('+');
}

const UNSEEN = new RegExp(`[${QUOTES}\\p{White_Space}]+`, 'gu');

function plain(item: string): string {
  return item
    .toLowerCase()
    .replace(UNSEEN, '')
    .replace(/^(-?)([ru])\//, '$1/$2/')
    .replace(/\/$/, '');
}
