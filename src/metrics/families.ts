// Metrics as Prometheus reads them: families of samples, and their text.
// https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4)

import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../log.ts';

/** A name of a label → its value. Values come from small, fixed sets: never from what callers write. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Follows the name of the family: `_bucket`, `_sum`, `_count` of a histogram; absent: nothing. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export interface Family {
  /** With the unit at its end (`_seconds`, `_bytes`), and `_total` behind that where it only rises. */
  readonly name: string;
  /** One line. */
  readonly help: string;
  readonly type: MetricType;
  readonly samples: readonly Sample[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** Families at this moment: read when somebody asks for the metrics. */
export type FamilySource = () => readonly Family[] | Promise<readonly Family[]>;

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** In the order given; a family without samples is left out. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        (sample) => `${name}${sample.suffix ?? ''}${inBraces(sample.labels)} ${numeral(sample.value)}\n`,
      );
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

function inBraces(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numeral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

// Plain figures of a part of the program become metrics: the part counts and knows nothing of metrics, and a table
// says what each of its figures is called and means.

/** A figure of a part: `counter` only rises while the process runs, `gauge` goes up and down. */
export interface DescribedFigure {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  /** One line. */
  readonly help: string;
}

/** Of every figure of the part; the types refuse a table that lacks one. */
export type FigureTable<Figures> = { readonly [Name in keyof Figures]: DescribedFigure };

/** `read` is called when somebody asks for the metrics. */
export function describedFigures<Figures extends { readonly [Name in keyof Figures]: number }>(
  table: FigureTable<Figures>,
  read: () => Figures,
): FamilySource {
  const rows = Object.entries(table) as [keyof Figures, DescribedFigure][];
  return () => {
    const figures = read();
    return rows.map(
      ([figure, described]): Family => ({ ...described, samples: [{ value: figures[figure] }] }),
    );
  };
}

// Metrics that have to be asked for elsewhere, where an answer can take its time: who reads them waits for a moment,
// and then gets what was known last.

/** Milliseconds that a reader waits. */
const PATIENCE_MS = 1000;

/** Nothing until `source` has answered for the first time. What it throws is logged. */
export function lastKnown(source: FamilySource, patienceMs = PATIENCE_MS): FamilySource {
  let known: readonly Family[] = [];
  let underWay: Promise<void> | null = null;
  const ask = async () => {
    try {
      known = await source();
    } catch (error) {
      log.error({ err: error }, 'figures for the metrics cannot be had');
    }
  };
  return async () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    const patience = new AbortController();
    const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([underWay, tired]);
    patience.abort();
    return known;
  };
}
