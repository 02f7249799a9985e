// Metrics: families of samples. Plain figures of a part of the program become metrics: the part counts and knows
// nothing of metrics, and a table says what each of its figures is called and means.

/** A name of a label → its value. Values come from small, fixed sets: never from what callers write. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Follows the name of the family: `_bucket`, `_sum`, `_count` of a histogram; absent: nothing. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export interface Family {
  /** With its unit at the end (`_seconds`, `_bytes`), then `_total` if it only rises. */
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly samples: readonly Sample[];
}

type MetricType = 'counter' | 'gauge' | 'histogram';

export type FamilySource = () => readonly Family[] | Promise<readonly Family[]>;

/** A figure: a `counter` only rises while the process runs, a `gauge` goes up and down. */
interface DescribedFigure {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
}

/** One entry for every figure; the types refuse a table that lacks one. */
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
