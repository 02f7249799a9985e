-- In accounts.db. Times are Unix seconds; tokens are stored as SHA-256.

CREATE TABLE IF NOT EXISTS saved_searches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,               -- 'post' or 'comment'
  query TEXT NOT NULL,              -- in canonical form
  under TEXT,                       -- of comments: what their posts match; null: whatever the post
  sort TEXT NOT NULL,               -- the order of its results
  created INTEGER NOT NULL,
  changed INTEGER NOT NULL,         -- what its feed says of it, or the switch of the feed
  seen INTEGER,                     -- arrival up to which it was looked at; null: never
  feed_hash BLOB UNIQUE,            -- of the token of its feed; null: it has none
  feed_made INTEGER,
  feed_older TEXT NOT NULL DEFAULT 'one' -- records older than 30 days when they came in: 'one', 'all' or 'none'
) STRICT;
CREATE INDEX IF NOT EXISTS saved_searches_of_account ON saved_searches (account);
