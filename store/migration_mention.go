package store

// migrationTo12 adds the members whom messages name. Earlier messages mention
// nobody.
const migrationTo12 = `
ALTER TABLE message ADD COLUMN mentioned INTEGER NOT NULL DEFAULT 0 CHECK (mentioned IN (0, 1));

CREATE TABLE mention (
  conversation_id TEXT NOT NULL,
  message_at      INTEGER NOT NULL,
  start           INTEGER NOT NULL,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  size            INTEGER NOT NULL CHECK (size > 1),
  PRIMARY KEY (conversation_id, message_at, start, user_id),
  FOREIGN KEY (conversation_id, message_at) REFERENCES message (conversation_id, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_user ON mention (user_id, conversation_id, message_at);
`
