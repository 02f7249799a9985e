// The HTML of Account → Saved: the list, the form for a new search, and one search with its feed.

import { settingOf } from '../../config.ts';
import { plainSearch, searchAddress } from '../../http/addresses.ts';
import type { ResultsFound, ResultsPart } from '../../http/site/site.ts';
import { bucketName } from '../../http/views/charts.ts';
import { count, counted, dateTimeElement } from '../../http/views/format.ts';
import {
  type Faults,
  type Html,
  html,
  nameField,
  radios,
  select,
  submitButton,
  textField,
  tokenField,
} from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, KINDS } from '../../model/record.ts';
import {
  type FeedForm,
  feedAddress,
  NEW_SAVED_PAGE,
  newSavedAddress,
  PUBLIC_FEEDS,
  publicFeedAddress,
  SAVED_PAGE,
  tagHost,
} from './addresses.ts';
import type { AllFigures, SavedFigures } from './operation.ts';
import { MAX_SAVED, type OlderChoice, type SavedSearch } from './store.ts';

/** `since`: only records after this arrival; null: all. */
export function addressOfSaved({ query, kind, under, order }: SavedSearch, since: number | null): string {
  return searchAddress({ ...plainSearch(query, kind), under, order, since });
}

export function savedList(saved: readonly SavedSearch[], figures: AllFigures, formToken: string): Html {
  if (saved.length === 0) {
    return html`<h1>Saved searches</h1>
<p>None yet. Search for something, then choose <b>Save</b> above the results.
Here you will see what is new since you last looked, and you can read it as a feed. <a href="/docs/feeds">About feeds</a></p>
<p><a class="button" href="/">Search</a></p>`;
  }
  const newest = saved.map((one, i) => ({ one, found: figures.of[i]! })).toReversed();
  const hasNew = figures.of.some((found) => !(found instanceof Error) && found.fresh !== 0);
  return html`<h1>Saved searches</h1>
<p class="hint">New: records that arrived or changed since you last looked. You can save up to ${MAX_SAVED} searches. <a href="/docs/feeds">About feeds</a></p>
<table class="ledger saved">
<caption class="unseen">Saved searches, with what they find</caption>
<thead><tr><th scope="col">Search</th><th scope="col" class="number">Results</th><th scope="col" class="number">New</th><th scope="col">Over time</th><th scope="col">Feed</th><td></td></tr></thead>
<tbody>
${newest.map(({ one, found }) => row(one, found, figures, formToken))}</tbody>
</table>
${
  hasNew
    ? html`<form method="post" action="${SAVED_PAGE}/all/seen" class="actions">${tokenField(formToken)}${KINDS.map((kind) => html`<input type="hidden" name="${kind}" value="${figures.views[kind]?.arrival ?? 0}">`)}<button class="button" type="submit">Mark all as seen</button></form>`
    : null
}`;
}

function row(saved: SavedSearch, found: SavedFigures | Error, { views }: AllFigures, formToken: string) {
  const { id, name, kind, query, under, order, feed } = saved;
  return html`<tr>
<th scope="row"><a href="${addressOfSaved(saved, null)}"><bdi>${name}</bdi></a>
<span class="what">${KIND_NAMES[kind]}, ${order}: ${queryWords(query)}${under === null ? null : html`, on posts that match ${queryWords(under)}`}</span></th>
${
  found instanceof Error
    ? html`<td colspan="3" data-label="Results">Cannot be answered at the moment: ${visible(found.message)}</td>`
    : html`<td data-label="Results" class="number">${count(found.total)}</td>
<td data-label="New" class="number">${newWords(saved, found, views[kind]?.arrival ?? 0, formToken)}</td>
<td data-label="Over time">${smallTimeline(found)}</td>`
}
<td data-label="Feed"><a href="${SAVED_PAGE}/${id}#feed">${feed === null ? 'no' : 'yes'}<span class="unseen">, feed of ${name}</span></a></td>
<td class="act"><a class="button" href="${SAVED_PAGE}/${id}" aria-label="Change ${name}, or its feed">Change</a></td>
</tr>
`;
}

