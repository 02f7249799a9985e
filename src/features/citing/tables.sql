CREATE TABLE IF NOT EXISTS citations (
  id TEXT PRIMARY KEY,
  answer TEXT NOT NULL,                -- JSON, as origin and place
  origin TEXT NOT NULL,
  note TEXT,
  place TEXT NOT NULL,
  made INTEGER NOT NULL,
  account INTEGER                      -- the id of who made it; null: the operator
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS citations_by_account ON citations (account);
