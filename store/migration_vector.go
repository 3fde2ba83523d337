package store

// migrationTo17 adds the vectors of intents. They are computed while the server
// runs, if there is a service that does.
const migrationTo17 = `
CREATE TABLE intent_vector (
  seq     INTEGER PRIMARY KEY REFERENCES intent (seq) ON DELETE CASCADE,
  due_at  INTEGER,
  tries   INTEGER NOT NULL DEFAULT 0,
  model   TEXT NOT NULL DEFAULT '',
  vectors BLOB,
  CHECK ((vectors IS NULL) = (model = '')),
  CHECK (vectors IS NOT NULL OR due_at IS NOT NULL)
) STRICT;
CREATE INDEX intent_vector_due ON intent_vector (due_at) WHERE due_at IS NOT NULL;
`
