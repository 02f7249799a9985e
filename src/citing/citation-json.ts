// A citation as JSON: written for others, and read again where somebody holds it against an index.

import type {
  ByKind,
  Citation,
  CitedAnswer,
  CitedKind,
  CitedMonth,
  CitedSource,
} from '../model/catalogue.ts';
import type { IndexFingerprint } from '../model/hash.ts';
import type { KindName } from '../model/record.ts';
import { interpretWithoutWindow } from '../search/language/interpret.ts';
import { quoted } from '../text/quoted.ts';
import { CITATION_ID, CITED_KINDS, citationId, fingerprintOf, kindsOf } from './cited-answer.ts';

/** The answer of the API, and what `cite --json` prints. */
export interface CitationJson {
  readonly type: 'citation';
  readonly id: string;
  /** In canonical form. */
  readonly query: string;
  readonly kinds: ByKind<CitedKind & { readonly fingerprint: string; readonly index: IndexFingerprint }>;
  /** Unix seconds. */
  readonly time: number;
  readonly note: string | null;
  readonly software: Citation['origin']['software'];
  readonly sources: readonly CitedSource[];
}

export function citationJson({ id, answer, origin }: Citation): CitationJson {
  const { index, time, note, software, sources } = origin;
  const kinds = kindsOf(answer.kinds).map(([kind, { total, months }]) => {
    const fingerprint = fingerprintOf({ months });
    return [kind, { total, fingerprint, index: index[kind]!, months }] as const;
  });
  return {
    ...{ type: 'citation', id, query: answer.query, kinds: Object.fromEntries(kinds) },
    ...{ time, note, software, sources },
  };
}

/** What of a file is no citation, in words. */
export class NoCitation extends Error {}

/**
 * The claim in the text of a file, whichever way its fields stand there; nothing else of it is read. Throws a
 * NoCitation: what was expected and what was found.
 */
export function readClaim(text: string): { readonly id: string; readonly answer: CitedAnswer } {
  const given = parsed(text);
  if (!isObject(given) || given.type !== 'citation') {
    throw new NoCitation('expected a JSON object with `"type": "citation"`, found something else');
  }
  const { id, query, kinds } = given;
  if (typeof id !== 'string' || !CITATION_ID.test(id)) {
    throw new NoCitation(`\`id\`: expected \`clq-c-\` and 16 letters and digits, found ${shown(id)}`);
  }
  if (typeof query !== 'string') throw new NoCitation(`\`query\`: expected a query, found ${shown(query)}`);
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
  if (Object.keys(kinds).length === 0) {
    throw new NoCitation(`\`kinds\`: expected \`posts\`, \`comments\` or both, found ${shown(given)}`);
  }
  return kinds;
}

function readKind(name: KindName, given: unknown): CitedKind {
  const { total, months: listed } = isObject(given) ? given : {};
  const months = Array.isArray(listed)
    ? listed.map((one, i) => readMonth(`${name}.months[${i}]`, one))
    : null;
  if (months === null) throw new NoCitation(`\`${name}.months\`: expected a list, found ${shown(listed)}`);
  if (months.some(({ month }, i) => i > 0 && month <= months[i - 1]!.month)) {
    throw new NoCitation(`\`${name}.months\`: expected each month once, in their order`);
  }
  const sum = months.reduce((all, { count }) => all + count, 0);
  if (total !== sum) {
    throw new NoCitation(`\`${name}.total\`: expected ${sum}, the sum of its months, found ${shown(total)}`);
  }
  return { total: sum, months };
}

function readMonth(place: string, given: unknown): CitedMonth {
  const { month, count, fingerprint } = isObject(given) ? given : {};
  if (typeof month !== 'string' || !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
    throw new NoCitation(`\`${place}.month\`: expected a month such as \`2020-01\`, found ${shown(month)}`);
  }
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1) {
    throw new NoCitation(`\`${place}.count\`: expected a whole number from 1, found ${shown(count)}`);
  }
  if (typeof fingerprint !== 'string' || !/^[0-9a-f]{16}$/.test(fingerprint)) {
    throw new NoCitation(`\`${place}.fingerprint\`: expected 16 hex digits, found ${shown(fingerprint)}`);
  }
  return { month, count, fingerprint };
}

function expectCanonical(query: string): void {
  let echo: string;
  try {
    echo = interpretWithoutWindow(query).echo;
  } catch (error) {
    throw new NoCitation(`\`query\`: ${(error as Error).message}`, { cause: error });
  }
  if (echo !== query) {
    throw new NoCitation(`\`query\`: expected ${quoted(echo)}, its canonical form, found ${quoted(query)}`);
  }
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

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : quoted(typeof value === 'string' ? value : JSON.stringify(value));
}
