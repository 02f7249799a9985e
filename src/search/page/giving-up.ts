// Going on without an answer: a page shows what it was asked for though what stands beside it cannot be had.

import { type ProblemCode, ServiceError } from '../../errors.ts';
import { IndexDamage } from '../../model/damage.ts';
import { EngineLimit } from '../../model/engine-errors.ts';

const LIMITS: readonly ProblemCode[] = ['query_timeout', 'busy'];

/** null where this question alone cannot be answered: a limit was reached, or its kind is damaged. */
export async function orGiveUp<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const isTime = error instanceof ServiceError && LIMITS.includes(error.code);
    if (isTime || error instanceof EngineLimit || error instanceof IndexDamage) return null;
    throw error;
  }
}

/** The damage in place of the answer where its kind cannot be read. Rejects for all else. */
export async function orDamage<T>(answer: Promise<T>): Promise<T | IndexDamage> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IndexDamage) return error;
    throw error;
  }
}
