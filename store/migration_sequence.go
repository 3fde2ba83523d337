package store

// migrationTo20 keeps which ids of files, and of asks and offers, were given out, so
// that none is used twice.
const migrationTo20 = `
CREATE TABLE sequence (
  name TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sequence (name, last) SELECT 'blob', coalesce(max(id), 0) FROM blob;
INSERT INTO sequence (name, last) SELECT 'intent', coalesce(max(seq), 0) FROM intent;
`
