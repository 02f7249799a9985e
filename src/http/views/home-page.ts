// The start page: the search box, how to write a search, and what is in this archive.

import { IndexDamage } from '../../model/damage.ts';
import type { KindStats } from '../../model/engine.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { damageWords } from './damage.ts';
import { counted } from './format.ts';
import { type Html, html } from './html.ts';
import { largeSearchForm, syntaxHelp } from './search-form.ts';

export function homePage(stats: Readonly<Record<Kind, KindStats | IndexDamage>>): Html {
  return html`<h1>Search every post and comment</h1>
<p class="lead">Exact counts, every match, in order. Nothing is ranked, guessed or left out.</p>
${largeSearchForm({ query: '', kind: 'post', order: 'newest' })}
${syntaxHelp(true)}
<p class="archive">${archiveWords(stats)} <a href="/status">Status</a> · <a href="/about#removal">Ask for a record to be removed</a></p>`;
}

/** `In this archive: 41,203,118 posts, 310,889,002 comments, 2005-06-23 to 2026-09-30 UTC.` */
export function archiveWords(stats: Readonly<Record<Kind, KindStats | IndexDamage>>): string {
  const counts: string[] = [];
  const times: number[] = [];
  const out: string[] = [];
  for (const kind of KINDS) {
    const found = stats[kind];
    if (found instanceof IndexDamage) out.push(damageWords(kind));
    else {
      counts.push(counted(found.records, kind));
      times.push(...[found.first, found.last].filter((time) => time !== null));
    }
  }
  return [...(counts.length === 0 ? [] : [heldWords(counts, times)]), ...out].join(' ');
}

function heldWords(counts: readonly string[], times: readonly number[]): string {
  if (times.length === 0) return 'This archive is empty.';
  return (
    `In this archive: ${counts.join(', ')}, ` +
    `${readableDay(Math.min(...times))} to ${readableDay(Math.max(...times))} UTC.`
  );
}
