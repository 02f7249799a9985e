// Operators: the meaning of `/r/…`, `site:`, `score:`, `before:`, `after:`, `post:` and `id:`, and replacements for
// names that are no operators. Section 2 of the contract, and contract 3.2 and 3.6. Bounds of scores and times cannot
// be negated, since another bound says the same.

import { communityKey, profileName } from '../../model/community.ts';
import {
  ID_PREFIX,
  KINDS,
  PREFIX_OF,
  type RecordLink,
  type RecordName,
  readRecordLink,
} from '../../model/record.ts';
import { normaliseDomain } from '../../text/domains.ts';
import { quoted } from '../../text/quoted.ts';
import {
  type FaultyItem,
  faulty,
  isAskableName,
  MAX_SCORE_DIGITS,
  type Operator,
  printTime,
  type ReservedName,
  type SyntaxItem,
  understood,
  type Written,
} from './syntax.ts';

interface Advice {
  /** What to write instead of the name with this value; null: nothing. */
  readonly instead: (value: string) => string | null;
  /** Its purpose, or the reason; added after the replacement, or after `no author:`. */
  readonly words: string;
}

const nothing = () => null;
const NOT_SEARCHED: Advice = { instead: nothing, words: ', which cannot be searched for' };
const NO_AUTHORS: Advice = {
  instead: nothing,
  words: ', since authors are not stored and cannot be searched',
};
const TWO_LISTS: Advice = { instead: nothing, words: ', since posts and comments are searched separately' };
const WORDS_ALONE: Advice = {
  instead: (value) => (value === '' ? null : value),
  words: ', since words are searched in both title and text',
};

/** Only the beginning of a longer value is read. */
const MAX_VALUE_UNITS = 256;

const DOMAIN: Advice = {
  instead: (value) => `site:${normaliseDomain(value.slice(0, MAX_VALUE_UNITS)) ?? 'example.com'}`,
  words: ' for links to a domain',
};
const COMMUNITY: Advice = {
  instead: (value) => `/r/${/^(?:\/?r\/)?([^/+|"]+)/i.exec(value)?.[1] ?? 'name'}`,
  words: ' for a community',
};

const ADVICE: Readonly<Record<ReservedName, Advice>> = {
  arrived: NOT_SEARCHED,
  author: NO_AUTHORS,
  body: WORDS_ALONE,
  comment: TWO_LISTS,
  domain: DOMAIN,
  flair: NOT_SEARCHED,
  lang: NOT_SEARCHED,
  nsfw: NOT_SEARCHED,
  sentiment: NOT_SEARCHED,
  subreddit: COMMUNITY,
  title: WORDS_ALONE,
  type: TWO_LISTS,
  url: DOMAIN,
  user: NO_AUTHORS,
};

export function refuseReserved(name: ReservedName, value: string, item: Written): FaultyItem {
  const { instead: insteadOf, words } = ADVICE[name];
  const instead = insteadOf(value);
  const expected = (instead === null ? `no \`${name}:\`` : quoted(instead)) + words;
  const found = `${quoted(item.text)}; in quotes, it is searched for as text`;
  return faulty(item, 'reserved_operator', expected, { found });
}

/** What to write instead, without `-`; null if there is nothing. */
export function insteadOfReserved(name: ReservedName, value: string): string | null {
  return value === '' ? null : ADVICE[name].instead(value);
}

/** The id of a post, with or without `t3_`; or a link to the post or to one of its comments. */
function readPost(value: string, negated: boolean, item: Written): SyntaxItem {
  const name = readName(readRecordLink(value)?.post ?? value);
  if (name !== null && name.of !== 'comment') return understood(item, { kind: 'post', id: name.id, negated });
  const advice =
    name === null ? communityAdvice(value) : `; for a comment write \`id:${PREFIX_OF.comment}${name.id}\``;
  return faulty(
    item,
    'bad_post',
    'the id of a post after `post:`, as in `post:abc123`, or a link to the post',
    { found: quoted(item.text) + advice },
  );
}

