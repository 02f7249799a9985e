// When in the week: how many matches were written in each hour of each weekday, in UTC.

import type { BreakdownAnswer } from '../../../analysis/breakdown.ts';
import type { Kind } from '../../../model/record.ts';
import { count, counted, portion } from '../format.ts';
import { type Html, html } from '../html.ts';
import { round } from '../svg.ts';
import { figure } from './figure.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** Of a cell of the drawing. */
const WIDTH = 10;
const HEIGHT = 22;

export function hoursFigure({ rows, total_count: total }: BreakdownAnswer, kind: Kind, file: string): Html {
  const title = 'Weekday and hour, in UTC';
  const counts = rows.map((row) => row.count);
  const most = Math.max(...counts, 0);
  if (most === 0) return figure({ id: 'hours', title, words: html`Nothing matches.`, file });
  const at = (place: number) => `${DAYS[Math.floor(place / 24)]}, ${HOURS[place % 24]}:00`;
  const [busiest, quietest] = [counts.indexOf(most), counts.indexOf(Math.min(...counts))];
  const weekend = counts.slice(5 * 24).reduce((sum, one) => sum + one, 0);
  return figure({
    ...{ id: 'hours', title, file },
    words: html`${counted(total, kind)} by the hour in which they were written: busiest from ${at(busiest)}, ${count(most)}; quietest from ${at(quietest)}, ${count(counts[quietest]!)}. On Saturdays and Sundays: ${portion(weekend / total)}; 2 of 7 days are 28.6%.`,
    drawing: html`<div class="plot week"><div class="scale">${DAYS.map((day) => html`<span>${day.slice(0, 3)}</span>`)}</div>
<svg class="heat" viewBox="0 0 ${24 * WIDTH} ${7 * HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${counts.map((found, place) => cell(found, place, most, at(place)))}</svg>
<svg class="axis" aria-hidden="true" focusable="false">${[0, 6, 12, 18].map((hour) => html`<text x="${round((hour / 24) * 100)}%" y="12">${HOURS[hour]}:00</text>`)}</svg></div>
<figcaption class="key"><span>0 <svg class="swatch heat" width="60" height="12" aria-hidden="true">${[0, 1, 2, 3, 4].map((i) => html`<rect x="${i * 12}" width="12" height="12" fill-opacity="${shade(i / 4)}"/>`)}</svg> ${counted(most, kind)} an hour of the week</span></figcaption>`,
    table: html`<table class="data figures"><thead><tr><th scope="col">From</th>${DAYS.map((day) => html`<th scope="col">${day}</th>`)}</tr></thead>
<tbody>${HOURS.map((hour, i) => html`<tr><th scope="row">${hour}:00</th>${DAYS.map((_, day) => html`<td>${count(counts[day * 24 + i]!)}</td>`)}</tr>`)}</tbody></table>`,
  });
}

function cell(found: number, place: number, most: number, name: string): Html {
  const [x, y] = [(place % 24) * WIDTH, Math.floor(place / 24) * HEIGHT];
  return html`<rect x="${x + 0.3}" y="${y + 1}" width="${WIDTH - 0.6}" height="${HEIGHT - 2}" fill-opacity="${shade(found / most)}"><title>${name}: ${count(found)}</title></rect>`;
}

/** Of 0 there is a trace, so that the week is whole. */
function shade(part: number): number {
  return Math.round((0.05 + 0.95 * part) * 100) / 100;
}
