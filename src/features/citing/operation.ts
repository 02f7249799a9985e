// Returns a citation by its id and checks it: `/api/v1/citations/{id}` and `…/check`.

import { MAX_TIME } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { Type } from '../../operation/parameters.ts';
import { CITATION_ID, citationJson, mapKinds, startOf } from './claim.ts';
import { type Check, check, citationOf } from './service.ts';
import { type Citation, MAX_NOTE } from './store.ts';

const count = Type.Count();
const fingerprint = Type.String({ pattern: '^[0-9a-f]{16}$' });

const start = Type.Integer({
  minimum: 0,
  maximum: MAX_TIME,
  description: 'First second of the month, Unix time.',
});

const cited = Type.Object({
  total_count: count,
  fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Of all months together.' }),
  index: Type.Object(
    { fingerprint, records: count },
    'Of all records of the kind, matching or not, when it was cited.',
  ),
  months: Type.Array(
    Type.Object({ start, count: Type.Integer({ minimum: 1 }), fingerprint }),
    'Up; those that have matches, in UTC.',
  ),
});

const CitationSchema = Type.Object(
  {
    type: Type.Literal('citation'),
    id: Type.String({
      pattern: CITATION_ID.source,
      description: 'Made of query, totals and months alone: the same wherever the same query finds the same.',
    }),
    query: Type.String('In canonical form, with the `after:` that a search adds.'),
    kinds: Type.Object(
      { posts: Type.Optional(cited), comments: Type.Optional(cited) },
      'Those that were cited.',
    ),
    time: Type.Count('When it was made, Unix time in seconds.'),
    note: Type.Nullable(Type.String(`At most ${MAX_NOTE} characters.`)),
    software: Type.Object({
      colloquy: Type.String('Its version.'),
      tokenizer: Type.Integer({ minimum: 1, description: 'Another number may find other tokens in a text.' }),
      unicode: Type.String('The version of Unicode that it went by.'),
    }),
    sources: Type.Array(
      Type.Object({
        name: Type.String('Its name, without the folder.'),
        sha256: Type.Nullable(Type.String('Of the file as it was published, in hex; null: not known.')),
        where: Type.Nullable(Type.String('The query of what was taken in; null: everything was.')),
      }),
      'What had been imported, each once, in the order of the imports.',
    ),
  },
  { $id: 'Citation' },
);

const changed = Type.Object({
  total_count: Type.Count('As cited.'),
  now: Type.Count('How many the same query finds now.'),
  months: Type.Array(
    Type.Object({ start, count, now: count }),
    'Those that differ, up; with equal numbers where the records alone are others.',
  ),
});

const CitationCheckSchema = Type.Object(
  {
    type: Type.Literal('citation_check'),
    id: Type.String({ pattern: CITATION_ID.source }),
    holds: Type.Boolean('Whether numbers and fingerprints of every month are equal.'),
    kinds: Type.Object(
      { posts: Type.Optional(changed), comments: Type.Optional(changed) },
      'Those that were cited.',
    ),
  },
  { $id: 'CitationCheck' },
);

export function checkJson({ id }: Pick<Citation, 'id'>, { isSame, kinds }: Check) {
  const told = mapKinds(kinds, ({ cited: total, now, months }) => {
    const listed = months.map((one) => ({ start: startOf(one.month), count: one.cited, now: one.now }));
    return { total_count: total, now, months: listed };
  });
  return { type: 'citation_check' as const, id, holds: isSame, kinds: told };
}

const part = {
  name: 'id',
  schema: Type.String({
    pattern: CITATION_ID.source,
    description: 'The citation.',
    examples: ['clq-c-r1hcXFI2U20Zp0Cu'],
  }),
};

const common = { name: 'citations', part, tag: 'analysis', parameters: {} } as const;

export const operations: readonly Operation[] = [
  operation({
    ...common,
    operationId: 'citation',
    summary: 'What was cited',
    description: [
      'What a query found when it was cited: how many records in each month, with a fingerprint of them, and the',
      'files they came from. The command `cite --verify` checks it against another index.',
    ].join(' '),
    schema: CitationSchema,
    answerWords: 'The citation.',
    needsNoTurn: true,
    run: async (archive, _, { pathParts: { id = '' } }) => ({
      answer: citationJson(citationOf(archive, id)),
    }),
  }),
  operation({
    ...common,
    below: 'check',
    operationId: 'citation_check',
    summary: 'Whether a citation still holds',
    description: 'Runs the same query again, and lists the months that differ from the cited ones.',
    schema: CitationCheckSchema,
    answerWords: 'The result of the check.',
    async run(archive, _, { pathParts: { id = '' }, signal }) {
      const citation = citationOf(archive, id);
      return { answer: checkJson(citation, await check(archive, citation, signal)) };
    },
  }),
];
