package store

// migrations lead from each schema version to the next, the first from 1 to 2. The newest
// version is what schema.sql makes. Once a version is released, testdata/schema has a copy
// of its schema.sql, and its migration never changes.
func migrations() []string { return []string{toVersion2} }

// toVersion2 adds joining without an address, notifications, and Stories that are not seen yet.
const toVersion2 = `
ALTER TABLE login_link ADD COLUMN user_id TEXT REFERENCES user (id) ON DELETE CASCADE;
CREATE INDEX login_link_user ON login_link (user_id) WHERE user_id IS NOT NULL;
ALTER TABLE member ADD COLUMN notify TEXT CHECK (notify IN ('all', 'mentions', 'none'));
DROP TRIGGER message_changed;
CREATE TRIGGER message_changed AFTER UPDATE OF content, attachments, transcript ON message
  WHEN new.sender_id = old.sender_id
BEGIN
  INSERT OR IGNORE INTO word_queue VALUES ('message', new.created_at, new.conversation_id);
END;
CREATE INDEX list_unlisted ON list (updated_at) WHERE visibility = 'unlisted';
CREATE TABLE story_new (
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  story_id TEXT NOT NULL REFERENCES story (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, story_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX story_new_story ON story_new (story_id);
CREATE TABLE push_subscription (
  id           TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  session_id   TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  endpoint     TEXT NOT NULL UNIQUE,
  p256dh       TEXT NOT NULL,
  auth         TEXT NOT NULL,
  name         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_sent_at INTEGER,
  last_error   TEXT NOT NULL DEFAULT '',
  retry_at     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX push_subscription_user ON push_subscription (user_id, created_at);
CREATE INDEX push_subscription_session ON push_subscription (session_id);
CREATE TABLE push (
  subscription_id TEXT NOT NULL REFERENCES push_subscription (id) ON DELETE CASCADE,
  tag             TEXT NOT NULL,
  event_id        INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  object_id       TEXT NOT NULL,
  at              INTEGER NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_id, tag)
) STRICT, WITHOUT ROWID;
CREATE TABLE push_preference (
  user_id      TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  hide_content INTEGER NOT NULL CHECK (hide_content IN (0, 1)),
  quiet_from   TEXT NOT NULL,
  quiet_to     TEXT NOT NULL,
  time_zone    TEXT NOT NULL,
  CHECK ((quiet_from = '') = (quiet_to = ''))
) STRICT, WITHOUT ROWID`
