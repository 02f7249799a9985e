// The shape of a citation as JSON Schema, and an example of one, for OpenAPI and the reference.

import type { CitationJson } from '../../citing/citation-json.ts';
import { CITATION_ID, citationId } from '../../citing/cited-answer.ts';
import { MAX_NOTE } from '../../model/catalogue.ts';
import { Type } from '../../operation/json-schema.ts';

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

const ANSWER = {
  query: 'solar,/r/energy,after:2020-01-01',
  kinds: {
    comments: {
      total: 12_408,
      fingerprint: '3d7eb5588e3293a7',
      index: { fingerprint: '9a0364b9e99bb480', records: 1_234_567 },
      months: [
        { month: '2020-01', count: 12_000, fingerprint: '1d7eb5588e3293a0' },
        { month: '2020-02', count: 408, fingerprint: '2000000000000007' },
      ],
    },
  },
};

export const EXAMPLE_CITATION: CitationJson = {
  ...{ type: 'citation', id: citationId(ANSWER), ...ANSWER },
  time: 1_795_305_600,
  note: 'Table 2',
  software: { colloquy: '1.2.0', tokenizer: 1, unicode: '17.0' },
  sources: [
    {
      file: 'RC_2020-01.zst',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      where: null,
    },
  ],
};
