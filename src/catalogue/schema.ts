// The tables of catalogue.db. Times are Unix seconds; true is 1, false 0, nothing said null.

/** `MIGRATIONS[n]` leads from schema version n to n + 1. Never changed once released: a change is a further one. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE communities (
    name TEXT PRIMARY KEY,               -- lower case
    operator INTEGER,                    -- the operator's word on nsfw
    record INTEGER,                      -- what the newest dataset row or API record said of nsfw
    record_time INTEGER NOT NULL,        -- created_utc of that record; 0 where record is null
    record_id TEXT NOT NULL,             -- the community's id by such records; empty: none said
    dump INTEGER,                        -- the same three by a dump of communities
    dump_time INTEGER NOT NULL,
    dump_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file TEXT NOT NULL,
    checksum TEXT NOT NULL,
    counts TEXT NOT NULL,                -- JSON
    started INTEGER NOT NULL,
    finished INTEGER                     -- null: broken off
  ) STRICT;

  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
];
