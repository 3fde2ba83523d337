package store

// migrationTo14 adds who found whom by the exact address. Those who found somebody
// with an older version search again.
const migrationTo14 = `
CREATE TABLE found_person (
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  found_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, found_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX found_person_found ON found_person (found_id, user_id);
`
