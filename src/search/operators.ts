// Operators: what `/r/…`, `site:`, `score:`, `before:`, `after:` and `post:` ask for. The table and rules 2 and 6 of
// "Query language" in the decisions.

import type { ProblemCode } from '../errors.ts';
import type { QueryItem, RecordName } from '../model/query.ts';
import {
  ID_PREFIX,
  MAX_SCORE_DIGITS,
  type Operator,
  type OperatorKind,
  PREFIX_OF,
  QUOTES,
  type RecordLink,
  readRecordLink,
} from '../model/query-syntax.ts';
import { KINDS } from '../model/record.ts';
import { normaliseDomain } from '../text/domains.ts';
import { found } from './found.ts';

/** What an item means. */
export interface Meaning {
  /** Never empty. */
  readonly meaning: readonly QueryItem[];
}

/** What is wrong with it. */
export interface Fault {
  readonly code: ProblemCode;
  readonly message: string;
}

export type Reading = Meaning | Fault;

/** No host is longer; a longer `site:` is refused unread, since punycode takes more than linear time. */
const MAX_SITE_UNITS = 4096;

const CODES: Record<OperatorKind, ProblemCode> = {
  community: 'bad_community',
  site: 'bad_site',
  score: 'bad_score',
  before: 'bad_date',
  after: 'bad_date',
  post: 'bad_post',
  id: 'bad_id',
  reserved: 'reserved_operator',
};

/** `item` is the whole item as typed, for the message. */
export function readOperatorItem(operator: Operator, negated: boolean, item: string): Reading {
  const { kind, value } = operator;
  switch (kind) {
    case 'community':
      return readCommunities(operator, negated, item);
    case 'site':
      return readSite(value, negated, item);
    case 'post':
      return readPost(value, negated, item);
    case 'id':
      return readRecordName(value, negated, item);
    case 'score':
      return negated ? cannotNegate(kind, complement(value), item) : readScore(value, item);
    case 'before':
      return negated ? cannotNegate(kind, `\`after:${shownDay(value)}\``, item) : readDay(kind, value, item);
    case 'after':
      return negated ? cannotNegate(kind, `\`before:${shownDay(value)}\``, item) : readDay(kind, value, item);
    case 'reserved':
      return reserved(operator, item);
  }
}

function reserved({ name }: Operator, item: string): Fault {
  return {
    code: CODES.reserved,
    message: `expected no \`${name}\` (reserved for later; in quotes it is text), found ${found(item)}`,
  };
}

/** An operator where only a word can stand: beside a `|`. */
export function refuseInAnyOf(operator: Operator, item: string): Fault {
  if (operator.kind === 'reserved') return reserved(operator, item);
  const advice = operator.kind === 'community' ? '; several communities are `/r/a+b`' : '';
  return {
    code: CODES[operator.kind],
    message: `expected words, phrases or prefixes around \`|\`${advice}, found ${found(item)}`,
  };
}

function cannotNegate(kind: OperatorKind, positive: string, item: string): Fault {
  return {
    code: 'cannot_negate',
    message: `\`${kind}:\` cannot be negated: expected the positive form ${positive}, found ${found(item)}`,
  };
}

const NAME = new RegExp(`^[^/+|${QUOTES}]+$`);

/** A name is any run without separator, slash, plus; a quote or a bar in it is taken for a slip. */
function readCommunities({ name: prefix, value }: Operator, negated: boolean, item: string): Reading {
  const names = (value.endsWith('/') ? value.slice(0, -1) : value).split('+');
  if (!names.every((name) => NAME.test(name))) {
    return {
      code: CODES.community,
      message: `expected \`${prefix}name\` or \`${prefix}a+b\`, found ${found(item)}`,
    };
  }
  const before = prefix === '/u/' ? 'u_' : '';
  return {
    meaning: names.map((name) => ({ kind: 'community', name: before + name.toLowerCase(), negated })),
  };
}

function readSite(value: string, negated: boolean, item: string): Reading {
  const isLegible = value.length <= MAX_SITE_UNITS && !value.includes('|');
  const domain = isLegible ? settledDomain(value) : null;
  if (domain !== null) return { meaning: [{ kind: 'site', domain, negated }] };
  return { code: CODES.site, message: `expected a domain as in \`site:example.com\`, found ${found(item)}` };
}

