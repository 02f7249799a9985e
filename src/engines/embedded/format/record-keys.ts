// Every key under which a record must be listed, found the plain way; `check` compares the lists with it.

import { tokensOf } from '../../../model/matcher.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { siteKeys } from '../../../model/sites.ts';
import { BAND, COMMUNITY, ID, POST, pairKey, postOf, SITE, TOKEN } from './keys.ts';
import { isPair, tokenClass } from './pairs.ts';
import { BANDS } from './score-bands.ts';

/** Each once, in no order. Pairs only if `withPairs`. */
export function recordKeys(record: StoredRecord, withPairs: boolean): Set<string> {
  const keys = new Set([ID + record.id, COMMUNITY + record.community]);
  const post = postOf(record);
  if (post !== '') keys.add(POST + post);
  for (const site of siteKeys(record)) keys.add(SITE + site);
  for (const { min, max, name } of BANDS)
    if (record.score >= min && record.score <= max) keys.add(BAND + name);
  for (const held of tokensOf(record)) {
    for (const [i, token] of held.entries()) {
      keys.add(TOKEN + token);
      const next = held[i + 1];
      if (!withPairs || next === undefined) continue;
      if (isPair(tokenClass(token), tokenClass(next))) keys.add(pairKey(token, next));
    }
  }
  return keys;
}
