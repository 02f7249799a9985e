// The table of communities: what the operator, records and dumps said of each.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Claim, type ClaimSource, joinClaims, NO_CLAIM, sameClaims } from '../model/claims.ts';
import type { CommunityKnowledge } from '../model/community.ts';
import { row } from '../sqlite/rows.ts';
import { inTransaction } from '../sqlite/transaction.ts';

interface CommunityClaims extends Readonly<Record<ClaimSource, Claim>> {
  readonly operator: boolean | null;
}

interface CommunityRow {
  readonly name: string;
  readonly operator: number | null;
  readonly record: number | null;
  readonly record_time: number;
  readonly record_id: string;
  readonly dump: number | null;
  readonly dump_time: number;
  readonly dump_id: string;
}

const NOTHING_SAID: CommunityClaims = { operator: null, record: NO_CLAIM, dump: NO_CLAIM };

/** Names are given in lower case. */
export class CommunityStore {
  readonly #database: DatabaseSync;
  readonly #one: StatementSync;
  readonly #put: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#one = database.prepare('SELECT * FROM communities WHERE name = ?');
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO communities
         (name, operator, record, record_time, record_id, dump, dump_time, dump_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** undefined: nothing is known about it. Takes some microseconds. */
  knowledge(name: string): CommunityKnowledge | undefined {
    const said = this.#read(name);
    if (said === undefined) return undefined;
    const { operator, record, dump } = said;
    const id = dump.id || record.id;
    const saysNothing = (operator ?? record.nsfw ?? dump.nsfw) === null && id === '';
    return saysNothing ? undefined : { operator, record: record.nsfw, dump: dump.nsfw, id };
  }

  setOperator(name: string, operator: boolean | null): void {
    inTransaction(this.#database, () => {
      this.#write(name, { ...(this.#read(name) ?? NOTHING_SAID), operator });
    });
  }

  /** All claims or none. Takes the write lock only if something changes. */
  join(source: ClaimSource, claims: ReadonlyMap<string, Claim>): void {
    if (this.#changes(source, claims).length === 0) return;
    inTransaction(this.#database, () => {
      // Read again: another process may have written before the lock was ours.
      for (const [name, said] of this.#changes(source, claims)) this.#write(name, said);
    });
  }

  #changes(source: ClaimSource, claims: ReadonlyMap<string, Claim>): [string, CommunityClaims][] {
    const changes: [string, CommunityClaims][] = [];
    for (const [name, claim] of claims) {
      const said = this.#read(name) ?? NOTHING_SAID;
      const joined = joinClaims(said[source], claim);
      if (!sameClaims(joined, said[source])) changes.push([name, { ...said, [source]: joined }]);
    }
    return changes;
  }

  #read(name: string): CommunityClaims | undefined {
    const known = row<CommunityRow>(this.#one, name);
    if (known === undefined) return undefined;
    return {
      operator: asBoolean(known.operator),
      record: { nsfw: asBoolean(known.record), time: known.record_time, id: known.record_id },
      dump: { nsfw: asBoolean(known.dump), time: known.dump_time, id: known.dump_id },
    };
  }

  #write(name: string, { operator, record, dump }: CommunityClaims): void {
    const ofRecord = [asInteger(record.nsfw), record.time, record.id] as const;
    const ofDump = [asInteger(dump.nsfw), dump.time, dump.id] as const;
    this.#put.run(name, asInteger(operator), ...ofRecord, ...ofDump);
  }
}

function asBoolean(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function asInteger(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
