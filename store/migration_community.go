package store

// migrationTo7 lets the community have a picture.
const migrationTo7 = `
ALTER TABLE picture RENAME TO picture_before;
CREATE TABLE picture (
  id              TEXT PRIMARY KEY,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  blob_id         INTEGER NOT NULL REFERENCES blob (id),
  mime_type       TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  community       INTEGER NOT NULL DEFAULT 0 CHECK (community IN (0, 1)),
  CHECK ((user_id IS NOT NULL) + (conversation_id IS NOT NULL) + community = 1)
) STRICT, WITHOUT ROWID;
INSERT INTO picture (id, user_id, conversation_id, blob_id, mime_type, created_at)
  SELECT id, user_id, conversation_id, blob_id, mime_type, created_at FROM picture_before;
DROP TABLE picture_before;
CREATE UNIQUE INDEX picture_user ON picture (user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX picture_conversation ON picture (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE UNIQUE INDEX picture_community ON picture (community) WHERE community = 1;
CREATE INDEX picture_blob ON picture (blob_id);
`

// migrationTo8 adds invitations to the community.
const migrationTo8 = `
CREATE TABLE community_invite (
  id         TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  created_by TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  uses_left  INTEGER NOT NULL CHECK (uses_left >= 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX community_invite_creator ON community_invite (created_by);
CREATE INDEX community_invite_expiry ON community_invite (expires_at);
ALTER TABLE login_link ADD COLUMN invite_id TEXT REFERENCES community_invite (id) ON DELETE CASCADE;
CREATE INDEX login_link_invite ON login_link (invite_id) WHERE invite_id IS NOT NULL;
`

// migrationTo10 adds groups that are open to all accounts, and the log of changes of
// a group.
const migrationTo10 = `
ALTER TABLE conversation ADD COLUMN open INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1) AND (open = 0 OR type = 'group'));
ALTER TABLE conversation ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, open));
CREATE INDEX conversation_open ON conversation (is_default, title, id) WHERE open = 1;
CREATE UNIQUE INDEX conversation_default ON conversation (is_default) WHERE is_default = 1;

CREATE TABLE conversation_change (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  at              INTEGER NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('joined', 'added', 'left', 'removed', 'renamed')),
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  actor_id        TEXT REFERENCES user (id) ON DELETE SET NULL,
  title           TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (conversation_id, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_change_user ON conversation_change (user_id);
CREATE INDEX conversation_change_actor ON conversation_change (actor_id) WHERE actor_id IS NOT NULL;
`

// migrationTo11 lets people be listed by their names.
const migrationTo11 = `CREATE INDEX user_name ON user (name_key, id);`
