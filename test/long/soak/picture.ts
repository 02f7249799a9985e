// A soak as a picture: memory, handles and lag over time, one below the other.

import { COLOURS, px, svg, text } from '../../../bench/svg.ts';
import type { Sample } from './server.ts';
import { byMinute } from './slopes.ts';

interface Line {
  readonly name: string;
  readonly of: (sample: Sample) => number;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const PANELS: readonly Panel[] = [
  {
    title: 'memory, MB',
    lines: [
      { name: 'resident', of: ({ rss }) => rss },
      { name: 'heap', of: ({ heap }) => heap },
      { name: 'outside the heap', of: ({ external }) => external },
    ],
  },
  {
    title: 'handles',
    lines: [
      { name: 'open descriptors', of: ({ descriptors }) => descriptors },
      { name: 'threads', of: ({ threads }) => threads },
    ],
  },
  {
    title: 'event loop, ms late',
    lines: [{ name: 'exceeded by 1 %', of: ({ lagP99 }) => lagP99 }],
  },
  {
    title: 'data folder',
    lines: [
      { name: 'MB', of: ({ folder }) => folder },
      { name: 'files', of: ({ files }) => files },
    ],
  },
];

const LEFT = 60;
const RIGHT = 600;
const HEIGHT = 120;
const GAP = 50;

/** Medians of minutes; `warmUp` in seconds, shown by a line. */
export function pictureOf(samples: readonly Sample[], warmUp: number, title: string): string {
  // Whole minutes: that is how the medians stand.
  const last = 60 * Math.max(1, Math.ceil((samples.at(-1)?.seconds ?? 0) / 60));
  const x = (seconds: number) => LEFT + (seconds / last) * (RIGHT - LEFT);
  const panels = PANELS.flatMap((panel, i) => drawn(panel, samples, x, 60 + i * (HEIGHT + GAP)));
  const bottom = 60 + PANELS.length * (HEIGHT + GAP);
  const grid = Array.from({ length: 7 }, (_, i) => (last * i) / 6);
  const times = grid.map((seconds) =>
    text(x(seconds), bottom - GAP + 18, `${(seconds / 60).toFixed(last < 1_800 ? 1 : 0)} min`, 'middle'),
  );
  const warm = `<line x1="${px(x(warmUp))}" x2="${px(x(warmUp))}" y1="56" y2="${bottom - GAP}" class="grid" stroke-dasharray="4"/>`;
  return svg(780, bottom, title, [warm, ...panels, ...times]);
}

function drawn(
  panel: Panel,
  samples: readonly Sample[],
  x: (seconds: number) => number,
  top: number,
): string[] {
  const series = panel.lines.map(({ name, of }) => {
    const points = byMinute(samples.map((sample) => ({ seconds: sample.seconds, value: of(sample) })));
    return { name, points };
  });
  const most = roundedUp(Math.max(1, ...series.flatMap(({ points }) => points.map(({ value }) => value))));
  const y = (value: number) => top + HEIGHT * (1 - value / most);
  const axis = [0, most / 2, most].flatMap((value) => [
    `<line x1="${LEFT}" x2="${RIGHT}" y1="${px(y(value))}" y2="${px(y(value))}" class="grid"/>`,
    text(LEFT - 6, y(value) + 4, String(value), 'end'),
  ]);
  const lines = series.flatMap(({ name, points }, i) => [
    `<polyline points="${points.map(({ seconds, value }) => `${px(x(seconds))},${px(y(value))}`).join(' ')}" fill="none" stroke="${COLOURS[i]}" stroke-width="2"/>`,
    `<rect x="${RIGHT + 16}" y="${top + i * 20}" width="14" height="4" fill="${COLOURS[i]}"/>`,
    text(RIGHT + 36, top + i * 20 + 6, name, 'start'),
  ]);
  return [text(LEFT, top - 8, panel.title, 'start'), ...axis, ...lines];
}

/** To 1, 2 or 5 times a power of ten. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= value)!;
}
