// Metrics: families of samples. A part of the program counts; a table says what each of its figures is called.

/** A name of a label → its value. Values come from small, fixed sets: never from what callers write. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface Family {
  /** With its unit at the end (`_seconds`, `_bytes`), then `_total` if it only rises: such a family is a counter. */
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export type FamilySource = () => readonly Family[] | Promise<readonly Family[]>;

export function family(name: string, help: string, of: number | readonly Sample[]): Family {
  return { name, help, samples: typeof of === 'number' ? [{ value: of }] : of };
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
