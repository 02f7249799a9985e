import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';
import { START } from './formats/block.ts';
import { checkpointOf, readResumption, resumePlace } from './resume.ts';

const at = (offset: number) => ({ offset, line: offset / 10 });

/** What two kinds committed last. */
function committed(states: Partial<Record<Kind, string>>): Pick<SearchEngine, 'checkpoints'> {
  return {
    checkpoints: async (kind) => {
      const state = states[kind];
      return new Map(state === undefined ? [] : [['s', state]]);
    },
  };
}

const state = (post: number, comment: number, where: string | null = null) =>
  checkpointOf('s', { post: at(post), comment: at(comment) }, where).state!;

type States = Partial<Record<Kind, string>>;

const CASES: [rule: string, states: States, covered: [number, number], resume: number][] = [
  ['nothing was committed', {}, [0, 0], 0],
  ['one kind alone: the other has nothing up to there', { comment: state(50, 50) }, [50, 50], 50],
  ['both at one place', { post: state(50, 20), comment: state(50, 50) }, [50, 50], 50],
  ['broken between the two kinds', { post: state(50, 20), comment: state(20, 20) }, [50, 20], 20],
  ['read to its end once, broken off the second time', { comment: state(30, 30) }, [30, 30], 30],
];

for (const [rule, states, [post, comment], resume] of CASES) {
  test(`resume: ${rule}`, async () => {
    const { covered, isOfOther } = await readResumption(committed(states), 's', null);
    assert.equal(isOfOther, false);
    const placeOf = (offset: number) => (offset === 0 ? START : at(offset));
    assert.deepEqual(covered, { post: placeOf(post), comment: placeOf(comment) });
    assert.equal(resumePlace(covered).offset, resume);
  });
}

const OTHERS: [rule: string, states: States, where: string | null, resume: number, isOfOther: boolean][] = [
  ['one with a query, and none now', { post: state(50, 50, 'solar') }, null, 0, true],
  ['one without, and a query now', { post: state(50, 50) }, 'solar', 0, true],
  ['another query', { post: state(50, 50, 'solar') }, 'wind', 0, true],
  ['the same query', { post: state(50, 50, 'solar') }, 'solar', 50, false],
  ['another in one kind', { post: state(90, 90), comment: state(30, 30, 'solar') }, 'solar', 30, false],
  ['none', {}, 'solar', 0, false],
];

for (const [rule, states, where, resume, expected] of OTHERS) {
  test(`an import goes on only where it took the same records in: ${rule}`, async () => {
    const { covered, isOfOther } = await readResumption(committed(states), 's', where);
    assert.equal(resumePlace(covered).offset, resume);
    assert.equal(isOfOther, expected);
  });
}
