// The timeline of a comparison, as a plot and a table. Each query has a line with its own pattern and its name at the
// end.

import type { TimelineBars } from '../../../http/addresses.ts';
import { bucketName, FEW, linePlot, OF_FEW, STEP_NAMES } from '../../../http/views/charts.ts';
import { count, counted, percent } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import type { Kind } from '../../../model/record.ts';
import { figure } from '../pictures/figure.ts';
import type { CompareAnswer, Part } from './compare.ts';

export function lineSample(number: number): Html {
  return html`<svg class="sample" width="30" height="12" aria-hidden="true" focusable="false"><path class="line line-${number}" d="M0 6h30"/></svg>`;
}

interface TimelineView {
  readonly kind: Kind;
  readonly bars: TimelineBars;
  readonly names: readonly string[];
  /** Links that switch between counts and shares. */
  readonly choice: Html;
  readonly file: string;
}

export function compareTimeline({ step, series }: CompareAnswer, view: TimelineView): Html {
  const { kind, bars, names, choice, file } = view;
  const title = `Over time, per ${step}`;
  const { buckets } = series[0]!;
  if (buckets.length === 0) return figure({ id: 'timeline', title, words: html`No matches.`, file });
  const value = (part: Part) => (bars === 'count' ? part.count : part.share);
  const label = (one: number | null) => (one === null ? '–' : bars === 'count' ? count(one) : percent(one));
  const isFew = ({ of }: Part) => bars === 'share' && of > 0 && of < FEW;
  const starts = buckets.map(({ start }) => start);
  const lines = series.map((one) => one.buckets.map(value));
  const slots = starts.map((start, at) => ({
    words: `${bucketName(step, start)}: ${series
      .map(({ buckets: own }, i) => {
        const part = own[at]!;
        const found = counted(part.count, kind);
        return `${names[i]} ${bars === 'count' ? found : `${label(part.share)} (${found}${isFew(part) ? OF_FEW : ''})`}`;
      })
      .join(', ')}`,
    isFew: series.some(({ buckets: own }) => isFew(own[at]!)),
  }));
  const few = slots.some((slot) => slot.isFew) ? ` Hatched: fewer than ${FEW} ${kind}s.` : '';
  return figure({
    ...{ id: 'timeline', title, file },
    words: html`${choice}${few}`,
    value: slots.at(-1)!.words,
    drawing: linePlot({ step, starts, lines, slots, label, names }),
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${starts.map((start, at) => html`<tr><th scope="row">${bucketName(step, start)}</th>${lines.map((line, i) => html`<td${isFew(series[i]!.buckets[at]!) ? html` class="few"` : null}>${label(line[at]!)}</td>`)}</tr>`)}</tbody></table>`,
  });
}