function newWords({ id, name }: SavedSearch, { fresh }: SavedFigures, arrival: number, formToken: string) {
  if (fresh === 0) return html`0`;
  const words = fresh === null ? 'not looked at yet' : `${count(fresh)} new`;
  const label = fresh === null ? `Look at ${name}` : `Look at ${counted(fresh, 'new result')} of ${name}`;
  return html`<form method="post" action="${SAVED_PAGE}/${id}/look">${tokenField(formToken)}<input type="hidden" name="arrival" value="${arrival}"><button class="button" type="submit" aria-label="${label}">${words}</button></form>`;
}

const LEAST_COLUMNS = 12;

function smallTimeline({ timeline: { step, buckets } }: SavedFigures): Html {
  if (buckets.length === 0) return html`–`;
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const busiest = buckets.find((bucket) => bucket.count === most);
  const first = bucketName(step, buckets[0]!.start);
  const last = bucketName(step, buckets.at(-1)!.start);
  const words = `${first} to ${last} by ${step}${busiest === undefined ? '' : `, busiest ${bucketName(step, busiest.start)} with ${count(most)}`}`;
  return html`<svg class="spark" viewBox="0 0 ${Math.max(buckets.length, LEAST_COLUMNS) * 2} 16" preserveAspectRatio="none" role="img" aria-label="${words}"><title>${words}</title>
${buckets.map(({ count: inBucket }, i) => {
  if (inBucket === 0) return null;
  const height = Math.max(1, Math.round((inBucket / most) * 16));
  return html`<rect class="fill" x="${i * 2}" y="${16 - height}" width="2" height="${height}"/>`;
})}</svg>`;
}

function queryWords(query: string): Html {
  return query === '' ? html`everything` : html`<code><bdi>${visible(query)}</bdi></code>`;
}

export interface NewSavedForm
  extends Readonly<Record<'name' | 'query' | 'under' | 'kind' | 'order' | 'number', string>> {
  readonly canHaveFeed: boolean;
  readonly faults: Faults;
}

export function newSavedForm(form: NewSavedForm, formToken: string): Html {
  const { name, query, under, kind, order, number, canHaveFeed, faults } = form;
  return html`<h1>Save a search</h1>
<form method="post" action="${NEW_SAVED_PAGE}" class="stack">
${tokenField(formToken)}<input type="hidden" name="once" value="${number}">${nameField(name, faults, { hasFocus: true })}
${textField({ name: 'query', label: 'Query', hint: 'Leave empty for every record.', value: query, autocomplete: 'off', error: faults.query })}
${radios('Search in', 'kind', Object.values(KIND_NAMES), kind)}
${textField({ name: 'under', label: 'Only comments on posts that match', hint: 'Leave empty for comments on any post.', value: under, autocomplete: 'off', error: faults.under })}
${select('Order', 'order_by', ORDERS, order)}
<p class="actions">${submitButton('Save')} ${canHaveFeed ? html`<button class="button" type="submit" name="feed" value="1">Save with a feed</button> ` : null}<a href="${SAVED_PAGE}">Not now</a></p>
</form>`;
}

const OLDER_WORDS: Readonly<Record<OlderChoice, string>> = {
  one: 'one entry per import',
  all: 'one entry each',
  none: 'none',
};

/** `number` identifies the form of the feed (UsedOnce). */
interface SavedView {
  readonly saved: SavedSearch;
  readonly number: string;
  /** Why no feed can be made; null: one can. */
  readonly noFeed: string | null;
  /** The token if it was made by this request, else null. */
  readonly made: { readonly token: string; readonly publicUrl: string } | null;
  readonly faults: Faults;
}

