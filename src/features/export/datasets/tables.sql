CREATE TABLE IF NOT EXISTS datasets (
  name TEXT PRIMARY KEY,
  kinds TEXT NOT NULL,                 -- JSON, as formats: a list
  query TEXT NOT NULL,                 -- in canonical form
  title TEXT,
  licence TEXT,
  formats TEXT NOT NULL,
  split_every INTEGER,
  state TEXT NOT NULL,                 -- new, published, withdrawn
  created INTEGER NOT NULL,
  edition INTEGER NOT NULL,            -- of the files that were published last; 0: none yet
  wanted INTEGER NOT NULL,             -- the edition that should be there
  withdrawn INTEGER NOT NULL DEFAULT 0 -- the last edition that was; 0: none yet
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS dataset_losses (          -- which removals took records out of a data set
  name TEXT NOT NULL,
  removal INTEGER NOT NULL,
  PRIMARY KEY (name, removal)
) STRICT, WITHOUT ROWID;
