// Queries of an analysis as the caller wrote them: without an implied window, one or several at once.

import { ServiceError } from '../errors.ts';
import { type Interpretation, interpretWithoutWindow } from '../search/language/interpret.ts';

/** A query, and what it means. */
export interface AnalysisQuery extends Omit<Interpretation, 'implied'> {
  /** As the caller wrote it. */
  readonly text: string;
}

/**
 * In their order. Throws what the language refuses, a `before:` without an `after:` too; where there are several, the
 * position says which is meant.
 */
export function readQueries(texts: readonly string[]): AnalysisQuery[] {
  return texts.map((text, number) => {
    try {
      return { text, ...interpretWithoutWindow(text) };
    } catch (error) {
      const isAlone = texts.length === 1;
      if (isAlone || !(error instanceof ServiceError) || error.position === undefined) throw error;
      const position = { query: number, ...error.position };
      throw new ServiceError(error.code, error.message, { position, cause: error });
    }
  });
}

/** The same of one. */
export function readQuery(text: string): AnalysisQuery {
  return readQueries([text])[0]!;
}
