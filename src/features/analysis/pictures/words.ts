// Distinctive words: those that the matches use more, or less, than everything in their scope.

import { count, portion } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import type { Kind } from '../../../model/record.ts';
import type { WordRow, WordsAnswer } from '../words.ts';
import { figure } from './figure.ts';

const SHOWN = 15;

/** Words with a smaller |z| may differ by chance (two-sided, 5 %). */
const LEAST_Z = 1.96;

interface WordsContext {
  readonly kind: Kind;
  readonly file: string;
  readonly isOwn: (word: string) => boolean;
  readonly search: (word: string) => string;
}

export function wordsFigure(answer: WordsAnswer, { kind, file, isOwn, search }: WordsContext): Html {
  const { query, against, sampled, sampled_against: beside } = answer;
  const title = 'Distinctive words';
  const told = (words: Html) => figure({ id: 'words', title, words, file });
  if (query === against) {
    return told(html`The search has no words, so there is nothing to compare.`);
  }
  if (sampled.n === 0) return told(html`No matches.`);
  const listed = (rows: readonly WordRow[]) =>
    rows.filter(({ word, z }) => !isOwn(word) && Math.abs(z) >= LEAST_Z).slice(0, SHOWN);
  const [more, less] = [listed(answer.rows), listed(answer.rows_against)];
  const most = Math.max(...[...more, ...less].map(({ z }) => Math.abs(z)));
  const lists = {
    most,
    heads: ['In these', 'In all'],
    records: [sampled.n, beside.n],
  } as const;
  const scope =
    against === ''
      ? html`all ${kind}s`
      : html`all ${kind}s that match <bdi class="query">${visible(against)}</bdi>`;
  return figure({
    ...{ id: 'words', title, file },
    words: html`Words that the matching ${kind}s use more, or less, than ${scope}. Based on samples: ${count(sampled.n)} of ${count(sampled.of)} and ${count(beside.n)} of ${count(beside.of)}. The words of the search itself and English stop words are left out. Shares: how many ${kind}s in each sample use the word. Bars: z-scores of the log-odds.`,
    drawing: html`<div class="sides">${wordList({ ...lists, id: 'more', title: 'Used more', rows: more, search })}${wordList({ ...lists, id: 'less', title: 'Used less', rows: less })}</div>`,
  });
}

interface WordList {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly WordRow[];
  /** The largest |z| of all lists side by side. */
  readonly most: number;
  /** Headings of the two columns. */
  readonly heads: readonly [string, string];
  /** Sizes of the two samples, in records. */
  readonly records: readonly [number, number];
  /** The search link of a word; absent: words are not links. */
  readonly search?: WordsContext['search'];
}

/** A list of words, with the share of each sample's records that have them. */
export function wordList({ id, title, rows, most, heads, records, search }: WordList): Html {
  if (rows.length === 0)
    return html`<div><h3 id="${id}">${title}</h3><p class="hint">No word stands out.</p></div>`;
  return html`<div><h3 id="${id}">${title}</h3><table class="breakdown" aria-labelledby="${id}"><thead><tr><th scope="col"><span class="unseen">Word</span></th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(({ word, z, count: found, count_against: other }) => {
    const shown = html`<bdi>${visible(word)}</bdi>`;
    const width = Math.max(1, Math.round((Math.abs(z) / most) * 1000) / 10);
    return html`<tr><th scope="row"><svg class="${z < 0 ? 'tint less' : 'tint'}" width="${width}%" aria-hidden="true"><rect width="100%" height="100%"/></svg>${search === undefined ? shown : html`<a href="${search(word)}">${shown}</a>`}</th><td>${portion(found / records[0])}</td><td>${portion(other / records[1])}</td></tr>`;
  })}</tbody></table></div>`;
}
