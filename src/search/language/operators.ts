// Operators: what `/r/…`, `site:`, `score:`, `before:`, `after:`, `post:` and `id:` ask for.
// Section 2 of the contract, and contract 3.2 and 3.6.

import type { ProblemCode } from '../../errors.ts';
import type { Operator, OperatorKind } from '../../model/query-syntax.ts';
import { normaliseDomain } from '../../text/domains.ts';
import { quoted } from '../../text/quoted.ts';
import type { Fault, Reading } from './reading.ts';
import { readId, readPost } from './record-items.ts';
import { refuseReserved } from './reserved.ts';
import { otherScores, readScore } from './scores.ts';
import { otherSide, readTimeItem } from './times.ts';

/** No host is longer; a longer `site:` is refused unread, since punycode takes more than linear time. */
const MAX_SITE_UNITS = 4096;

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
      return readId(value, negated, item);
    case 'score':
      return negated ? cannotNegate(kind, otherScores(value), item) : readScore(value, item);
    case 'before':
    case 'after':
      return negated
        ? cannotNegate(kind, otherSide(kind, value) ?? EITHER_SIDE[kind], item)
        : readTimeItem(kind, value, item);
    case 'reserved':
      return refuseReserved(operator.reserved, value, item);
  }
}

/** Code of what is wrong with such an item, and what to write where it stood beside a `|`. */
const BESIDE_BAR: Readonly<
  Record<Exclude<OperatorKind, 'reserved'>, readonly [code: ProblemCode, advice: string]>
> = {
  community: ['bad_community', 'for any of several communities write `/r/a+b`'],
  site: ['bad_site', 'for any of several sites write `site:a.org site:b.org`'],
  score: ['bad_score', 'for a range of scores write `score:1..5`'],
  before: ['bad_date', 'a date holds for the whole query: write it without `|`'],
  after: ['bad_date', 'a date holds for the whole query: write it without `|`'],
  post: ['bad_post', 'for any of several posts write `post:a post:b`'],
  id: ['bad_id', 'for any of several records write `id:a id:b`'],
};

/** An operator where only a word can stand: beside a `|`. */
export function refuseInAnyOf(operator: Operator, item: string): Fault {
  if (operator.kind === 'reserved') return refuseReserved(operator.reserved, operator.value, item);
  const [code, advice] = BESIDE_BAR[operator.kind];
  return { code, message: `expected only words beside \`|\`, found ${quoted(item)}; ${advice}` };
}

/** What there is instead of a negated time that is none. */
const EITHER_SIDE = { before: 'after:YYYY-MM-DD', after: 'before:YYYY-MM-DD' } as const;

/** `positive`: an item that says the same; null: there is none. */
function cannotNegate(kind: 'score' | 'before' | 'after', positive: string | null, item: string): Fault {
  const expected = positive === null ? 'the scores that you want, as in `score:<5`' : `\`${positive}\``;
  return {
    code: 'cannot_negate',
    message: `\`${kind}:\` takes no \`-\`: expected ${expected}, found ${quoted(item)}`,
  };
}

const NAME = /^[^/+|]+$/;

/** A name is any run without separator, slash, plus; a bar joins words alone. */
function readCommunities({ name: prefix, value }: Operator, negated: boolean, item: string): Reading {
  const names = (value.endsWith('/') ? value.slice(0, -1) : value).split('+');
  if (!names.every((name) => NAME.test(name))) {
    return {
      code: 'bad_community',
      message: `expected a name behind \`${prefix}\`, as in \`${prefix}name\`, or several as in \`${prefix}a+b\`, found ${quoted(item)}`,
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
  return {
    code: 'bad_site',
    message: `expected a domain behind \`site:\`, as in \`site:example.com\`, found ${quoted(item)}`,
  };
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
