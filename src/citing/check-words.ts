// What has become of a citation, for a terminal.

import type { Citation } from '../model/citation.ts';
import { kindsOf } from './cited-answer.ts';
import type { Check, CheckedKind } from './citing-service.ts';
import type { MonthDifference } from './difference.ts';
import { sourcesNamed, totalOf } from './words.ts';

/** One line where it is the same; else a line for each month that is not. */
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
  const dates = removals.dates.map((time) => new Date(time * 1000).toISOString().slice(0, 10));
  const removed = removals.number === 0 ? [] : [`removals since: ${dates.join(', ')}`];
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
