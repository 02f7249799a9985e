// The tables of catalogue.db, beside those that features keep there (FeatureTables). Times are Unix seconds; true
// is 1, false 0, nothing said null.

/** `MIGRATIONS[n]` leads from schema version n to n + 1. Never edit one that was released: add another. */
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
    finished INTEGER,                    -- null: broken off
    query TEXT,                          -- of what was taken in, in canonical form; null: everything was
    name TEXT,                           -- as file, without its folder; null: not known
    sha256 TEXT,                         -- in hex, of the file as it was published; null: not known
    bytes INTEGER,                       -- of that file
    format TEXT,                         -- ndjson.zst, csv.gz …
    kind TEXT,                           -- posts, comments, both, communities; null: nothing was taken in
    first INTEGER,                       -- creation of the first record that was taken in; null: there is none
    last INTEGER
  ) STRICT;

  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE removals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,               -- posts, comments, community, query
    with_comments INTEGER NOT NULL,
    state TEXT NOT NULL,                 -- listing, pending, done, undoing, undone
    begun INTEGER NOT NULL,
    listed INTEGER NOT NULL,             -- entries
    posts INTEGER NOT NULL,              -- records that it took out of the answers
    comments INTEGER NOT NULL,
    erased INTEGER,                      -- when the purge began that erased them; null: none yet
    undone INTEGER                       -- null: it holds
  ) STRICT;

  CREATE TABLE removal_entries (
    class INTEGER NOT NULL,              -- 0 a post, 1 a comment, 2 a community, 3 the comments of a post
    hash BLOB NOT NULL,                  -- first half of the HMAC-SHA256 of class and id or name
    removal INTEGER NOT NULL,
    PRIMARY KEY (class, hash, removal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE removal_list (
    version INTEGER NOT NULL,            -- goes up whenever other records are refused
    key BLOB                             -- of the HMACs; null until the first removal
  ) STRICT;
  INSERT INTO removal_list VALUES (0, NULL);

  CREATE TABLE knowledge (
    generation INTEGER NOT NULL          -- see Catalogue.generation; 0: nothing is known
  ) STRICT;
  INSERT INTO knowledge VALUES (0);

  CREATE TABLE removal_months (          -- what a removal did, by creation
    removal INTEGER NOT NULL,
    kind TEXT NOT NULL,                  -- post, comment
    month INTEGER NOT NULL,              -- its first second
    hidden INTEGER NOT NULL,             -- records that it took out of the answers
    back INTEGER NOT NULL,               -- records that its undo brought back
    PRIMARY KEY (removal, kind, month)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE import_arrivals (         -- what came in with an import
    import INTEGER NOT NULL,             -- its id
    kind TEXT NOT NULL,                  -- post, comment
    first INTEGER NOT NULL,              -- arrivals, as the index numbers them
    last INTEGER NOT NULL,
    PRIMARY KEY (import, kind)
  ) STRICT, WITHOUT ROWID;
  `,
];