/** The id of a record, with or without the prefix of its kind; or a link to the record. */
function readId(value: string, negated: boolean, item: Written): SyntaxItem {
  const link = readRecordLink(value);
  const name = link === null ? readName(value) : linkedRecord(link);
  if (name !== null) return understood(item, { kind: 'id', record: name, negated });
  return faulty(
    item,
    'bad_id',
    'the id of a post or a comment after `id:`, as in `id:t3_abc123` or `id:t1_def456`, or a link to it',
    { found: quoted(item.text) + communityAdvice(value) },
  );
}

function communityAdvice(value: string): string {
  return value.startsWith('t5_') ? '; `t5_` begins the id of a community: write `/r/` and its name' : '';
}

const NAMED_RECORD = /^(t[135]_)?([\w-]{1,64})$/;

/** An id has 1 to 64 letters, digits, `_`, `-`. null also for the id of a community, `t5_…`. */
function readName(text: string): RecordName | null {
  const parts = NAMED_RECORD.exec(text);
  if (parts === null || ID_PREFIX.test(text) !== (parts[1] !== undefined)) return null;
  const [, prefix, id] = parts;
  if (prefix === undefined) return { id: id!, of: null };
  const of = KINDS.find((kind) => PREFIX_OF[kind] === prefix);
  return of === undefined ? null : { id: id!, of };
}

/** The ids of a link may have prefixes too. */
function linkedRecord({ post, comment }: RecordLink): RecordName | null {
  const of = comment === null ? 'post' : 'comment';
  const name = readName(comment ?? post);
  return name === null || (name.of !== null && name.of !== of) ? null : { id: name.id, of };
}

type BoundKind = 'score' | 'before' | 'after';

/** The item without `-` that means the same as this one with `-`; null if no single item does. */
export function oppositeOf(kind: BoundKind, value: string): string | null {
  if (kind === 'score') return otherScores(value);
  const time = readTime(value);
  return time === null ? null : `${kind === 'before' ? 'after' : 'before'}:${printTime(time)}`;
}

/** What the message expects if the opposite of the value is not known. */
const ANY_OPPOSITE = {
  score: 'the scores that you want, as in `score:<5`',
  before: '`after:YYYY-MM-DD`',
  after: '`before:YYYY-MM-DD`',
} as const;

function refuseNegated(kind: BoundKind, value: string, item: Written): SyntaxItem {
  const opposite = oppositeOf(kind, value);
  const expected = opposite === null ? ANY_OPPOSITE[kind] : `\`${opposite}\``;
  return faulty(item, 'cannot_negate', expected, { because: `\`${kind}:\` takes no \`-\`` });
}

const NUMBER = String.raw`(-?\d{1,${MAX_SCORE_DIGITS}})`;
const COMPARED = new RegExp(`^([<>]=?)?${NUMBER}$`);
const RANGE = new RegExp(`^${NUMBER}?\\.\\.${NUMBER}?$`);

function readScore(value: string, item: Written): SyntaxItem {
  const range = readRange(value);
  if (range !== null) return understood(item, { kind: 'score', ...range });
  return faulty(
    item,
    'bad_score',
    `a whole number of at most ${MAX_SCORE_DIGITS} digits after \`score:\`, as in \`score:5\`, ` +
      '`score:<5` or `score:1..5`',
  );
}

function otherScores(value: string): string | null {
  const range = readRange(value);
  if (range?.min != null && range.max === null) return `score:<${range.min}`;
  if (range?.max != null && range.min === null) return `score:>${range.max}`;
  return null;
}

function readRange(value: string): { min: number | null; max: number | null } | null {
  const [, sign = '', digits] = COMPARED.exec(value) ?? [];
  if (digits !== undefined) {
    const bound = wholeNumber(digits);
    if (sign.startsWith('<')) return { min: null, max: sign === '<' ? bound - 1 : bound };
    return { min: sign === '>' ? bound + 1 : bound, max: null };
  }
  const range = RANGE.exec(value);
  if (range === null || value === '..') return null;
  return {
    min: range[1] === undefined ? null : wholeNumber(range[1]),
    max: range[2] === undefined ? null : wholeNumber(range[2]),
  };
}

