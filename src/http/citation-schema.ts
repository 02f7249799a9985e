// The shape of a citation as JSON Schema.

import { CITATION_ID } from '../citing/cited-answer.ts';
import { MAX_NOTE } from '../model/citation.ts';
import { Type } from './json-schema.ts';

const count = Type.Integer({ minimum: 0 });
const fingerprint = Type.String({ pattern: '^[0-9a-f]{16}$' });

function textOrNull(description: string) {
  return Type.Unsafe({ type: ['string', 'null'], description });
}

const cited = Type.Object({
  total: count,
  fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Of all months together.' }),
  index: Type.Object(
    { fingerprint, records: count },
    { description: 'Of all records of the kind, matching or not, when it was cited.' },
  ),
  months: Type.Array(
    Type.Object({
      month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$' }),
      count: Type.Integer({ minimum: 1 }),
      fingerprint,
    }),
    { description: 'Up; those that have matches, in UTC.' },
  ),
});

export const CitationSchema = Type.Object(
  {
    type: Type.Literal('citation'),
    id: Type.String({
      pattern: CITATION_ID.source,
      description: 'Made of query, totals and months alone: the same wherever the same query finds the same.',
    }),
    query: Type.String({ description: 'In canonical form, with the `after:` that a search adds.' }),
    kinds: Type.Object(
      { posts: Type.Optional(cited), comments: Type.Optional(cited) },
      { description: 'Those that were cited.' },
    ),
    time: Type.Integer({ minimum: 0, description: 'When it was made, Unix time in seconds.' }),
    note: textOrNull(`At most ${MAX_NOTE} characters.`),
    software: Type.Object({
      colloquy: Type.String({ description: 'Its version.' }),
      tokenizer: Type.Integer({ minimum: 1, description: 'Another number may find other tokens in a text.' }),
      unicode: Type.String({ description: 'The version of Unicode that it went by.' }),
    }),
    sources: Type.Array(
      Type.Object({
        file: Type.String({ description: 'Its name, without the folder.' }),
        sha256: textOrNull('Of the file as it was published, in hex; null: not known.'),
        where: textOrNull('The query of what was taken in; null: everything was.'),
      }),
      { description: 'What had been imported, each once, in the order of the imports.' },
    ),
  },
  { $id: 'Citation' },
);
