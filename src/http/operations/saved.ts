// The shapes of saved searches as JSON Schema, and an example.

import { OLDER_CHOICES } from '../../accounts/saved-searches.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';

const seconds = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}: Unix seconds.` });

const feed = Type.Unsafe({
  type: ['object', 'null'],
  properties: {
    made: seconds('When its address was made'),
    older: Type.Unsafe({
      type: 'string',
      enum: [...OLDER_CHOICES],
      description:
        'Records that were more than 30 days old when they came in: `one` entry an import, `all` each by itself, `none`.',
    }),
  },
  required: ['made', 'older'],
  description: 'null: it has no feed. The address is in no answer.',
});

export const SavedSearchSchema = Type.Object(
  {
    type: Type.Literal('saved_search'),
    id: Type.Integer({ minimum: 1 }),
    name: Type.String(),
    kind: Type.Unsafe({ type: 'string', enum: Object.values(KIND_NAMES) }),
    query: Type.String({ description: 'In canonical form; empty: every record.' }),
    order_by: Type.Unsafe({ type: 'string', enum: [...ORDERS] }),
    created: seconds('When it was saved'),
    seen: Type.Unsafe({
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'The arrival up to which its owner has looked at it: as `since`, it gives what is new; null: never.',
    }),
    feed,
    search: Type.String({ description: 'Address of the endpoint, with query and order.' }),
  },
  { $id: 'SavedSearch' },
);

export const SavedListSchema = Type.Object(
  {
    type: Type.Literal('saved'),
    kind: Type.Null(),
    query: Type.Null(),
    index: Type.Null(),
    saved: Type.Array(Type.Ref('SavedSearch#'), { description: 'Of the account, by id.' }),
  },
  { $id: 'SavedList' },
);
