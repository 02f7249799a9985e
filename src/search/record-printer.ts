// Records as the JSON of the API, but for what is known of their communities. An engine loads it into the threads that
// answer (model/printed-records.ts); the fields are those of the presenter.

import type { ArrivalTime } from '../model/arrival-time.ts';
import type { Community } from '../model/community.ts';
import type { PrintedCommunity, PrintedRecords, PrintOptions } from '../model/printed-records.ts';
import type { StoredRecord } from '../model/record.ts';
import { presentRecord } from './presenter.ts';
import { chooseFields } from './record-fields.ts';

/** Address of this module, for an engine. */
export const RECORD_PRINTER = import.meta.url;

const UTF8 = new TextEncoder();

/** Written for each community: a sign that few texts have, so that its place is found fast. */
const GAP = '\u007f';
/** Stands before it, and in no text: there, every quotation mark has a backslash before it. */
const BEFORE = '"subreddit":"';

/** The JSON of a list of these records, without its brackets. */
export function printRecords(
  records: readonly StoredRecord[],
  arrived: readonly ArrivalTime[] | undefined,
  { fields, permalinkBase }: PrintOptions,
): PrintedRecords {
  const whole = records.map((record, i) => {
    const presented = presentRecord(record, GAP as unknown as Community, permalinkBase);
    return fields === null ? presented : chooseFields(presented, record, fields, arrived?.[i] ?? null);
  });
  const bytes = UTF8.encode(JSON.stringify(whole).slice(1, -1));
  const gaps = fields === null || fields.includes('subreddit') ? gapsIn(bytes, records.length) : NO_GAPS;
  return { bytes, gaps, ...communitiesOf(gaps.length === 0 ? [] : records) };
}

const NO_GAPS = new Uint32Array(0);

/** Of the quotation mark before each sign. */
function gapsIn(bytes: Uint8Array<ArrayBuffer>, count: number): Uint32Array {
  const text = Buffer.from(bytes.buffer);
  const sign = GAP.charCodeAt(0);
  const gaps = new Uint32Array(count);
  let found = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
    if (text.toString('latin1', at - BEFORE.length, at) === BEFORE) gaps[found++] = at - 1;
  }
  return gaps;
}

function communitiesOf(records: readonly StoredRecord[]): Pick<PrintedRecords, 'of' | 'communities'> {
  const of = new Uint32Array(records.length);
  const communities: PrintedCommunity[] = [];
  const places = new Map<string, number>();
  for (const [i, { community: name, communityId: id }] of records.entries()) {
    let place = places.get(name);
    if (place !== undefined && communities[place]!.id !== id) place = places.get(`${name} ${id}`);
    if (place === undefined) {
      place = communities.push({ name, id }) - 1;
      places.set(places.has(name) ? `${name} ${id}` : name, place);
    }
    of[i] = place;
  }
  return { of, communities };
}
