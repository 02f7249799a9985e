// Records as the JSON of the API, with their communities as records show them: what else is known of these is known
// elsewhere. An engine loads it into the threads that answer (model/export.ts); the fields are those of the
// presenter.

import type { Community } from '../model/community.ts';
import type { FoundRecords, PrintedRecords, PrintOptions } from '../model/export.ts';
import { chooseFields, presentCommunity, presentRecord, type Surroundings } from './presenter.ts';

/** Address of this module, for an engine. */
export const RECORD_PRINTER = import.meta.url;

const UTF8 = new TextEncoder();

/** Stands before each community, and in no text: there, every quotation mark has a backslash before it. */
const NAME = '"subreddit":';
const BEFORE = Buffer.from(`${NAME}{`);

const NO_EVIDENCE: Surroundings['evidence'] = new Map();
const NO_KNOWLEDGE: Surroundings['knowledge'] = new Map();
const NOWHERE = new Uint32Array(0);

type Named = Pick<PrintedRecords, 'of' | 'communities'>;

/** The JSON of a list of these records, without its brackets. */
export function printRecords(found: FoundRecords, { fields, permalinkBase }: PrintOptions): PrintedRecords {
  const { records, arrived } = found;
  const { of, communities } = communitiesOf(found);
  const whole = records.map((record, i) => {
    const presented = presentRecord(record, communities[of[i]!]!, permalinkBase);
    return fields === null ? presented : chooseFields(presented, record, fields, arrived?.[i] ?? null);
  });
  const bytes = UTF8.encode(JSON.stringify(whole).slice(1, -1));
  if (fields !== null && !fields.includes('subreddit'))
    return { bytes, places: NOWHERE, of: NOWHERE, communities: [] };
  return { bytes, places: placesIn(bytes, records.length), of, communities };
}

function placesIn(bytes: Uint8Array<ArrayBuffer>, count: number): Uint32Array {
  const text = Buffer.from(bytes.buffer);
  const places = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at = text.indexOf(BEFORE, at) + NAME.length;
    places[i] = at;
  }
  return places;
}

function communitiesOf({ records, evidence = NO_EVIDENCE }: FoundRecords): Named {
  const surroundings = { evidence, knowledge: NO_KNOWLEDGE };
  const of = new Uint32Array(records.length);
  const communities: Community[] = [];
  const ids: string[] = [];
  const numbers = new Map<string, number>();
  for (let i = 0; i < records.length; i++) {
    const { community: name, communityId: id } = records[i]!;
    let key = name;
    let number = numbers.get(key);
    if (number !== undefined && ids[number] !== id) {
      key = `${name} ${id}`;
      number = numbers.get(key);
    }
    if (number === undefined) {
      number = communities.push(presentCommunity({ name, id }, surroundings)) - 1;
      ids.push(id);
      numbers.set(key, number);
    }
    of[i] = number;
  }
  return { of, communities };
}
