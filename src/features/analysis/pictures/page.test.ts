import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { instead, someComments } from '../../../../test/helpers.ts';
import { ServiceError } from '../../../errors.ts';
import type { OneOfMany } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { AnalysisContext } from '../../../search/asking.ts';
import { picturesOf } from './page.ts';

const WISH = { kind: 'comment', query: 'solar', under: null } as const;

/** An engine that refuses what `isRefused` says. */
async function withEngine(
  refuse: (question: OneOfMany) => Error | null,
  run: (context: AnalysisContext) => Promise<void>,
): Promise<void> {
  const bodyOf = (i: number) => (i % 2 === 0 ? 'solar panel' : 'roof');
  await using engine = await embeddedEngine(someComments(20, (i) => ({ body: bodyOf(i) })));
  const askAll = (questions: readonly OneOfMany[], ...rest: []) => {
    const error = questions.map(refuse).find((one) => one !== null);
    return error === undefined ? engine.askAll(questions, ...rest) : Promise.reject(error);
  };
  await run({ engine: instead(engine, 'askAll', askAll), config: { queryTimeoutMs: 60_000 } });
}

const codeOf = (answer: unknown) => (answer instanceof ServiceError ? answer.code : null);

describe('pictures of a query', () => {
  it('one that cannot be told leaves the others', () =>
    withEngine(
      ({ words, breakdowns = [] }) =>
        words !== undefined
          ? new ServiceError('query_timeout', 'late')
          : breakdowns.some(({ field }) => field === 'sentiment')
            ? new EngineLimit({ limit: 'not_here', what: 'a breakdown by sentiment' })
            : null,
      async (context) => {
        const { share, sentiment, hours, words } = await picturesOf(context, WISH);
        assert.deepEqual([share, sentiment, hours, words].map(codeOf), [
          ...[null, 'not_on_this_engine', null, 'query_timeout'],
        ]);
      },
    ));

  it('where none can be told, the error is that of the page; so is one that is no limit', async () => {
    const late = new ServiceError('query_timeout', 'late');
    await withEngine(
      () => late,
      (context) => assert.rejects(picturesOf(context, WISH), { code: 'query_timeout' }),
    );
    await withEngine(
      ({ words }) => (words === undefined ? null : new TypeError('a bug')),
      (context) => assert.rejects(picturesOf(context, WISH), TypeError),
    );
  });

  it('posts have no sentiment', () =>
    withEngine(
      () => null,
      async (context) =>
        assert.equal((await picturesOf(context, { kind: 'post', query: '', under: null })).sentiment, null),
    ));
});
