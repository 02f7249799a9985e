// Breakdowns to compare engines by: every field, with and without what their rows come to.

import { type BreakdownField, type BreakdownRequest, isName } from '../src/model/engine.ts';
import { TIMELINE_STEPS } from '../src/model/timeline.ts';
import type { EngineHarness } from './engine-harness.ts';

const FIELDS: readonly BreakdownField[] = [
  ...(['community', 'domain', 'score', 'sentiment', 'weekday_hour', 'copies'] as const),
];

/** A request made of this number, of what the engine knows. */
export function breakdownRequest(seed: number, knows: EngineHarness['knows'] = {}): BreakdownRequest {
  const isUnknown = (field: BreakdownField) =>
    (field === 'copies' && knows.copies === false) || (field === 'sentiment' && knows.sentiment === false);
  const fields = FIELDS.filter((field) => !isUnknown(field));
  const field = fields[seed % fields.length]!;
  const other = Math.floor(seed / fields.length);
  const step = TIMELINE_STEPS[1 + (other % (TIMELINE_STEPS.length - 1))]!;
  return {
    ...{ field, size: [1, 2, 5, 100][other % 4]! },
    ...(isName(field) && { skip: other % 3, prefix: 's'.repeat((other >> 3) % 2) }),
    ...(field === 'copies' && { skip: other % 2 }),
    ...(other % 2 === 0 && { distinct: true }),
    ...(other % 3 !== 0 && knows.sentiment !== false && { measure: 'sentiment' }),
    ...(other % 5 !== 0 && field !== 'copies' && { by: step }),
  };
}
