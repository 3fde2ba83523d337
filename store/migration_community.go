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
