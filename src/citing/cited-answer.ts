// What a citation claims: made of timelines with fingerprints, and named by its content.

import { hash } from 'node:crypto';
import type { ByKind, CitedAnswer, CitedKind, CitedMonth } from '../model/catalogue.ts';
import type { Timeline } from '../model/engine.ts';
import { hex64, parseHex64, Sum64 } from '../model/hash.ts';
import type { KindName } from '../model/record.ts';
import { readableDay } from '../model/time.ts';

/** The kinds in the order in which they stand in a claim. */
export const CITED_KINDS: readonly KindName[] = ['posts', 'comments'];

const PREFIX = 'clq-c-';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_DIGITS = 16;

export const CITATION_ID = /^clq-c-[0-9A-Za-z]{16}$/;

/** Those of the kinds that it has, in their order. */
export function kindsOf<T>(kinds: ByKind<T>): (readonly [KindName, T])[] {
  return CITED_KINDS.flatMap((kind) => {
    const of = kinds[kind];
    return of === undefined ? [] : [[kind, of] as const];
  });
}

/** A timeline by month, with fingerprints. */
export function citedKind({ buckets }: Timeline): CitedKind {
  const months = buckets
    .filter(({ count }) => count > 0)
    .map(
      ({ start, count, fingerprint }): CitedMonth => ({
        month: monthOf(start),
        count,
        fingerprint: fingerprint!,
      }),
    );
  return { total: months.reduce((sum, { count }) => sum + count, 0), months };
}

/** `2020-01`, of any second of it. */
export function monthOf(time: number): string {
  return readableDay(time).slice(0, 'YYYY-MM'.length);
}

/** Of all months together. */
export function fingerprintOf({ months }: Pick<CitedKind, 'months'>): string {
  const sum = new Sum64();
  for (const { fingerprint } of months) sum.add(parseHex64(fingerprint)!);
  return hex64(sum.value());
}

/**
 * 16 digits of base 62, the highest first, of the SHA-256 of the claim, a number of 256 bits, modulo 62^16: 95 bits.
 * Whatever else is known of a citation changes nothing in its id.
 */
export function citationId(answer: CitedAnswer): string {
  let rest = BigInt(`0x${hash('sha256', canonicalClaim(answer))}`);
  let digits = '';
  for (let i = 0; i < ID_DIGITS; i++) {
    digits = DIGITS[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return PREFIX + digits;
}

/** The bytes, in UTF-8, that the id is made of: the same for ever for the same claim. */
export function canonicalClaim({ query, kinds }: CitedAnswer): string {
  const listed = kindsOf(kinds).map(([kind, { total, months }]) => [
    kind,
    { total, months: months.map(({ month, count, fingerprint }) => [month, count, fingerprint]) },
  ]);
  return JSON.stringify({ colloquy: 'citation 1', query, kinds: Object.fromEntries(listed) });
}
