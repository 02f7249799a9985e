// Plain figures of a part of the program become metrics: the part counts and knows nothing of metrics, and a table
// says what each of its figures is called and means.

import type { Family, FamilySource } from './families.ts';

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
