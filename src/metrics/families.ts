// Metrics as Prometheus reads them: families of samples, and their text.
// https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4)

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
