// The claim of a citation, made from timelines with fingerprints, and the id that is its hash. Writes and parses the
// JSON of a citation.

import { hash } from 'node:crypto';
import type { Timeline } from '../../model/engine.ts';
import { hex64, parseHex64, Sum64 } from '../../model/hash.ts';
import { type KindName, MAX_TIME } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { quoted } from '../../text/quoted.ts';
import type { ByKind, Citation, CitedAnswer, CitedKind, CitedMonth } from './store.ts';

/** The kinds in the order of a claim. */
export const CITED_KINDS: readonly KindName[] = ['posts', 'comments'];

const PREFIX = 'clq-c-';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_DIGITS = 16;

export const CITATION_ID = /^clq-c-[0-9A-Za-z]{16}$/;

export function kindsOf<T>(kinds: ByKind<T>): (readonly [KindName, T])[] {
  return CITED_KINDS.flatMap((kind) => {
    const of = kinds[kind];
    return of === undefined ? [] : [[kind, of] as const];
  });
}

export function mapKinds<T, U>(kinds: ByKind<T>, map: (of: T, kind: KindName) => U): ByKind<U> {
  return Object.fromEntries(kindsOf(kinds).map(([kind, of]) => [kind, map(of, kind)]));
}

export function citedKind({ buckets }: Timeline): CitedKind {
  const months = buckets.flatMap(({ start, count, fingerprint }): CitedMonth[] =>
    count === 0 ? [] : [{ month: monthOf(start), count, fingerprint: fingerprint! }],
  );
  return { total: months.reduce((sum, { count }) => sum + count, 0), months };
}

/** Formats Unix seconds as `2020-01` (UTC). */
export function monthOf(time: number): string {
  return readableDay(time).slice(0, 'YYYY-MM'.length);
}

/** The first second of a month such as `2020-01`, in Unix seconds. */
export function startOf(month: string): number {
  return Date.parse(month) / 1000;
}

export function fingerprintOf(of: { readonly months: readonly Pick<CitedMonth, 'fingerprint'>[] }): string {
  const sum = new Sum64();
  for (const { fingerprint } of of.months) sum.add(parseHex64(fingerprint)!);
  return hex64(sum.value());
}

/**
 * `clq-c-` and the SHA-256 of the claim modulo 62^16 (95 bits), as 16 base-62 digits, most significant first.
 * The origin and the note do not affect the id.
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

/** The text whose UTF-8 bytes are hashed for the id; its format must never change. */
export function canonicalClaim({ query, kinds }: CitedAnswer): string {
  const listed = mapKinds(kinds, ({ total, months }) => {
    return { total, months: months.map(({ month, count, fingerprint }) => [month, count, fingerprint]) };
  });
  return JSON.stringify({ colloquy: 'citation 1', query, kinds: listed });
}

/** The JSON of the API and of `cite --json`; its schema is CitationSchema in operation.ts. */
export function citationJson({ id, answer, origin }: Citation) {
  const { index, time, note, software, sources } = origin;
  const kinds = mapKinds(answer.kinds, ({ total, months }, kind) => {
    const fingerprint = fingerprintOf({ months });
    const listed = months.map(({ month, ...rest }) => ({ start: startOf(month), ...rest }));
    return { total_count: total, fingerprint, index: index[kind]!, months: listed };
  });
  return { type: 'citation' as const, id, query: answer.query, kinds, time, note, software, sources };
}

export class NoCitation extends Error {}

/** `found`: what stands there. */
function expect(isSo: boolean, expected: string, found: unknown): asserts isSo {
  if (isSo) return;
  const shown = typeof found === 'string' ? found : JSON.stringify(found);
  throw new NoCitation(`${expected}, found ${found === undefined ? 'nothing' : quoted(shown)}`);
}

/**
 * Parses the JSON of a citation; fields may have any order, and those outside the claim are ignored. Throws a
 * NoCitation.
 */
export function readClaim(text: string): { readonly id: string; readonly answer: CitedAnswer } {
  const given = parsed(text);
  if (!isObject(given) || given.type !== 'citation') {
    throw new NoCitation('expected a JSON object with `"type": "citation"`, found something else');
  }
  const { id, query, kinds } = given;
  const isId = typeof id === 'string' && CITATION_ID.test(id);
  expect(isId, '`id`: expected `clq-c-` and 16 letters and digits', id);
  expect(typeof query === 'string', '`query`: expected a query', query);
  const answer = { query, kinds: readKinds(kinds) };
  const own = citationId(answer);
  if (own !== id) {
    throw new NoCitation(`expected the content of \`${id}\`, found that of \`${own}\`: the file was changed`);
  }
  expectCanonical(query);
  return { id, answer };
}

function readKinds(given: unknown): ByKind<CitedKind> {
  const kinds: { [Name in KindName]?: CitedKind } = {};
  if (isObject(given)) {
    for (const kind of CITED_KINDS) if (given[kind] !== undefined) kinds[kind] = readKind(kind, given[kind]);
  }
  expect(Object.keys(kinds).length > 0, '`kinds`: expected `posts`, `comments` or both', given);
  return kinds;
}

function readKind(name: KindName, given: unknown): CitedKind {
  const { total_count: total, months: listed } = isObject(given) ? given : {};
  expect(Array.isArray(listed), `\`${name}.months\`: expected a list`, listed);
  const months = listed.map((one, i) => readMonth(`${name}.months[${i}]`, one));
  if (months.some(({ month }, i) => i > 0 && month <= months[i - 1]!.month)) {
    throw new NoCitation(`\`${name}.months\`: expected each month once, in their order`);
  }
  const sum = months.reduce((all, { count }) => all + count, 0);
  expect(total === sum, `\`${name}.total_count\`: expected ${sum}, the sum of its months`, total);
  return { total: sum, months };
}

function readMonth(place: string, given: unknown): CitedMonth {
  const { start, count, fingerprint } = isObject(given) ? given : {};
  const month = typeof start === 'number' && start >= 0 && start <= MAX_TIME ? monthOf(start) : null;
  const isStart = month !== null && startOf(month) === start;
  expect(isStart, `\`${place}.start\`: expected the first second of a month`, start);
  const isCounted = typeof count === 'number' && Number.isSafeInteger(count) && count >= 1;
  expect(isCounted, `\`${place}.count\`: expected a whole number from 1`, count);
  const isPrint = typeof fingerprint === 'string' && /^[0-9a-f]{16}$/.test(fingerprint);
  expect(isPrint, `\`${place}.fingerprint\`: expected 16 hex digits`, fingerprint);
  return { month, count, fingerprint };
}

function expectCanonical(query: string): void {
  let echo: string;
  try {
    echo = interpretWithoutWindow(query).echo;
  } catch (error) {
    throw new NoCitation(`\`query\`: ${(error as Error).message}`, { cause: error });
  }
  expect(echo === query, `\`query\`: expected ${quoted(echo)}, its canonical form`, query);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NoCitation(`expected JSON: ${(error as Error).message}`, { cause: error });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
