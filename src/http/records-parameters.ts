// The parameters of records by their ids. Contract 5.12.

import { MAX_NAMED_RECORDS } from '../model/named-records.ts';
import type { Kind } from '../model/record.ts';
import { Type } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import { fieldsOf } from './search-parameters.ts';

const most = MAX_NAMED_RECORDS.toLocaleString('en');

/** As given; empty: absent or empty. search/asked-names.ts reads it, by the kind. */
const ids: Parameter<string> = {
  read: (given) => given ?? '',
  schema: Type.String({
    minLength: 1,
    description: [
      'Ids, with or without the prefix of their kind (`t3_`, `t1_`), and permalinks, separated by commas; at most',
      `${most} different ones. An id of the other kind is found nowhere.`,
    ].join(' '),
    examples: ['kofq2a,t3_kofq2b'],
  }),
  documented: { values: `ids and permalinks, separated by commas; at most ${most}`, default: 'required' },
};

/** Of an endpoint. */
export interface RecordsTable {
  readonly ids: Parameter<string>;
  readonly fields: Parameter<string | null>;
  readonly [name: string]: Parameter<unknown>;
}

/** Of each endpoint. */
export const RECORDS_PARAMETERS: Readonly<Record<Kind, RecordsTable>> = {
  post: { ids, fields: fieldsOf('post') },
  comment: { ids, fields: fieldsOf('comment') },
};
