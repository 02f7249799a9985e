-- In accounts.db. Times are Unix seconds. Secrets are stored as SHA-256, those of second factors and of the server as
-- they are.

CREATE TABLE IF NOT EXISTS links (  -- one-time links that set a password; one an account, a new one ends the old
  account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  expires INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS secrets ( -- keys that this server signs with; they open no account
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS second_factors (
  account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  secret BLOB NOT NULL,             -- as it is, since codes are computed from it
  last_step INTEGER NOT NULL,       -- of the code that was taken last (matchingStep)
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS recovery_codes ( -- those that are not used yet
  account INTEGER NOT NULL REFERENCES second_factors ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (account, hash)
) STRICT, WITHOUT ROWID;
