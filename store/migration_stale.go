package store

// migrationTo24 has the words of long documents leave the index in parts.
const migrationTo24 = `
CREATE TABLE message_stale (
  id    INTEGER PRIMARY KEY,
  words TEXT NOT NULL
) STRICT;
`
