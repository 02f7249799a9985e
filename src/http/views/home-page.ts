// The start page: the search box, what is in this archive, and how to write a search.

import { IndexDamage } from '../../model/damage.ts';
import type { KindStats } from '../../model/engine.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import type { Archive, ArchivedCommunity } from '../../search/page/archive.ts';
import type { FormName } from '../../search/page/archive-examples.ts';
import { rowItem, writeQuery } from '../../search/page/edit-query.ts';
import { searchAddress } from '../addresses/search.ts';
import { breakdownAddress } from '../addresses/tables.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import { archivePicture } from './archive-picture.ts';
import { damageWords } from './damage.ts';
import { count, counted, KIND_NAMES } from './format.ts';
import { type Html, html } from './html.ts';
import { exampleAddress, queryForms } from './query-forms.ts';
import { visible } from './record-text.ts';
import { largeSearchForm } from './search-form.ts';

export interface HomeView {
  readonly stats: Readonly<Record<Kind, KindStats | IndexDamage>>;
  /** null: not known yet. */
  readonly archive: Archive | null;
}

export function homePage({ stats, archive }: HomeView): Html {
  return html`<h1>Search every post and comment</h1>
<p class="lead">Exact counts, every match, in order. Nothing is ranked, guessed or left out.</p>
${largeSearchForm({ query: '', kind: archive?.examples.kind ?? 'post', order: 'newest' })}
${archive === null ? null : tryLine(archive)}
<section aria-labelledby="holds"><h2 id="holds">In this archive</h2>
<p class="archive">${archiveWords(stats)}</p>
${
  archive === null
    ? null
    : html`${archivePicture(archive.kinds)}
${communityList(archive)}`
}
</section>
<section aria-labelledby="forms"><h2 id="forms">How to write a search</h2>
${queryForms(archive === null ? null : archive.examples)}
</section>
<p class="archive"><a href="/status">Status</a> · <a href="/about#removal">Ask for a record to be removed</a></p>`;
}

/** What a first search could be. */
const TRIED: readonly FormName[] = ['word', 'phrase', 'several', 'site'];

function tryLine({ examples: { queries, kind } }: Archive): Html | null {
  const tried = TRIED.flatMap((name) => queries[name] ?? []);
  if (tried.length === 0) return null;
  return html`<p class="try">Try ${tried.map((query) => html` <a href="${exampleAddress(query, kind)}"><bdi>${visible(query)}</bdi></a>`)}</p>`;
}

function communityList({ communities, kinds }: Archive): Html | null {
  if (communities.length === 0) return null;
  const all = KINDS.flatMap((kind) => {
    const number = kinds[kind]?.communities ?? 0;
    return number === 0 ? [] : [{ kind, number }];
  });
  return html`<h3 id="communities">Largest communities</h3>
<ol class="largest" aria-labelledby="communities">${communities.map(communityLine)}</ol>
<p class="more">${all.map(({ kind, number }) => html`<a href="${breakdownAddress({ query: '', kind, field: 'community', prefix: '', page: 1 })}">All ${count(number)} with ${LIST_NAMES[kind]}</a> `)}</p>`;
}

function communityLine({ name, nsfw, counts }: ArchivedCommunity): Html {
  const item = rowItem('community', name);
  const shown = html`<bdi>/r/${visible(name)}</bdi>`;
  const kind: Kind = counts.post > 0 ? 'post' : 'comment';
  const link =
    item === null
      ? shown
      : html`<a href="${searchAddress({ query: writeQuery([item]), kind })}">${shown}</a>`;
  const numbers = KINDS.filter((one) => counts[one] > 0).map((one) => counted(counts[one], KIND_NAMES[one]));
  return html`<li>${link}${nsfw ? html` <abbr class="nsfw" title="Adult content: not safe for work">NSFW</abbr>` : null} <span class="tally">${numbers.join(', ')}</span></li>`;
}

/** `41,203,118 posts, 310,889,002 comments, 2005-06-23 to 2026-09-30 UTC.` */
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
  if (times.length === 0) return 'Nothing yet.';
  return (
    `${counts.join(', ')}, ` + `${readableDay(Math.min(...times))} to ${readableDay(Math.max(...times))} UTC.`
  );
}
