-- The tables of accounts.db, beside those that features keep there (FeatureTables). Times are Unix seconds; keys
-- and sessions are stored as SHA-256, keys with their first characters as well.

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
