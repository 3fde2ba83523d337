-- The whole database. Times are microseconds since 1970 UTC, flags are 0 or 1,
-- ids are lower-case UUID text. A change here is also a migration in
-- store/migrate.go.

-- settings and secrets ------------------------------------------------------

CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The time of the last write; that of every later write is later.
CREATE TABLE clock (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  at  INTEGER NOT NULL
) STRICT;
INSERT INTO clock (one, at) VALUES (1, 0);

-- accounts ------------------------------------------------------------------

CREATE TABLE user (
  id              TEXT PRIMARY KEY,
  email           TEXT NOT NULL,             -- as the person wrote it
  email_key       TEXT NOT NULL UNIQUE,      -- folded, for comparison
  verified_at     INTEGER,                   -- first proof of the address; NULL if unproven
  name            TEXT NOT NULL,
  name_key        TEXT NOT NULL,             -- folded, for finding people
  avatar_url      TEXT NOT NULL DEFAULT '',
  is_bot          INTEGER NOT NULL DEFAULT 0 CHECK (is_bot IN (0, 1)),
  is_system       INTEGER NOT NULL DEFAULT 0 CHECK (is_system IN (0, 1)),
  is_admin        INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
  suspended_at    INTEGER,
  discovery_mode  TEXT NOT NULL DEFAULT 'name' CHECK (discovery_mode IN ('name', 'email_only', 'hidden')),
  presence_status TEXT NOT NULL DEFAULT 'available' CHECK (presence_status IN ('available', 'away', 'busy', 'invisible', 'offline')),
  status_text     TEXT NOT NULL DEFAULT '',
  status_emoji    TEXT NOT NULL DEFAULT '',
  status_at       INTEGER,
  last_seen_at    INTEGER,
  password_hash   TEXT NOT NULL DEFAULT '',  -- argon2id; '' has no password
  epoch           INTEGER NOT NULL DEFAULT 1, -- raised to end every session and token at once
  signup_provider TEXT NOT NULL,             -- how the account came to be; never changed
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX user_admin ON user (id) WHERE is_admin = 1;

-- The index by which accounts are found: the folded name from each word on.
CREATE TABLE user_word (
  word    TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (word, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_word_user ON user_word (user_id);

-- One row per sign-in: a browser session or an issued user JWT.
CREATE TABLE session (
  id         TEXT PRIMARY KEY,               -- the JWT's jti, too
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  parent_id  TEXT REFERENCES session (id) ON DELETE CASCADE, -- the session that asked for this token
  kind       TEXT NOT NULL CHECK (kind IN ('browser', 'token', 'embedded', 'bridge')),
  token_hash TEXT UNIQUE,                    -- browser: hash of the cookie's token
  epoch      INTEGER NOT NULL,
  user_agent TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_user ON session (user_id, created_at);
CREATE INDEX session_parent ON session (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX session_expiry ON session (expires_at);

-- Sign-in links with their six-digit codes, as hashes.
CREATE TABLE login_link (
  token_hash TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  email_key  TEXT NOT NULL,
  code_hash  TEXT NOT NULL,
  next       TEXT NOT NULL DEFAULT '',       -- local path to go to after sign-in
  attempts   INTEGER NOT NULL DEFAULT 0,     -- wrong codes tried while this one was valid
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX login_link_email ON login_link (email_key, expires_at);
CREATE INDEX login_link_expiry ON login_link (expires_at);

-- Agent keys (oc_) and personal list keys (cl_).
CREATE TABLE api_key (
  id            TEXT PRIMARY KEY,
  user_id       TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind          TEXT NOT NULL CHECK (kind IN ('agent', 'list')),
  name          TEXT NOT NULL,
  prefix        TEXT NOT NULL,               -- the first eleven characters, to recognise it by
  hash          TEXT NOT NULL UNIQUE,        -- SHA-256 of the whole key
  can_read      INTEGER NOT NULL CHECK (can_read IN (0, 1)),
  can_write     INTEGER NOT NULL CHECK (can_write IN (0, 1)),
  agent_name    TEXT,
  agent_version TEXT,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  expires_at    INTEGER,
  revoked_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_user ON api_key (user_id, created_at);
CREATE INDEX api_key_revoked ON api_key (revoked_at) WHERE revoked_at IS NOT NULL;

-- Quotas: uses within a window that started at since.
CREATE TABLE quota (
  name  TEXT PRIMARY KEY,                    -- what is limited and for whom
  since INTEGER NOT NULL,
  used  INTEGER NOT NULL,
  ends  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_end ON quota (ends);

-- chat ----------------------------------------------------------------------

CREATE TABLE conversation (
  id              TEXT PRIMARY KEY,
  type            TEXT NOT NULL CHECK (type IN ('direct', 'group')),
  title           TEXT,
  direct_key      TEXT UNIQUE,               -- both user ids in order: one direct conversation a pair
  live_count      INTEGER NOT NULL DEFAULT 0, -- messages that are not deleted
  last_message_at INTEGER,                   -- the newest message, deleted or not
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  member_count    INTEGER NOT NULL DEFAULT 0,
  bot_count       INTEGER NOT NULL DEFAULT 0, -- members that are bots
  owners          TEXT NOT NULL DEFAULT '',  -- ids of the first 8 owners to join
  recent          TEXT NOT NULL DEFAULT '',  -- ids of 8 members, or all: those who sent last, then others
  CHECK ((type = 'direct') = (direct_key IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- unread = conversation.live_count - member.seen_count. A message is seen by its
-- sender, and by members with a last_read_at that is not before it; so a message
-- changes two rows whatever the size of the group.
CREATE TABLE member (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role            TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  joined_at       INTEGER NOT NULL,
  last_read_at    INTEGER,
  seen_count      INTEGER NOT NULL DEFAULT 0,
  muted_until     INTEGER,
  PRIMARY KEY (conversation_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member (user_id, conversation_id);
CREATE INDEX member_owner ON member (conversation_id, joined_at) WHERE role = 'owner';

-- Clustered by conversation and time: a page of messages is one run of rows.
-- created_at comes from the write clock and is unique in the file.
CREATE TABLE message (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  created_at      INTEGER NOT NULL,
  id              TEXT NOT NULL UNIQUE,
  sender_id       TEXT NOT NULL REFERENCES user (id),
  content         TEXT NOT NULL,             -- '' once deleted
  message_type    TEXT NOT NULL DEFAULT 'text' CHECK (message_type IN ('text', 'card')),
  card_kind       TEXT,
  card_payload    TEXT,
  via_secretary   INTEGER NOT NULL DEFAULT 0 CHECK (via_secretary IN (0, 1)),
  reply_to_id     TEXT,
  agent_id        TEXT,                      -- the key that sent it, and the name it went by then
  agent_name      TEXT,
  request_hash    BLOB,                      -- of a request with an id of the client's, to recognise a retry
  edited_at       INTEGER,
  deleted_at      INTEGER,
  PRIMARY KEY (conversation_id, created_at),
  CHECK (deleted_at IS NULL OR (content = '' AND card_payload IS NULL)),
  CHECK ((message_type = 'card') = (card_kind IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX message_sender ON message (sender_id, created_at);

-- Links by which people join a group, with the hash of the token.
CREATE TABLE invite (
  token_hash      TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  created_by      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  uses_left       INTEGER NOT NULL CHECK (uses_left >= 0),
  created_at      INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invite_conversation ON invite (conversation_id, created_by);
CREATE INDEX invite_creator ON invite (created_by);

-- lists ---------------------------------------------------------------------

CREATE TABLE list (
  id          TEXT PRIMARY KEY,
  owner_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  title       TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  visibility  TEXT NOT NULL CHECK (visibility IN ('public', 'public-edit', 'unlisted', 'private')),
  slug        TEXT NOT NULL,
  item_count  INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- With the visibility, so that lists are counted in the index alone.
CREATE INDEX list_owner ON list (owner_id, updated_at, visibility);
CREATE INDEX list_public ON list (updated_at, visibility) WHERE visibility IN ('public', 'public-edit');

-- The accounts that a list is shared with.
CREATE TABLE list_member (
  list_id  TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role     TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (list_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_member_user ON list_member (user_id, list_id);

CREATE TABLE item (
  id            TEXT PRIMARY KEY,
  list_id       TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  rank          INTEGER NOT NULL,            -- orders the list, with gaps; positions are counted when read
  content       TEXT NOT NULL,
  metadata      TEXT,                        -- a JSON object
  author_id     TEXT REFERENCES user (id) ON DELETE SET NULL,
  anonymous     INTEGER NOT NULL DEFAULT 0 CHECK (anonymous IN (0, 1)), -- added with the public agent key
  source_url    TEXT,
  source_note   TEXT,                        -- anonymous: who reported it
  star_count    INTEGER NOT NULL DEFAULT 0,
  comment_count INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  CHECK (anonymous = 0 OR (author_id IS NULL AND source_note IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX item_list ON item (list_id, rank);
CREATE INDEX item_author ON item (author_id) WHERE author_id IS NOT NULL;

-- the event log, for live streams and their resumption ----------------------

-- A row says that something changed and has no content: the object is read when
-- the event is delivered, for those who may see it then. The newest row is never
-- deleted, so that no id is used twice.
CREATE TABLE event (
  id        INTEGER PRIMARY KEY,
  topic     TEXT NOT NULL,                   -- a conversation, a list or a user
  kind      TEXT NOT NULL,
  object_id TEXT NOT NULL,
  actor_id  TEXT NOT NULL DEFAULT '',
  at        INTEGER NOT NULL
) STRICT;
CREATE INDEX event_topic ON event (topic, id);

-- background work -----------------------------------------------------------

CREATE TABLE job (
  name        TEXT PRIMARY KEY,
  holder      TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,    -- no other process runs it before this
  started_at  INTEGER,
  finished_at INTEGER,
  error       TEXT NOT NULL DEFAULT '',
  runs        INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
