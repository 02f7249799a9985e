// A citation: what a query found at a moment, so told that others can hold it against what they find.

import type { IndexFingerprint } from './index-fingerprint.ts';
import type { KindName } from './record.ts';

/** What is claimed, and what the id of a citation is made of: equal wherever the same query finds the same. */
export interface CitedAnswer {
  /** In canonical form, with the `after:` that a search would have added; empty: every record. */
  readonly query: string;
  /** One or both. */
  readonly kinds: ByKind<CitedKind>;
}

export type ByKind<T> = Partial<Readonly<Record<KindName, T>>>;

export interface CitedKind {
  readonly total: number;
  /** Up; those that have matches. Their counts add up to the total. */
  readonly months: readonly CitedMonth[];
}

/** Of a month of UTC. */
export interface CitedMonth {
  /** `2020-01`. */
  readonly month: string;
  /** From 1. */
  readonly count: number;
  /** As an IndexFingerprint, over the matches of the month. */
  readonly fingerprint: string;
}

/** Where and of what the claim was made. */
export interface CitationOrigin {
  /** Unix seconds. */
  readonly time: number;
  readonly note: string | null;
  readonly index: ByKind<IndexFingerprint>;
  readonly software: CitedSoftware;
  /** The files that had been imported, each once, in the order of the imports. */
  readonly sources: readonly CitedSource[];
}

export interface CitedSoftware {
  /** Its version. */
  readonly colloquy: string;
  /** TOKENIZER_VERSION of text/tokenizer.ts. */
  readonly tokenizer: number;
  /** Of the tables of characters that the tokenizer went by. */
  readonly unicode: string;
}

export interface CitedSource {
  /** Without the folder that it was in. */
  readonly file: string;
  /** In hex, of the file as it was published; null: not known. */
  readonly sha256: string | null;
  /** The query of what was taken in; null: everything was. */
  readonly where: string | null;
}

/** What others may see. */
export interface Citation {
  /** `clq-c-` and 16 digits of base 62. */
  readonly id: string;
  readonly answer: CitedAnswer;
  readonly origin: CitationOrigin;
}

/** A citation as the folder keeps it in which it was made. */
export interface KeptCitation extends Citation {
  readonly place: CitationPlace;
}

/** What only that folder understands: where it stood. */
export interface CitationPlace {
  /** Which engine answered. */
  readonly engine: string;
  /** The last arrival of each kind; nothing that came in later is in the citation. */
  readonly arrivals: ByKind<number>;
  /** The number of the last removal; 0: there was none. */
  readonly removal: number;
}

/** Every change is synced and visible to other processes when the call returns. */
export interface CitationStore {
  /** null: there is none. */
  get(id: string): KeptCitation | null;
  /**
   * Keeps it, unless there is one with its id, which stays as it is, but for a note where it has none. Returns the one
   * that is kept. `account`: the id of who makes it; null: the operator. Throws `forbidden` where MAX_CITATIONS, or
   * MAX_CITATIONS_OF_ACCOUNT of the account, are kept.
   */
  keep(citation: KeptCitation, account?: number | null): KeptCitation;
  /** From the newest on. */
  all(): readonly KeptCitation[];
  /** False: there is none. */
  remove(id: string): boolean;
  /** How many there were. */
  removeOf(account: number): number;
}

/** So many a folder keeps. */
export const MAX_CITATIONS = 10_000;

export const MAX_CITATIONS_OF_ACCOUNT = 500;

/** Characters of a note. */
export const MAX_NOTE = 500;
