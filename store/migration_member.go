package store

// migrationTo9 keeps who left a group or was removed from it, and who may add an
// account to groups.
const migrationTo9 = `
ALTER TABLE user ADD COLUMN group_adds TEXT NOT NULL DEFAULT 'everybody' CHECK (group_adds IN ('everybody', 'friends', 'nobody'));

CREATE TABLE former_member (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  removed         INTEGER NOT NULL CHECK (removed IN (0, 1)),
  at              INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_member_user ON former_member (user_id);
`
