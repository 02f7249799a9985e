// The page of pictures of one query: share over time, sentiment over time, hours of the week, distinctive words. Each
// is an analysis of its own, so that one may fail without the others.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../../errors.ts';
import {
  type AboutSearch,
  PICTURES_PAGE,
  picturesAddress,
  plainSearch,
  readAbout,
  type SearchState,
  searchAddresses,
  tableAddress,
  underPair,
} from '../../../http/addresses.ts';
import { addPageRead, answerAbout, type Visit } from '../../../http/site/respond.ts';
import type { Site } from '../../../http/site/site.ts';
import { round } from '../../../http/views/charts.ts';
import { count, counted, portion } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import type { Page } from '../../../http/views/layout.ts';
import { chips, searchForm } from '../../../http/views/search-form.ts';
import { KIND_NAMES, type Kind, otherKind } from '../../../model/record.ts';
import type { AnalysisContext } from '../../../search/asking.ts';
import { between, writeQuery, writtenItems } from '../../../search/edit-query.ts';
import type { Interpretation } from '../../../search/language/interpret.ts';
import { type BreakdownAnswer, type BreakdownWish, breakdownOf } from '../breakdown.ts';
import { compareAddress } from '../compare/page.ts';
import { timelineOf } from '../timeline.ts';
import { isAskedFor, wordsOf } from '../words.ts';
import { figure, missingFigure, sentimentFigure, shareFigure, wordsFigure } from './figures.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, PICTURES_PAGE, answerPictures);
}

async function answerPictures(visit: Visit): Promise<FastifyReply> {
  const { site } = visit;
  const state = readAbout(visit.here);
  return await answerAbout(visit, searchOf(state), async () => {
    const interpretation = site.archive.search.interpret(state.query);
    // The echo includes the implied window, so the pictures cover what the search page lists.
    const wish = { ...state, query: interpretation.echo };
    const pictures = await picturesOf(site.archive, wish, visit.signal);
    const total = totalOf(pictures);
    const of = total === null ? KIND_NAMES[state.kind] : counted(total, state.kind);
    const page: Page = {
      title: `${state.query === '' ? 'Everything' : state.query} – pictures of ${of}`,
      main: picturesPage(state, interpretation, pictures),
      canonical: picturesAddress(state),
      ...{ section: 'search', mainClass: 'wide' },
    };
    return await visit.send(page);
  });
}

type Picture = keyof Pictures;

/**
 * A ServiceError stands for an analysis that the engine does not support or did not finish in time. `sentiment`: with
 * the step of the timeline; null for posts, which have none.
 */
export type Pictures = Awaited<ReturnType<typeof picturesOf>>;

/** Records sampled for words, and words per list; the page shows fewer. */
const WORD_SAMPLE = 2_000;
const WORD_LIST = 30;

/** No implied window is added to the query. Throws a ServiceError if it is invalid or every analysis fails. */
export async function picturesOf(context: AnalysisContext, wish: AboutSearch, signal?: AbortSignal) {
  const broken = (by: Pick<BreakdownWish, 'field' | 'step'>) =>
    orTold(breakdownOf(context, { ...wish, ...by, ...WHOLE }, signal));
  const [share, hours, words] = await Promise.all([
    orTold(timelineOf(context, { ...wish, queries: [wish.query], ...SHARES }, signal)),
    broken({ field: 'weekday_hour', step: 'none' }),
    orTold(wordsOf(context, { ...wish, against: null, sample: WORD_SAMPLE, limit: WORD_LIST }, signal)),
  ]);
  const chosen = share instanceof ServiceError ? 'year' : share.step;
  // Breakdowns have no step below a day.
  const step = chosen === 'hour' ? 'day' : chosen;
  const sentiment = wish.kind === 'post' ? null : await broken({ field: 'sentiment', step });
  const all = [share, hours, words];
  const failed = all.find((one) => one instanceof ServiceError);
  if (failed instanceof ServiceError && all.every((one) => one instanceof ServiceError)) throw failed;
  return { share, sentiment, hours, words };
}

const SHARES = { step: 'auto', measure: 'count', normalise: 'scope' } as const;
const WHOLE = { limit: 200, after: null, normalise: 'none' } as const;

/** Resolves to the error if the engine hit a limit, so that other pictures still load; rejects for other errors. */
async function orTold<T>(analysis: Promise<{ readonly answer: T }>): Promise<T | ServiceError> {
  try {
    return (await analysis).answer;
  } catch (error) {
    if (error instanceof ServiceError && TOLD.has(error.code)) return error;
    throw error;
  }
}

const TOLD = new Set(['query_timeout', 'busy', 'not_on_this_engine', 'too_many_cells', 'too_many_buckets']);

/** The CSV URL of the analysis behind a picture. `query`: in canonical form; `step`: for sentiment only. */
function fileAddress(which: Picture, { kind, query, under }: AboutSearch, step: string): string {
  const given = Object.entries({ ...FILES[which].given, ...(which === 'sentiment' && { step }) });
  return tableAddress(FILES[which].name, kind, [['query', query], ...underPair(under), ...given]);
}

const FILES: Readonly<
  Record<Picture, { readonly name: string; readonly given: Readonly<Record<string, string>> }>
> = {
  share: { name: 'timeline', given: {} },
  sentiment: { name: 'breakdown', given: { field: 'sentiment', normalise: 'none' } },
  hours: { name: 'breakdown', given: { field: 'weekday_hour', normalise: 'none' } },
  words: { name: 'words', given: { sample: String(WORD_SAMPLE), limit: String(WORD_LIST) } },
};

