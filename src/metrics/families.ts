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
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export type FamilySource = () => readonly Family[] | Promise<readonly Family[]>;

/** One without labels, or samples. What only rises ends in `_total`, and is a counter. */
export function family(name: string, help: string, of: number | readonly Sample[]): Family {
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  return { name, help, type, samples: typeof of === 'number' ? [{ value: of }] : of };
}

/** One entry for every figure; the types refuse a table that lacks one. */
export type FigureTable<Figures> = {
  readonly [Name in keyof Figures]: readonly [name: string, help: string];
};

/** `read` is called when somebody asks for the metrics. */
export function describedFigures<Figures extends { readonly [Name in keyof Figures]: number }>(
  table: FigureTable<Figures>,
  read: () => Figures,
): FamilySource {
  return () => {
    const figures = read();
    return Object.entries<readonly [string, string]>(table).map(([figure, [name, help]]) =>
      family(name, help, figures[figure as keyof Figures]),
    );
  };
}
