// The tables of accounts.db. Times are Unix seconds; secrets (keys, links, sessions, recovery codes, tokens of
// feeds) are stored as SHA-256, keys with their first characters as well; the secrets of second factors as they are.

/** `MIGRATIONS[n]` leads from schema version n to n + 1. Never edit one that was released: add another. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE,       -- lower case
    password TEXT,                    -- argon2id in PHC form; null: none set yet
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,                  -- null: never
    revoked INTEGER,                  -- null: not revoked
    last_used INTEGER,                -- null: never
    day INTEGER NOT NULL DEFAULT 0,   -- days since 1970 of the last use, UTC
    requests INTEGER NOT NULL DEFAULT 0, -- on that day
    start TEXT NOT NULL               -- the first characters of the key (keyStart)
  ) STRICT;
  CREATE INDEX keys_of_account ON keys (account);

  CREATE TABLE links (                -- one-time links that set a password; one an account, a new one ends the old
    account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    expires INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    agent TEXT NOT NULL,              -- what the browser calls itself, for the list of sessions
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_of_account ON sessions (account);
  CREATE INDEX sessions_by_use ON sessions (last_used);

  CREATE TABLE secrets (              -- keys that this server signs with; they open no account
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT;

  CREATE TABLE second_factors (
    account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    secret BLOB NOT NULL,             -- as it is, since codes are computed from it
    last_step INTEGER NOT NULL,       -- of the code that was taken last (totp.ts)
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE recovery_codes (       -- those that are not used yet
    account INTEGER NOT NULL REFERENCES second_factors ON DELETE CASCADE,
    hash BLOB NOT NULL,
    PRIMARY KEY (account, hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE saved_searches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,               -- 'post' or 'comment'
    query TEXT NOT NULL,              -- in canonical form
    sort TEXT NOT NULL,               -- the order of its results
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,         -- what its feed says of it, or the switch of the feed
    seen INTEGER,                     -- arrival up to which it was looked at; null: never
    feed_hash BLOB UNIQUE,            -- of the token of its feed; null: it has none
    feed_made INTEGER,
    feed_older TEXT NOT NULL DEFAULT 'one' -- records older than 30 days when they came in: 'one', 'all' or 'none'
  ) STRICT;
  CREATE INDEX saved_searches_of_account ON saved_searches (account);
  `,
];
