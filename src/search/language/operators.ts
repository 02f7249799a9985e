// Operators: what `/r/…`, `site:`, `score:`, `before:`, `after:`, `post:` and `id:` mean. Section 2 of the
// contract, and contract 3.2 and 3.6.

import { communityKey, profileName } from '../../model/community.ts';
import { normaliseDomain } from '../../text/domains.ts';
import { readBound } from './bounds.ts';
import { isAskableName, type Operator } from './query-syntax.ts';
import { readId, readPost } from './record-items.ts';
import { refuseReserved } from './reserved.ts';
import { faulty, type SyntaxItem, understood, type Written } from './syntax-tree.ts';

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
      return readBound(kind, value, negated, item);
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
