// The page of pictures of one query.

import type { Picture, Pictures } from '../../../analysis/pictures.ts';
import { ServiceError } from '../../../errors.ts';
import type { Word } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import type { Interpretation } from '../../../search/language/interpret.ts';
import { between, writeQuery, writtenItems } from '../../../search/page/edit-query.ts';
import { plainSearch, searchAddress } from '../../addresses/search.ts';
import { type PicturesState, pictureFileAddress, picturesAddress } from '../../addresses/tables.ts';
import { LIST_NAMES } from '../../addresses/written.ts';
import { chips } from '../chips.ts';
import { counted } from '../format.ts';
import { type Html, html } from '../html.ts';
import { wordsOf } from '../record-text.ts';
import { searchForm } from '../search-form.ts';
import { missingFigure } from './figure.ts';
import { hoursFigure } from './hours.ts';
import { sentimentFigure } from './sentiment.ts';
import { shareFigure } from './share.ts';
import { wordsFigure } from './words.ts';

export interface PicturesView {
  readonly state: PicturesState;
  readonly interpretation: Interpretation;
  readonly pictures: Pictures;
}

/** How many records match; null where none of the pictures could tell. */
export function totalOf({ share, hours, words }: Pictures): number | null {
  if (!(share instanceof ServiceError)) return share.series[0]!.total_count;
  if (!(hours instanceof ServiceError)) return hours.total_count;
  return words instanceof ServiceError ? null : words.sampled.of;
}

export function picturesPage({ state, interpretation, pictures }: PicturesView): Html {
  const { kind } = state;
  const items = writtenItems(interpretation);
  const search = (query: string) => searchAddress({ ...plainSearch(query, kind) });
  const file = (which: Picture) => pictureFileAddress(state, which);
  const total = totalOf(pictures);
  const { share, sentiment, hours, words } = pictures;
  const own = wordsOf(interpretation.query);
  const isOwn = (token: string) => own.some((word) => asksFor(word, token));
  return html`${searchForm(plainSearch(state.query, kind))}
${chips(interpretation, (query) => picturesAddress({ ...state, query }))}
<h1 class="apart">Pictures of ${total === null ? LIST_NAMES[kind] : counted(total, kind)}</h1>
<p class="lead"><a href="${search(state.query)}">Back to the ${kind}s</a> <span aria-hidden="true">·</span> <a href="${picturesAddress({ ...state, kind: OTHER[kind] })}">Pictures of the ${OTHER[kind]}s</a></p>
${picture('share', 'Share over time', share, (answer) => shareFigure(answer, { kind, file: file('share'), narrow: (from, to) => search(writeQuery(between(items, from, to))) }))}
${
  sentiment === null
    ? html`<section class="picture" aria-labelledby="sentiment"><h2 id="sentiment">Sentiment over time</h2><p class="told">Only comments are rated. <a href="${picturesAddress({ ...state, kind: 'comment' })}">Pictures of the comments</a></p></section>`
    : picture('sentiment', 'Sentiment over time', sentiment, (answer) =>
        sentimentFigure(answer, file('sentiment')),
      )
}
${picture('hours', 'Weekday and hour', hours, (answer) => hoursFigure(answer, kind, file('hours')))}
${picture('words', 'Distinctive words', words, (answer) => wordsFigure(answer, { kind, isOwn, file: file('words'), search: (word) => search([writeQuery(items), word].filter((part) => part !== '').join(' ')) }))}`;
}

function asksFor(word: Word, token: string): boolean {
  if (word.kind === 'prefix') return token.startsWith(word.prefix);
  return word.kind === 'term' ? word.token === token : word.tokens.includes(token);
}

const OTHER: Readonly<Record<Kind, Kind>> = { post: 'comment', comment: 'post' };

function picture<T>(id: string, title: string, answer: T | ServiceError, draw: (answer: T) => Html): Html {
  return answer instanceof ServiceError ? missingFigure(id, title, answer) : draw(answer);
}
