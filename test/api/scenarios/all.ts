// API scenarios as data: every parameter, limit and error code has a row that passes and one just outside.

import { faults, otherPaths, representations } from './answers.ts';
import { cursors, parameters } from './pages.ts';
import { queries } from './queries.ts';
import { endpoints, keys, limits } from './requests.ts';
import type { Scenario } from './scenario.ts';
import { under } from './under.ts';

/** Every row, by group. */
export const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  endpoints,
  parameters,
  cursors,
  queries,
  'under posts': under,
  keys,
  limits,
  representations,
  faults,
  'other paths': otherPaths,
};
