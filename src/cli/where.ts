// `--where QUERY`: which records of a source are wanted.

import { ServiceError, UsageError } from '../errors.ts';
import type { Where } from '../ingest/where.ts';
import { interpretWithoutWindow } from '../search/language/interpret.ts';

/**
 * The query, told on standard error as it was understood. Throws a UsageError that says where it is wrong.
 */
export function readWhere(text: string): Where {
  const { query, echo } = interpreted(text);
  if (query.items.length === 0) {
    throw new UsageError('expected a query after `--where`, found none');
  }
  process.stderr.write(`query: ${echo}\n`);
  return { query, text: echo };
}

function interpreted(text: string): ReturnType<typeof interpretWithoutWindow> {
  try {
    return interpretWithoutWindow(text);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const place = `\`--where\`, at character ${error.position.offset + 1}`;
    throw new UsageError(`${place}: ${error.message}`, { cause: error });
  }
}
