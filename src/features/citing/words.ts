// A citation as a sentence, as BibTeX and as CSL-JSON; and its check as text for the terminal.

import type { KindName } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { fingerprintOf, kindsOf } from './claim.ts';
import type { Check, CheckedKind, MonthDifference } from './service.ts';
import type { Citation, CitedSource } from './store.ts';

export const CITE_PAGE = '/cite';

export function citationPage(id: string): string {
  return `${CITE_PAGE}/${id}`;
}

const SHORT_SHA = 4;

/** A reference with everything needed to reproduce the result. `address`: the URL of its page. */
export function citationWords({ answer, origin }: Citation, address: string): string {
  const counted = kindsOf(answer.kinds).map(
    ([kind, of]) => `${totalOf(kind, of.total)} (fingerprint ${fingerprintOf(of)})`,
  );
  const parts = [
    ...[`Colloquy ${origin.software.colloquy}`, queryWords(answer.query), ...counted],
    ...sourceWords(origin.sources),
    ...[readableDay(origin.time), address],
  ];
  return parts.join(', ');
}

function queryWords(query: string): string {
  return query === '' ? 'all records' : `query \`${query}\``;
}

export function totalOf(kind: KindName, total: number): string {
  return `${total.toLocaleString('en')} ${total === 1 ? kind.slice(0, -1) : kind}`;
}

function sourceWords(sources: readonly CitedSource[]): string[] {
  const [first, ...others] = sources;
  if (first === undefined) return [];
  const sha = first.sha256 === null ? '' : ` (sha256 ${first.sha256.slice(0, SHORT_SHA)}…)`;
  const more = others.length === 0 ? '' : ` and ${others.length.toLocaleString('en')} more`;
  return [`from ${first.name}${sha}${more}`];
}

export function citationTitle({ answer }: Pick<Citation, 'answer'>): string {
  const counted = kindsOf(answer.kinds).map(([kind, { total }]) => totalOf(kind, total));
  return `${counted.join(' and ')}: ${answer.query === '' ? 'all records' : answer.query}`;
}

/**
 * A `@misc` entry for BibTeX and BibLaTeX. TeX's special characters are escaped; the others stay UTF-8, which both
 * accept.
 */
export function bibtex(citation: Citation, address: string): string {
  const { id, origin } = citation;
  const day = readableDay(origin.time);
  const fields = [
    // The inner braces keep BibTeX from changing the title's case and from parsing the author as a person's name.
    ['title', `{${escapeTex(citationTitle(citation))}}`],
    ['author', '{Colloquy}'],
    ['year', day.slice(0, 4)],
    ['note', escapeTex(noteOf(citation))],
    ['howpublished', `\\url{${address}}`],
    ['url', address],
    ['urldate', day],
    ['version', escapeTex(id)],
  ];
  return `@misc{${id},\n${fields.map(([name, value]) => `  ${name} = {${value}},\n`).join('')}}\n`;
}

/** TeX's special characters (The TeXbook, chapter 7). BibTeX counts escaped braces, so they are written by name. */
const TEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

function escapeTex(text: string): string {
  return text.replace(/[\\{}$&#%_^~]/g, (sign) => TEX[sign]!);
}

function noteOf({ answer, origin: { note, software, sources } }: Citation): string {
  const prints = kindsOf(answer.kinds).map(([kind, of]) => `${kind} fingerprint ${fingerprintOf(of)}`);
  return [
    `Colloquy ${software.colloquy}`,
    ...prints,
    ...sourceWords(sources),
    ...(note === null ? [] : [note]),
  ].join('; ');
}

/** A CSL-JSON item (https://docs.citationstyles.org, schema 1.0.2) for reference managers. */
export function cslItem(citation: Citation, address: string): object {
  const { id, origin } = citation;
  const [year, month, day] = readableDay(origin.time).split('-').map(Number);
  const date = { 'date-parts': [[year, month, day]] };
  return {
    ...{ id, type: 'dataset', title: citationTitle(citation), publisher: 'Colloquy' },
    ...{ version: origin.software.colloquy, issued: date, accessed: date, URL: address },
    note: noteOf(citation),
  };
}

const SOURCES_NAMED = 3;

/** `RC_a, RC_b and 4 more`; an empty list means that the sources are unknown. */
export function sourcesNamed(sources: readonly string[]): string {
  if (sources.length === 0) return 'imports that noted no arrivals';
  const named = sources.slice(0, SOURCES_NAMED).join(', ');
  const left = sources.length - SOURCES_NAMED;
  return left > 0 ? `${named} and ${left.toLocaleString('en')} more` : named;
}

/** One line if nothing changed; otherwise one per changed month. */
export function checkWords({ id }: Pick<Citation, 'id'>, { isSame, kinds, removals }: Check): string {
  if (isSame) {
    const counted = kindsOf(kinds).map(([kind, { now }]) => totalOf(kind, now));
    return `${id}: the same, ${counted.join(' and ')}\n`;
  }
  const lines = kindsOf(kinds).flatMap(([kind, checked]) => [
    `${kind}: then ${checked.cited.toLocaleString('en')}, now ${checked.now.toLocaleString('en')}${
      checked.months.length === 0 ? ' (the same)' : ''
    }`,
    ...checked.months.map(monthLine),
    ...cameInLines(checked),
  ]);
  const removed = removals.length === 0 ? [] : [`removals since: ${removals.map(readableDay).join(', ')}`];
  return [`${id}: differs`, ...lines, ...removed].map((line) => `${line}\n`).join('');
}

function monthLine({ month, cited, now, since }: MonthDifference): string {
  if (since === null) {
    return `  ${month}: then ${cited}, now ${now}${cited === now ? ', with another fingerprint' : ''}`;
  }
  return `  ${month}: then ${cited} + came in ${since.in} - gone ${since.out} = now ${now}${whyGone(since)}`;
}

function whyGone({ out, removed, isInAlone }: NonNullable<MonthDifference['since']>): string {
  if (isInAlone) return '';
  const least = out - removed;
  const parts = [
    ...(removed > 0 ? [`removed: at most ${removed}`] : []),
    ...(least > 0 || out === 0 ? ['changed: ' + (out === 0 ? 'yes, none gone' : `at least ${least}`)] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

function cameInLines({ cameIn }: CheckedKind): string[] {
  return (cameIn ?? []).map(
    ({ sources, count }) => `  came in: ${count.toLocaleString('en')} from ${sourcesNamed(sources)}`,
  );
}