function searchOf({ query, kind, under }: AboutSearch): SearchState {
  return { ...plainSearch(query, kind), under };
}

/** Number of matching records; null if every analysis that counts them failed. */
export function totalOf({ share, hours, words }: Pictures): number | null {
  if (!(share instanceof ServiceError)) return share.series[0]!.total_count;
  if (!(hours instanceof ServiceError)) return hours.total_count;
  return words instanceof ServiceError ? null : words.sampled.of;
}

function picturesPage(state: AboutSearch, interpretation: Interpretation, pictures: Pictures): Html {
  const { kind, under } = state;
  const items = writtenItems(interpretation);
  const narrowed = between(items);
  const search = searchAddresses(searchOf(state));
  const { sentiment: moods } = pictures;
  const step = moods === null || moods instanceof ServiceError ? 'month' : moods.step!;
  const file = (which: Picture) => fileAddress(which, { ...state, query: interpretation.echo }, step);
  const total = totalOf(pictures);
  const { share, sentiment, hours, words } = pictures;
  const below = { under, address: picturesAddress({ ...state, under: null }) };
  const isOwn = isAskedFor(interpretation.query);
  return html`${searchForm(searchOf(state))}
${chips(interpretation, (query) => picturesAddress({ ...state, query }), below)}
<h1 class="apart">Pictures of ${total === null ? KIND_NAMES[kind] : counted(total, kind)}</h1>
<p class="lead"><a href="${search(state.query)}">Back to the ${kind}s</a> <span aria-hidden="true">·</span> <a href="${picturesAddress({ ...state, kind: otherKind(kind) })}">Pictures of the ${otherKind(kind)}s</a>${under === null ? html` <span aria-hidden="true">·</span> <a href="${compareAddress({ kind, queries: [state.query] })}">Compare with another search</a>` : null}</p>
${picture('share', 'Share over time', share, (answer) => shareFigure(answer, { kind, file: file('share'), narrow: (from, to) => search(narrowed(from, to)) }))}
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

function picture<T>(id: string, title: string, answer: T | ServiceError, draw: (answer: T) => Html): Html {
  return answer instanceof ServiceError ? missingFigure(id, title, answer) : draw(answer);
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

const WIDTH = 10;
const HEIGHT = 22;

function hoursFigure({ rows, total_count: total }: BreakdownAnswer, kind: Kind, file: string): Html {
  const title = 'Weekday and hour, in UTC';
  const counts = rows.map((row) => row.count);
  const most = Math.max(...counts, 0);
  if (most === 0) return figure({ id: 'hours', title, words: html`No matches.`, file });
  const at = (place: number) => `${DAYS[Math.floor(place / 24)]}, ${HOURS[place % 24]}:00`;
  const [busiest, quietest] = [counts.indexOf(most), counts.indexOf(Math.min(...counts))];
  const weekend = counts.slice(5 * 24).reduce((sum, one) => sum + one, 0);
  return figure({
    ...{ id: 'hours', title, file },
    words: html`${counted(total, kind)} by the hour they were written. Quietest: ${at(quietest)}, ${count(counts[quietest]!)}. On Saturdays and Sundays: ${portion(weekend / total)}; an even spread would be 28.6%.`,
    value: `${at(busiest)}: ${counted(most, kind)}`,
    drawing: html`<div class="plot week"><div class="scale">${DAYS.map((day) => html`<span>${day.slice(0, 3)}</span>`)}</div>
<svg class="heat" viewBox="0 0 ${24 * WIDTH} ${7 * HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${counts.map((found, place) => cell(found, place, most, at(place), kind))}</svg>
<svg class="axis" aria-hidden="true" focusable="false">${[0, 6, 12, 18].map((hour) => html`<text x="${round((hour / 24) * 100)}%" y="12">${HOURS[hour]}:00</text>`)}</svg></div>
<figcaption class="key"><span>0 <svg class="swatch heat" width="60" height="12" aria-hidden="true">${[0, 1, 2, 3, 4].map((i) => html`<rect x="${i * 12}" width="12" height="12" fill-opacity="${shade(i / 4)}"/>`)}</svg> ${counted(most, kind)} per hour of the week</span></figcaption>`,
    table: html`<table class="data figures"><thead><tr><th scope="col">From</th>${DAYS.map((day) => html`<th scope="col">${day}</th>`)}</tr></thead>
<tbody>${HOURS.map((hour, i) => html`<tr><th scope="row">${hour}:00</th>${DAYS.map((_, day) => html`<td>${count(counts[day * 24 + i]!)}</td>`)}</tr>`)}</tbody></table>`,
  });
}

function cell(found: number, place: number, most: number, name: string, kind: Kind): Html {
  const [x, y] = [(place % 24) * WIDTH, Math.floor(place / 24) * HEIGHT];
  return html`<rect x="${x + 0.3}" y="${y + 1}" width="${WIDTH - 0.6}" height="${HEIGHT - 2}" fill-opacity="${shade(found / most)}"><title>${name}: ${counted(found, kind)}</title></rect>`;
}

/** Opacity; 0 matches still leave a trace, so that the grid is complete. */
function shade(part: number): number {
  return Math.round((0.05 + 0.95 * part) * 100) / 100;
}