export function savedView(view: SavedView, formToken: string): Html {
  const { saved, made, faults } = view;
  const { id, name, kind, query, under, order, created } = saved;
  return html`<h1>“<bdi>${name}</bdi>”</h1>
${made === null ? null : madePanel(made, id)}
<dl class="facts">
<dt>Query</dt><dd><a href="${addressOfSaved(saved, null)}">${queryWords(query)}</a></dd>
<dt>Search in</dt><dd>${KIND_NAMES[kind]}, ${order}</dd>${
    under === null
      ? null
      : html`
<dt>Only on posts that match</dt><dd>${queryWords(under)}</dd>`
  }
<dt>Saved</dt><dd>${dateTimeElement(created)} UTC</dd>
</dl>
<section aria-labelledby="feed">
<h2 id="feed">Feed</h2>
${feedForms(view, formToken)}
</section>
<section aria-labelledby="rename">
<h2 id="rename">Rename</h2>
<form method="post" action="${SAVED_PAGE}/${id}" class="row">
${tokenField(formToken)}${nameField(name, faults)}
${submitButton('Rename')}
</form>
</section>
<section aria-labelledby="remove">
<h2 id="remove">Remove</h2>
<p>This ends its feed too.</p>
<form method="post" action="${SAVED_PAGE}/${id}/remove" class="actions">${tokenField(formToken)}<button type="submit" class="danger">Remove</button> <a href="${SAVED_PAGE}">Back to all</a></form>
</section>`;
}

function feedForms({ saved: { id, feed }, number, noFeed }: SavedView, formToken: string): Html {
  const begin = html`${tokenField(formToken)}<input type="hidden" name="once" value="${number}">`;
  const action = `${SAVED_PAGE}/${id}/feed`;
  if (feed === null) {
    return html`<p>A feed reader shows you new results. Anyone who knows the address of the feed can read it, and nothing else of yours.</p>
${
  noFeed === null
    ? html`<form method="post" action="${action}" class="actions">${begin}<button class="button" type="submit" name="do" value="make">Make a feed</button></form>`
    : html`<p>No feed can be made here: ${noFeed}.</p>`
}`;
  }
  return html`<p>Its address was created on ${dateTimeElement(feed.made)} UTC, and is not stored. If you lost it, or someone else has it, renew it.</p>
<form method="post" action="${action}" class="actions">${begin}<button class="button" type="submit" name="do" value="renew">Renew the address</button> <button class="danger" type="submit" name="do" value="revoke">Revoke the feed</button></form>
<form method="post" action="${action}" class="row">${begin}
${select('Records that were over 30 days old when they came in', 'older', OLDER_WORDS, feed.older)}
<button class="button" type="submit" name="do" value="older">Set</button>
</form>`;
}

function madePanel({ token, publicUrl }: NonNullable<SavedView['made']>, id: number): Html {
  const address = (form: 'atom' | 'json') => `${publicUrl}${feedAddress(token, form)}`;
  return html`<section class="created" role="status" aria-labelledby="created">
<h2 id="created">The address of the feed</h2>
<p><strong>Copy it now. You will not see it again.</strong></p>
<div class="example secret"><label for="feed-atom">Atom, for every feed reader</label>
<input id="feed-atom" readonly value="${address('atom')}" spellcheck="false" autocomplete="off" autofocus>
<button type="button" class="copy" hidden data-copy aria-label="Copy the address for Atom">Copy</button></div>
<div class="example secret"><label for="feed-json">JSON Feed, for programs</label>
<input id="feed-json" readonly value="${address('json')}" spellcheck="false" autocomplete="off">
<button type="button" class="copy" hidden data-copy aria-label="Copy the address for JSON Feed">Copy</button></div>
<p><a class="button" href="${SAVED_PAGE}/${id}">I have stored it</a></p>
</section>`;
}

/** Beside the number of results: Save for signed-in users, and links to the feeds for visitors if they are on. */
export function partOfResults({ archive, frame, ...found }: ResultsFound): ResultsPart {
  const { config } = archive;
  const hasFeeds = settingOf(config, PUBLIC_FEEDS) === 'on' && tagHost(config.publicUrl) !== null;
  const feed = (form: FeedForm) => publicFeedAddress(found, form);
  return {
    ...(frame.viewer !== null && { link: html`<a href="${newSavedAddress(found)}">Save</a>` }),
    // Feeds have no implied window, so write out the one of the page.
    ...(hasFeeds && {
      feeds: { 'application/atom+xml': feed('atom'), 'application/feed+json': feed('json') },
    }),
  };
}
