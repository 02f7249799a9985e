// Answers and times of the engine beside a peer's, class by class: the same queries, each asked once and then measured
// in as many rounds, by one side and then by the other.

import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { percentiles, type Times } from './measure.ts';
import { type ComparedAnswer, comparedAnswer, peerConditions, peerTask } from './peer-questions.ts';
import type { Peer } from './peers.ts';
import type { Task } from './questions.ts';

/** Of one task over the queries of a class. */
export interface AskedPeer {
  readonly times: Times;
  readonly compared: number;
  /** What was different, in words. */
  readonly differences: readonly string[];
}

/** `answers`: the engine's, in the order of the queries. */
export async function askPeer(
  peer: Peer,
  { name, question }: Task,
  queries: readonly Query[],
  answers: readonly Answer[],
  rounds: number,
): Promise<AskedPeer> {
  const task = peerTask(question);
  const response = await peer.ask({ task, rounds, queries: queries.map(peerConditions) });
  const limit = 'limit' in task ? task.limit : Infinity;
  const differences = response.answers.flatMap(({ answer }, i) => {
    const ours = comparedAnswer(answers[i]!, limit);
    const found = difference(ours, answer);
    return found === null ? [] : [`${name} of ${JSON.stringify(queries[i])}: ${found} of ${peer.name}`];
  });
  const times = response.answers.map(({ nanoseconds }) => Math.min(...nanoseconds) / 1e6);
  return { times: percentiles(times), compared: answers.length, differences };
}

/** Where two answers differ first; null: nowhere. */
export function difference(ours: ComparedAnswer, theirs: ComparedAnswer): string | null {
  for (const part of ['total', 'page', 'breakdowns', 'timeline'] as const) {
    const [own, other] = [plain(ours[part]), plain(theirs[part])];
    if (!isDeepStrictEqual(own, other)) {
      return `${part} is ${JSON.stringify(own)}, found ${JSON.stringify(other)}`;
    }
  }
  return null;
}

function plain(part: unknown): unknown {
  return part === undefined ? undefined : JSON.parse(JSON.stringify(part));
}