/** `-0` is 0. */
function wholeNumber(digits: string): number {
  return Number(digits) + 0;
}

function readTimeItem(kind: 'before' | 'after', value: string, item: Written): SyntaxItem {
  const time = readTime(value);
  if (time !== null) return understood(item, { kind, time });
  const advice = isOffset(value) ? '; times are UTC and take no offset' : '';
  return faulty(
    item,
    'bad_date',
    `a day from 1970-01-01 to 9999-12-31 after \`${kind}:\`, as in \`${kind}:2024-01-31\`, ` +
      `or a time as in \`${kind}:2024-01-31T18:30\``,
    { found: quoted(item.text) + advice },
  );
}

const OFFSET = /[+-]\d\d:?\d\d$/;
const LONGEST_OFFSET = '+00:00'.length;

function isOffset(value: string): boolean {
  return /^[^T]*T/i.test(value) && OFFSET.test(value.slice(-LONGEST_OFFSET));
}

const DAY_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)Z?)?$/i;

/**
 * Unix seconds of a day, or of a time of day, UTC; null if the calendar or the clock has no such time, or it
 * is before 1970.
 */
function readTime(text: string): number | null {
  const parts = DAY_OR_TIME.exec(text);
  if (parts === null) return null;
  const written = `${parts[1]}T${parts[2] ?? '00:00'}`;
  const milliseconds = Date.parse(
    written.length === 'YYYY-MM-DDTHH:MM'.length ? `${written}:00Z` : `${written}Z`,
  );
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null;
  // Date.parse may read 02-30 as 03-01, and 24:00 as the next day.
  return new Date(milliseconds).toISOString().startsWith(written) ? milliseconds / 1000 : null;
}

/** No host is longer; a longer `site:` is refused unread, since punycode takes more than linear time. */
const MAX_SITE_UNITS = 4096;

export function readOperatorItem(operator: Operator, negated: boolean, item: Written): SyntaxItem {
  const { kind, value } = operator;
  switch (kind) {
    case 'community':
      return readCommunities(operator, negated, item);
    case 'site':
      return readSite(value, negated, item);
    case 'post':
      return readPost(value, negated, item);
    case 'id':
      return readId(value, negated, item);
    case 'score':
    case 'before':
    case 'after':
      if (negated) return refuseNegated(kind, value, item);
      return kind === 'score' ? readScore(value, item) : readTimeItem(kind, value, item);
    case 'reserved':
      return refuseReserved(operator.reserved, value, item);
  }
}

function readCommunities({ name: prefix, value }: Operator, negated: boolean, item: Written): SyntaxItem {
  const names = (value.endsWith('/') ? value.slice(0, -1) : value).split('+');
  if (!names.every(isAskableName)) {
    return faulty(
      item,
      'bad_community',
      `a name after \`${prefix}\`, as in \`${prefix}name\`, or several as in \`${prefix}a+b\``,
    );
  }
  const nameOf = prefix === '/u/' ? profileName : (name: string) => name;
  return understood(
    item,
    ...names.map((name) => ({ kind: 'community', name: communityKey(nameOf(name)), negated }) as const),
  );
}

function readSite(value: string, negated: boolean, item: Written): SyntaxItem {
  const isLegible = value.length <= MAX_SITE_UNITS && !value.includes('|');
  const domain = isLegible ? settledDomain(value) : null;
  if (domain !== null) return understood(item, { kind: 'site', domain, negated });
  return faulty(item, 'bad_site', 'a domain after `site:`, as in `site:example.com`');
}

/** Normalised until nothing changes any more (`www.www.x.org`), so that the echo means the same. */
function settledDomain(value: string): string | null {
  let domain = normaliseDomain(value);
  for (let before: string | null = value; domain !== null && domain !== before; ) {
    before = domain;
    domain = normaliseDomain(domain);
  }
  return domain;
}