/** Normalised until it stays so (`www.www.x.org`), so that the echo means the same. */
function settledDomain(value: string): string | null {
  let domain = normaliseDomain(value);
  for (let before: string | null = value; domain !== null && domain !== before; ) {
    before = domain;
    domain = normaliseDomain(domain);
  }
  return domain;
}

/** The id of a post, with `t3_` or without; or a link to the post, or to a comment of it. */
function readPost(value: string, negated: boolean, item: string): Reading {
  const name = readName(readRecordLink(value)?.post ?? value);
  if (name !== null && name.of !== 'comment') return { meaning: [{ kind: 'post', id: name.id, negated }] };
  return {
    code: CODES.post,
    message: `expected \`post:\` and an id (1 to 64 letters, digits, \`_\`, \`-\`), found ${found(item)}`,
  };
}

/** The id of a record, with the prefix of its kind or without; or a link to the record. */
function readRecordName(value: string, negated: boolean, item: string): Reading {
  const link = readRecordLink(value);
  const name = link === null ? readName(value) : linkedRecord(link);
  if (name !== null) return { meaning: [{ kind: 'id', record: name, negated }] };
  return {
    code: CODES.id,
    message: `expected \`id:\` and an id (1 to 64 letters, digits, \`_\`, \`-\`), found ${found(item)}`,
  };
}

const NAMED_RECORD = /^(t[135]_)?([\w-]{1,64})$/;

/** An id has 1 to 64 letters, digits, `_`, `-`. null also for that of a community, `t5_…`. */
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

const NUMBER = String.raw`(-?\d{1,${MAX_SCORE_DIGITS}})`;
const COMPARED = new RegExp(`^([<>]=?)?${NUMBER}$`);
const RANGE = new RegExp(`^${NUMBER}?\\.\\.${NUMBER}?$`);

function readScore(value: string, item: string): Reading {
  const range = readRange(value);
  if (range !== null) return { meaning: [{ kind: 'score', ...range }] };
  return {
    code: CODES.score,
    message: `expected \`score:5\`, \`score:>5\`, \`score:>=5\`, \`score:<5\`, \`score:<=5\`, \`score:1..5\`, \`score:1..\` or \`score:..5\` with whole numbers of at most ${MAX_SCORE_DIGITS} digits, found ${found(item)}`,
  };
}

/** Both ends belong to the range. */
function readRange(value: string): { min: number | null; max: number | null } | null {
  const compared = COMPARED.exec(value);
  if (compared !== null) {
    const bound = wholeNumber(compared[2]!);
    switch (compared[1]) {
      case '>':
        return { min: bound + 1, max: null };
      case '<':
        return { min: null, max: bound - 1 };
      case '<=':
        return { min: null, max: bound };
      default:
        return { min: bound, max: null };
    }
  }
  const range = RANGE.exec(value);
  if (range === null || value === '..') return null;
  return {
    min: range[1] === undefined ? null : wholeNumber(range[1]),
    max: range[2] === undefined ? null : wholeNumber(range[2]),
  };
}

/** For advice: what a negated score would ask for, where one item can say it. */
function complement(value: string): string {
  const range = readRange(value);
  if (range?.min != null && range.max === null) return `\`score:<${range.min}\``;
  if (range?.max != null && range.min === null) return `\`score:>${range.max}\``;
  return 'such as `score:<5`';
}

/** `-0` is 0. */
function wholeNumber(digits: string): number {
  return Number(digits) + 0;
}

const FIRST_YEAR = 1970;

function readDay(kind: 'before' | 'after', value: string, item: string): Reading {
  const time = dayStart(value);
  if (time !== null) return { meaning: [{ kind, day: value, time }] };
  return {
    code: CODES[kind],
    message: `expected \`${kind}:YYYY-MM-DD\`, a day from 1970-01-01 to 9999-12-31, found ${found(item)}`,
  };
}

/** 00:00:00 UTC of that day in Unix seconds; null where the calendar has no such day, or before 1970. */
function dayStart(day: string): number | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (parts === null || Number(parts[1]) < FIRST_YEAR) return null;
  const time = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  // Date.UTC takes 02-30 for 03-01.
  return new Date(time).toISOString().startsWith(day) ? time / 1000 : null;
}

/** For advice: the day as written where it is one. */
function shownDay(value: string): string {
  return dayStart(value) === null ? 'YYYY-MM-DD' : value;
}
