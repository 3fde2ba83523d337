-- The whole database. Times are microseconds since 1970 UTC, flags are 0 or 1,
-- ids are lower-case UUID text. After a release a change here is also a
-- migration in store/migrate.go.

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

-- The last ids that were given out. What has them is read again in later
-- transactions, such as the parts of a download, so that none is used twice, though
-- the newest row may be deleted.
CREATE TABLE sequence (
  name TEXT PRIMARY KEY,                     -- blob or intent
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sequence (name, last) VALUES ('blob', 0), ('intent', 0);

-- accounts ------------------------------------------------------------------

CREATE TABLE user (
  id              TEXT PRIMARY KEY,
  email           TEXT NOT NULL,             -- as the person wrote it; <id>@users.invalid without one
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
  updated_at      INTEGER NOT NULL,
  bot_owner_id    TEXT REFERENCES user (id) ON DELETE CASCADE, -- of a bot: whose it is
  storage_used    INTEGER NOT NULL DEFAULT 0, -- bytes of its attachments and pictures
  online          INTEGER NOT NULL DEFAULT 0 CHECK (online IN (0, 1)), -- the person has a stream, or made a request a short time ago
  group_adds      TEXT NOT NULL DEFAULT 'everybody' CHECK (group_adds IN ('everybody', 'friends', 'nobody')) -- who may add the account to groups
) STRICT, WITHOUT ROWID;
CREATE INDEX user_name ON user (name_key, id);
CREATE INDEX user_admin ON user (id) WHERE is_admin = 1;
CREATE INDEX user_online ON user (id) WHERE online = 1;
CREATE INDEX user_bot ON user (bot_owner_id) WHERE bot_owner_id IS NOT NULL;

-- The index by which accounts are found: the name as it is compared, from each
-- word on.
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
  used_at    INTEGER,
  invite_id  TEXT REFERENCES community_invite (id) ON DELETE CASCADE, -- by which a new account is created
  user_id    TEXT REFERENCES user (id) ON DELETE CASCADE -- the account that asked to prove the address; without an address, the one to sign in to
) STRICT, WITHOUT ROWID;
CREATE INDEX login_link_user ON login_link (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX login_link_invite ON login_link (invite_id) WHERE invite_id IS NOT NULL;
CREATE INDEX login_link_email ON login_link (email_key, expires_at);
CREATE INDEX login_link_expiry ON login_link (expires_at);

-- Links by which people without an account get one, with the hash of the token.
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

-- What each key was used for: one row for each operation, without content.
CREATE TABLE key_use (
  key_id    TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  operation TEXT NOT NULL,                   -- its summary
  failed    INTEGER NOT NULL CHECK (failed IN (0, 1)), -- whether these requests failed or were refused
  uses      INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation, failed)
) STRICT, WITHOUT ROWID;

-- Accounts that were deleted. It is applied again to a restored backup.
CREATE TABLE erased (
  user_id TEXT PRIMARY KEY,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Quotas: uses within a window that started at since.
CREATE TABLE quota (
  name  TEXT PRIMARY KEY,                    -- what is limited, and the account or address
  since INTEGER NOT NULL,
  used  INTEGER NOT NULL,
  ends  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_end ON quota (ends);

-- Requests with an idempotency key, by a hash of the key and the caller, and what
-- they were answered with, sealed with the key.
CREATE TABLE idempotency (
  hash       TEXT PRIMARY KEY,
  request    TEXT NOT NULL,                  -- hash of the input
  answer     BLOB,                           -- NULL until it is known
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

-- people --------------------------------------------------------------------

-- A block hides both accounts from each other.
CREATE TABLE block (
  blocker_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  blocked_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (blocker_id, blocked_id),
  CHECK (blocker_id <> blocked_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX block_blocked ON block (blocked_id, blocker_id);

-- Accounts that an account found by their exact address, if they are found in no other way.
CREATE TABLE found_person (
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  found_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, found_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX found_person_found ON found_person (found_id, user_id);

-- Friends and requests, with a row for each side: incoming of one is outgoing
-- of the other.
CREATE TABLE friend (
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  other_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  state      TEXT NOT NULL CHECK (state IN ('incoming', 'outgoing', 'friends')),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, other_id),
  CHECK (user_id <> other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX friend_other ON friend (other_id, user_id);

-- Declined requests: the requester cannot ask the same person before until.
CREATE TABLE friend_cooldown (
  requester_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  other_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  until        INTEGER NOT NULL,
  PRIMARY KEY (requester_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX friend_cooldown_other ON friend_cooldown (other_id);
CREATE INDEX friend_cooldown_until ON friend_cooldown (until);

-- Add-me cards: whoever has the token may ask to be a friend.
CREATE TABLE card (
  user_id    TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  token      TEXT NOT NULL UNIQUE,
  headline   TEXT NOT NULL DEFAULT '',
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Reports to the administrators, with the text as it was.
CREATE TABLE report (
  id              TEXT PRIMARY KEY,
  reporter_id     TEXT REFERENCES user (id) ON DELETE SET NULL,
  target_type     TEXT NOT NULL CHECK (target_type IN ('message', 'user', 'context')),
  target_id       TEXT NOT NULL,
  user_id         TEXT REFERENCES user (id) ON DELETE SET NULL, -- who is reported: the account or the sender
  conversation_id TEXT,                      -- of a message or a Context post
  reason          TEXT NOT NULL,
  freeform        TEXT NOT NULL DEFAULT '',
  text            TEXT NOT NULL DEFAULT '',  -- the message, or the account's name and status, when it was reported
  created_at      INTEGER NOT NULL,
  decided_at      INTEGER,
  decided_by      TEXT REFERENCES user (id) ON DELETE SET NULL,
  decision        TEXT NOT NULL DEFAULT '' CHECK (decision IN ('', 'dismissed', 'resolved')),
  note            TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX report_open ON report (created_at) WHERE decided_at IS NULL;
CREATE INDEX report_created ON report (created_at);
CREATE INDEX report_reporter ON report (reporter_id, target_id);
CREATE INDEX report_user ON report (user_id);
CREATE INDEX report_decider ON report (decided_by) WHERE decided_by IS NOT NULL;

-- What people wrote to the administrators.
CREATE TABLE feedback (
  id         TEXT PRIMARY KEY,
  user_id    TEXT REFERENCES user (id) ON DELETE CASCADE,
  text       TEXT NOT NULL,
  context    TEXT,                           -- JSON
  created_at INTEGER NOT NULL,
  done_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX feedback_created ON feedback (created_at);
CREATE INDEX feedback_open ON feedback (created_at) WHERE done_at IS NULL;
CREATE INDEX feedback_user ON feedback (user_id);

-- What administrators and operators did.
CREATE TABLE audit (
  at         INTEGER PRIMARY KEY,
  actor_id   TEXT REFERENCES user (id) ON DELETE SET NULL, -- NULL: a command, or the account was deleted
  by_command INTEGER NOT NULL DEFAULT 0 CHECK (by_command IN (0, 1)), -- done by a command on the server
  action     TEXT NOT NULL,                  -- such as user.suspend
  target_id  TEXT NOT NULL DEFAULT '',       -- the account, report or feedback it was done to
  detail     TEXT NOT NULL DEFAULT '',       -- never text that people wrote in private
  CHECK (by_command = 0 OR actor_id IS NULL)
) STRICT;
CREATE INDEX audit_actor ON audit (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_target ON audit (target_id) WHERE target_id <> '';

-- chat ----------------------------------------------------------------------

CREATE TABLE conversation (
  id              TEXT PRIMARY KEY,
  type            TEXT NOT NULL CHECK (type IN ('direct', 'group')),
  title           TEXT,
  direct_key      TEXT UNIQUE,               -- both user ids in order: one direct conversation a pair; see leaveDirects
  live_count      INTEGER NOT NULL DEFAULT 0, -- messages that are not deleted
  last_message_at INTEGER,                   -- the newest message, deleted or not
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  member_count    INTEGER NOT NULL DEFAULT 0,
  bot_count       INTEGER NOT NULL DEFAULT 0, -- members that are bots
  owners          TEXT NOT NULL DEFAULT '',  -- ids of the first 8 owners to join
  recent          TEXT NOT NULL DEFAULT '',  -- ids of 8 members, or all: those who sent last, then others
  avatar_url      TEXT NOT NULL DEFAULT '',
  open            INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1) AND (open = 0 OR type = 'group')), -- every account may join
  is_default      INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, open)), -- new accounts do
  CHECK ((type = 'direct') = (direct_key IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_open ON conversation (is_default, title, id) WHERE open = 1;
CREATE UNIQUE INDEX conversation_default ON conversation (is_default) WHERE is_default = 1;
CREATE INDEX conversation_empty ON conversation (id) WHERE member_count = 0; -- to be deleted

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
  hidden          INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)), -- direct, with a block between both, or between one and the owner of the other
  notify          TEXT CHECK (notify IN ('all', 'mentions', 'none')), -- NULL: all in a direct conversation, mentions in a group
  PRIMARY KEY (conversation_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member (user_id, conversation_id);
CREATE INDEX member_owner ON member (conversation_id, joined_at) WHERE role = 'owner';

-- Former members of a group. Only an owner can add a removed person again, and only
-- the person can return after leaving.
CREATE TABLE former_member (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  removed         INTEGER NOT NULL CHECK (removed IN (0, 1)), -- by an owner
  at              INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_member_user ON former_member (user_id);
-- Who joined and left a group, and its names: the lines between messages.
CREATE TABLE conversation_change (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  at              INTEGER NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('joined', 'added', 'left', 'removed', 'renamed')),
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  actor_id        TEXT REFERENCES user (id) ON DELETE SET NULL, -- who added or removed user_id
  title           TEXT NOT NULL DEFAULT '',  -- of a group that was renamed
  PRIMARY KEY (conversation_id, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_change_user ON conversation_change (user_id);
CREATE INDEX conversation_change_actor ON conversation_change (actor_id) WHERE actor_id IS NOT NULL;

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
  attachments     TEXT,                      -- a JSON array; NULL without, and once deleted
  transcript      TEXT,                      -- of a voice note
  reacted         INTEGER NOT NULL DEFAULT 0 CHECK (reacted IN (0, 1)), -- whether it has reactions
  transcribe_until INTEGER,                  -- until when the transcript may still come; NULL: it does not
  mentioned       INTEGER NOT NULL DEFAULT 0 CHECK (mentioned IN (0, 1)), -- whether it mentions members
  PRIMARY KEY (conversation_id, created_at),
  CHECK (deleted_at IS NULL OR (content = '' AND card_payload IS NULL)),
  CHECK ((message_type = 'card') = (card_kind IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX message_sender ON message (sender_id, created_at);
CREATE INDEX message_transcribe ON message (transcribe_until) WHERE transcribe_until IS NOT NULL;

-- The words of messages, for searching, in the form of store/words_index.go; the
-- rowid is the created_at of the message.
CREATE VIRTUAL TABLE message_word USING fts5 (conversation_id UNINDEXED, words, tags, columnsize = 0, prefix = '3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'");
INSERT INTO message_word (message_word, rank) VALUES ('secure-delete', 1);

-- What changed since it was indexed; a search reads it, too.
CREATE TABLE word_queue (
  noun            TEXT NOT NULL CHECK (noun IN ('message', 'list', 'item')),
  id              INTEGER NOT NULL,          -- the rowid in the index
  conversation_id TEXT NOT NULL DEFAULT '',  -- of a message
  PRIMARY KEY (noun, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER message_added AFTER INSERT ON message BEGIN
  INSERT OR IGNORE INTO word_queue VALUES ('message', new.created_at, new.conversation_id);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF content, attachments, transcript ON message
  WHEN new.sender_id = old.sender_id -- the deletion of an account puts all of its messages here at once
BEGIN
  INSERT OR IGNORE INTO word_queue VALUES ('message', new.created_at, new.conversation_id);
END;
CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
  INSERT OR IGNORE INTO word_queue VALUES ('message', old.created_at, old.conversation_id);
END;

-- Links by which people join a group, with the hash of the token.
CREATE TABLE invite (
  token_hash      TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  created_by      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  uses_left       INTEGER NOT NULL CHECK (uses_left >= 0),
  created_at      INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  id              TEXT NOT NULL DEFAULT ''   -- to list and revoke it by
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX invite_id ON invite (id);
CREATE INDEX invite_conversation ON invite (conversation_id, created_by);
CREATE INDEX invite_creator ON invite (created_by);

CREATE TABLE reaction (
  conversation_id TEXT NOT NULL,
  message_at      INTEGER NOT NULL,          -- the message's created_at
  emoji           TEXT NOT NULL,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind            TEXT CHECK (kind IN ('filed')),
  href            TEXT,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, message_at, emoji, user_id),
  FOREIGN KEY (conversation_id, message_at) REFERENCES message (conversation_id, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX reaction_user ON reaction (user_id, created_at);

-- Members that messages name: "@" and the name, at bytes of the content. Several members
-- with the same name are at one place.
CREATE TABLE mention (
  conversation_id TEXT NOT NULL,
  message_at      INTEGER NOT NULL,          -- the message's created_at
  start           INTEGER NOT NULL,          -- the place of "@"
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  size            INTEGER NOT NULL CHECK (size > 1),
  PRIMARY KEY (conversation_id, message_at, start, user_id),
  FOREIGN KEY (conversation_id, message_at) REFERENCES message (conversation_id, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_user ON mention (user_id, conversation_id, message_at);

-- files ---------------------------------------------------------------------

-- Contents of files, once for each content and in parts, so that a large one is
-- written and read in small steps.
CREATE TABLE blob (
  id         INTEGER PRIMARY KEY,
  hash       TEXT,                           -- SHA-256, hexadecimal; NULL while it is written or deleted
  size       INTEGER NOT NULL,
  created_at INTEGER NOT NULL                -- 0 once it is to be deleted
) STRICT;
CREATE UNIQUE INDEX blob_hash ON blob (hash) WHERE hash IS NOT NULL;
CREATE INDEX blob_incomplete ON blob (created_at) WHERE hash IS NULL;

-- 65,536 bytes of a blob, or the rest. The id is 65,536 times that of the blob
-- plus the number of the part.
CREATE TABLE blob_part (
  id   INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;

-- Uploaded files. One is visible to its owner, and to the members of the
-- conversations of the messages that have it.
CREATE TABLE attachment (
  id           TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  blob_id      INTEGER NOT NULL REFERENCES blob (id),
  preview_id   INTEGER REFERENCES blob (id), -- a smaller picture of a large one
  preview_type TEXT NOT NULL DEFAULT '',     -- its media type
  name         TEXT NOT NULL,
  mime_type    TEXT NOT NULL,
  size         INTEGER NOT NULL,
  width        INTEGER NOT NULL DEFAULT 0,   -- pixels; 0 if unknown
  height       INTEGER NOT NULL DEFAULT 0,
  duration_ms  INTEGER NOT NULL DEFAULT 0,
  uses         INTEGER NOT NULL DEFAULT 0,   -- messages that have it
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attachment_user ON attachment (user_id, created_at);
CREATE INDEX attachment_blob ON attachment (blob_id);
CREATE INDEX attachment_preview ON attachment (preview_id) WHERE preview_id IS NOT NULL;
CREATE INDEX attachment_unused ON attachment (created_at) WHERE uses = 0;

CREATE TABLE message_attachment (
  attachment_id   TEXT NOT NULL REFERENCES attachment (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  message_at      INTEGER NOT NULL,
  PRIMARY KEY (attachment_id, conversation_id, message_at),
  FOREIGN KEY (conversation_id, message_at) REFERENCES message (conversation_id, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX message_attachment_message ON message_attachment (conversation_id, message_at);

-- Pictures of accounts, of groups and of the community, visible to everybody who
-- has the id.
CREATE TABLE picture (
  id              TEXT PRIMARY KEY,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  blob_id         INTEGER NOT NULL REFERENCES blob (id),
  mime_type       TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  community       INTEGER NOT NULL DEFAULT 0 CHECK (community IN (0, 1)), -- of the community
  CHECK ((user_id IS NOT NULL) + (conversation_id IS NOT NULL) + community = 1)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX picture_user ON picture (user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX picture_conversation ON picture (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE UNIQUE INDEX picture_community ON picture (community) WHERE community = 1;
CREATE INDEX picture_blob ON picture (blob_id);

-- The files of reported messages, kept with the text of the report for the
-- administrators. They are in the storage of no account.
CREATE TABLE report_file (
  report_id    TEXT NOT NULL REFERENCES report (id) ON DELETE CASCADE,
  number       INTEGER NOT NULL,                          -- in the message, from 0
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,                            -- who sent them
  blob_id      INTEGER NOT NULL REFERENCES blob (id),
  preview_id   INTEGER REFERENCES blob (id),
  preview_type TEXT NOT NULL,
  name         TEXT NOT NULL,
  mime_type    TEXT NOT NULL,
  size         INTEGER NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  duration_ms  INTEGER NOT NULL,
  PRIMARY KEY (report_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_file_user ON report_file (user_id);
CREATE INDEX report_file_blob ON report_file (blob_id);
CREATE INDEX report_file_preview ON report_file (preview_id) WHERE preview_id IS NOT NULL;

-- thoughts and the Stream ---------------------------------------------------

-- What an account wrote down, or captured from a message.
CREATE TABLE thought (
  id                     TEXT PRIMARY KEY,
  user_id                TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  text                   TEXT NOT NULL,
  kind                   TEXT NOT NULL CHECK (kind IN ('fact', 'decision', 'commitment', 'reminder', 'observation')),
  status                 TEXT NOT NULL CHECK (status IN ('none', 'open', 'closed')),
  tags                   TEXT NOT NULL DEFAULT '[]', -- a JSON array of texts
  source_message_id      TEXT,
  source_conversation_id TEXT,
  captured               INTEGER NOT NULL DEFAULT 0 CHECK (captured IN (0, 1)), -- by a #tag in the message
  created_at             INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_user ON thought (user_id, created_at);
CREATE INDEX thought_capture ON thought (source_conversation_id, created_at) WHERE captured = 1;
CREATE INDEX thought_note ON thought (user_id, source_conversation_id, created_at) WHERE captured = 0 AND source_conversation_id IS NOT NULL;
CREATE INDEX thought_source ON thought (source_message_id) WHERE captured = 0 AND source_message_id IS NOT NULL;
CREATE UNIQUE INDEX thought_captured ON thought (source_message_id) WHERE captured = 1;

-- Thoughts shared with a conversation.
CREATE TABLE thought_pin (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  thought_id      TEXT NOT NULL REFERENCES thought (id) ON DELETE CASCADE,
  pinned_by       TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  pinned_at       INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, thought_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_pin_thought ON thought_pin (thought_id);
CREATE INDEX thought_pin_by ON thought_pin (pinned_by);

-- Entries of a Stream that a reader has collapsed for themselves.
CREATE TABLE thought_collapsed (
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  thought_id      TEXT NOT NULL REFERENCES thought (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, conversation_id, thought_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_collapsed_thought ON thought_collapsed (thought_id);
CREATE INDEX thought_collapsed_conversation ON thought_collapsed (conversation_id);

-- secretary -----------------------------------------------------------------

CREATE TABLE secretary (
  user_id    TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX secretary_enabled ON secretary (user_id) WHERE enabled = 1;

CREATE TABLE secretary_answer (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  question   TEXT NOT NULL,
  answer     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX secretary_answer_user ON secretary_answer (user_id, created_at);

-- webhooks ------------------------------------------------------------------

CREATE TABLE webhook (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE, -- NULL: all of the owner's
  url             TEXT NOT NULL,
  secret          TEXT NOT NULL,             -- signs deliveries
  token           TEXT NOT NULL,             -- sent with each delivery
  created_at      INTEGER NOT NULL,
  failures        INTEGER NOT NULL DEFAULT 0, -- deliveries that were given up since the last success
  failing_since   INTEGER,                   -- the first failed attempt since the last success
  disabled_at     INTEGER,
  disabled_why    TEXT NOT NULL DEFAULT '' CHECK (disabled_why IN ('', 'owner', 'gone', 'failing')),
  CHECK ((disabled_at IS NULL) = (disabled_why = ''))
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_user ON webhook (user_id, created_at);
CREATE INDEX webhook_conversation ON webhook (conversation_id);
CREATE INDEX webhook_all ON webhook (user_id) WHERE conversation_id IS NULL AND disabled_at IS NULL;

-- Deliveries: to be made while next_at is set, a log afterwards. The content is
-- read when the delivery is made.
CREATE TABLE delivery (
  webhook_id      TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  at              INTEGER NOT NULL,          -- when the message was sent, or the test requested: unique in the file
  conversation_id TEXT NOT NULL,             -- '' for a test
  message_id      TEXT NOT NULL,             -- '' for a test
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_at         INTEGER,                   -- of the next attempt, by the wall clock; NULL after the last
  status          INTEGER,                   -- of the last response; NULL without one
  error           TEXT NOT NULL DEFAULT '',
  took_ms         INTEGER,                   -- of the last attempt
  outcome         TEXT CHECK (outcome IN ('delivered', 'failed', 'skipped')),
  done_at         INTEGER,
  PRIMARY KEY (webhook_id, at),
  CHECK ((next_at IS NULL) = (outcome IS NOT NULL) AND (next_at IS NULL) = (done_at IS NOT NULL)),
  CHECK ((conversation_id = '') = (message_id = ''))
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_waiting ON delivery (webhook_id, conversation_id, at) WHERE next_at IS NOT NULL;
CREATE INDEX delivery_done ON delivery (done_at) WHERE done_at IS NOT NULL;

-- lists ---------------------------------------------------------------------

CREATE TABLE list (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  owner_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  title       TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  visibility  TEXT NOT NULL CHECK (visibility IN ('public', 'public-edit', 'unlisted', 'private')),
  slug        TEXT NOT NULL,
  item_count  INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  moderated   INTEGER NOT NULL DEFAULT 0 CHECK (moderated IN (0, 1)), -- what is added without an account is held
  shown_at    INTEGER NOT NULL DEFAULT 0,  -- since when all accounts may see it, while they may; 0: since before the log
  public_at   INTEGER NOT NULL DEFAULT 0,  -- likewise everybody
  checkable   INTEGER NOT NULL DEFAULT 0 CHECK (checkable IN (0, 1)), -- its items can be checked off
  checked_count INTEGER NOT NULL DEFAULT 0 -- also kept while it is not checkable
) STRICT;
-- With the visibility, so that lists are counted in the index alone.
CREATE INDEX list_owner ON list (owner_id, updated_at, visibility);
CREATE INDEX list_public ON list (updated_at, visibility) WHERE visibility IN ('public', 'public-edit');
CREATE INDEX list_unlisted ON list (updated_at) WHERE visibility = 'unlisted';

-- The accounts that a list is shared with.
CREATE TABLE list_member (
  list_id  TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role     TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (list_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_member_user ON list_member (user_id, list_id);

-- Rows of item, held_item and intent_draft can be large, so they have rowids: in a
-- table without them, each step of a search for a row reads another row as a whole.
CREATE TABLE item (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
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
  link_key      TEXT,                        -- source_url as links are compared
  checked_at    INTEGER,                     -- NULL: not checked off; kept while its list is not checkable
  checked_by    TEXT REFERENCES user (id) ON DELETE SET NULL,
  CHECK (anonymous = 0 OR (author_id IS NULL AND source_note IS NOT NULL))
) STRICT;
CREATE INDEX item_list ON item (list_id, rank, id);
CREATE INDEX item_author ON item (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX item_checker ON item (checked_by) WHERE checked_by IS NOT NULL;
CREATE INDEX item_link ON item (link_key, list_id, id) WHERE link_key IS NOT NULL;

CREATE TABLE item_star (
  item_id    TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (item_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_star_user ON item_star (user_id);

-- Comments of an item in the order of their threads.
CREATE TABLE item_comment (
  id         TEXT PRIMARY KEY,
  item_id    TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  parent_id  TEXT REFERENCES item_comment (id),
  path       TEXT NOT NULL,                  -- times of the comments that it answers and its own, 13 hexadecimal digits each
  author_id  TEXT REFERENCES user (id) ON DELETE SET NULL, -- NULL: deleted
  content    TEXT NOT NULL,                  -- '' once deleted
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  CHECK (deleted_at IS NULL OR (content = '' AND author_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_comment_item ON item_comment (item_id, path);
CREATE INDEX item_comment_parent ON item_comment (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX item_comment_author ON item_comment (author_id) WHERE author_id IS NOT NULL;

-- What was added without an account to a moderated list and waits for its owner
-- or an editor. An item that is approved keeps its id.
CREATE TABLE held_item (
  id          TEXT NOT NULL PRIMARY KEY,
  list_id     TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  content     TEXT NOT NULL,
  metadata    TEXT,
  source_url  TEXT,
  source_note TEXT NOT NULL,                 -- who reported it
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX held_item_list ON held_item (list_id, created_at, id);

-- Tokens with which what was added without an account can be changed, as hashes.
CREATE TABLE item_receipt (
  token_hash TEXT PRIMARY KEY,
  list_id    TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  item_id    TEXT NOT NULL,                  -- of item or held_item
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX item_receipt_list ON item_receipt (list_id);
CREATE INDEX item_receipt_expiry ON item_receipt (expires_at);

-- The words of lists and items, for searching; the rowid is their seq.
CREATE VIRTUAL TABLE list_word USING fts5 (words, columnsize = 0, prefix = '3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'");
INSERT INTO list_word (list_word, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE item_word USING fts5 (words, columnsize = 0, prefix = '3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'");
INSERT INTO item_word (item_word, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER list_added AFTER INSERT ON list BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('list', new.seq);
END;
CREATE TRIGGER list_changed AFTER UPDATE OF title, description ON list BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('list', new.seq);
END;
CREATE TRIGGER list_removed AFTER DELETE ON list BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('list', old.seq);
END;
CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('item', new.seq);
END;
CREATE TRIGGER item_changed AFTER UPDATE OF content, source_url, source_note ON item BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('item', new.seq);
END;
CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
  INSERT OR IGNORE INTO word_queue (noun, id) VALUES ('item', old.seq);
END;

-- What pages say about themselves, by their addresses.
CREATE TABLE link_preview (
  url         TEXT PRIMARY KEY,
  title       TEXT NOT NULL,
  description TEXT NOT NULL,
  image       TEXT NOT NULL,
  site_name   TEXT NOT NULL,
  fetched_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX link_preview_fetched ON link_preview (fetched_at);

-- asks, offers and Stories ----------------------------------------------------

-- Whether an account takes part in matching. No row: it does.
CREATE TABLE social_preference (
  user_id         TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  experience_mode TEXT NOT NULL CHECK (experience_mode IN ('enhanced', 'simple')),
  network_paused  INTEGER NOT NULL CHECK (network_paused IN (0, 1)),
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Asks and offers. Others see kind and terms of those they are matched with, and
-- nothing else.
CREATE TABLE intent (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  owner_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind             TEXT NOT NULL CHECK (kind IN ('ask', 'offer')),
  terms            TEXT NOT NULL,
  goal             TEXT,
  seeks            TEXT NOT NULL,             -- a JSON array, normalised
  brings           TEXT NOT NULL,             -- likewise
  matching_mode    TEXT NOT NULL CHECK (matching_mode IN ('fulfillment', 'reciprocal', 'shared_goal')),
  collaborators    INTEGER NOT NULL CHECK (collaborators IN (0, 1)), -- open to them
  close_on_connect INTEGER NOT NULL CHECK (close_on_connect IN (0, 1)),
  details          TEXT,                      -- for the owner alone
  status           TEXT NOT NULL CHECK (status IN ('active', 'paused', 'withdrawn', 'connected')),
  audience         INTEGER NOT NULL CHECK (audience IN (0, 1)), -- matched only within intent_audience
  expires_at       INTEGER,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX intent_owner ON intent (owner_id, created_at);
CREATE INDEX intent_active ON intent (owner_id, expires_at) WHERE status = 'active';
CREATE INDEX intent_expiry ON intent (expires_at) WHERE status = 'active' AND expires_at IS NOT NULL;

-- Vectors of active intents, from the service of --embed-url. Without it, there are none.
CREATE TABLE intent_vector (
  seq     INTEGER PRIMARY KEY REFERENCES intent (seq) ON DELETE CASCADE,
  model   TEXT NOT NULL,                      -- which computed them, and how many numbers they have
  vectors BLOB NOT NULL                       -- app/match
) STRICT;

CREATE TABLE intent_audience (
  intent          INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX intent_audience_intent ON intent_audience (intent, user_id, conversation_id);
CREATE INDEX intent_audience_user ON intent_audience (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX intent_audience_conversation ON intent_audience (conversation_id) WHERE conversation_id IS NOT NULL;

-- Two intents that were matched, a being the one with the smaller seq. They are
-- never matched again.
CREATE TABLE intent_match (
  id              TEXT PRIMARY KEY,
  a_intent        INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  b_intent        INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  a_user          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  b_user          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  type            TEXT NOT NULL CHECK (type IN ('complementary', 'reciprocal', 'shared_goal')),
  score           INTEGER NOT NULL CHECK (score BETWEEN 0 AND 100), -- hundredths
  state           TEXT NOT NULL CHECK (state IN ('open', 'closed', 'connected')),
  a_approved      INTEGER NOT NULL DEFAULT 0 CHECK (a_approved IN (0, 1)),
  b_approved      INTEGER NOT NULL DEFAULT 0 CHECK (b_approved IN (0, 1)),
  a_updated_at    INTEGER NOT NULL,           -- of what a sees
  b_updated_at    INTEGER NOT NULL,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE SET NULL,
  created_at      INTEGER NOT NULL,
  CHECK (a_intent < b_intent AND a_user <> b_user),
  CHECK (state <> 'connected' OR a_approved + b_approved = 2),
  CHECK (state <> 'open' OR a_approved + b_approved < 2)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX intent_match_pair ON intent_match (a_intent, b_intent);
CREATE INDEX intent_match_b_intent ON intent_match (b_intent);
CREATE INDEX intent_match_a_user ON intent_match (a_user, created_at);
CREATE INDEX intent_match_b_user ON intent_match (b_user, created_at);
CREATE INDEX intent_match_conversation ON intent_match (conversation_id) WHERE conversation_id IS NOT NULL;

-- What an account shows the people of an audience, and what its intent is
-- approved for. The structured terms are in the intent.
CREATE TABLE story (
  id                TEXT PRIMARY KEY,
  owner_id          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  intent            INTEGER NOT NULL UNIQUE REFERENCES intent (seq) ON DELETE CASCADE,
  text              TEXT,                     -- NULL if people do not see it
  quiet_search      INTEGER NOT NULL CHECK (quiet_search IN (0, 1)), -- approved
  status            TEXT NOT NULL CHECK (status IN ('active', 'paused', 'withdrawn')),
  story_expires_at  INTEGER,
  search_expires_at INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  CHECK ((text IS NULL) = (story_expires_at IS NULL)),
  CHECK (text IS NOT NULL OR quiet_search = 1)
) STRICT, WITHOUT ROWID;
CREATE INDEX story_owner ON story (owner_id, created_at);
CREATE INDEX story_expiry ON story (story_expires_at) WHERE story_expires_at IS NOT NULL;

CREATE TABLE story_audience (
  story_id        TEXT NOT NULL REFERENCES story (id) ON DELETE CASCADE,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX story_audience_story ON story_audience (story_id, user_id, conversation_id);
CREATE INDEX story_audience_user ON story_audience (user_id, story_id) WHERE user_id IS NOT NULL;
CREATE INDEX story_audience_conversation ON story_audience (conversation_id, story_id) WHERE conversation_id IS NOT NULL;

-- Stories that an account of their audience has not seen yet.
CREATE TABLE story_new (
  user_id  TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  story_id TEXT NOT NULL REFERENCES story (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, story_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX story_new_story ON story_new (story_id);

-- What a person or an agent of theirs wrote down to ask or offer one day. It is
-- its owner's alone.
CREATE TABLE intent_draft (
  id            TEXT NOT NULL PRIMARY KEY,
  owner_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  goal          TEXT NOT NULL,
  seeks         TEXT NOT NULL,
  brings        TEXT NOT NULL,
  matching_mode TEXT NOT NULL CHECK (matching_mode IN ('fulfillment', 'reciprocal', 'shared_goal')),
  collaborators INTEGER NOT NULL CHECK (collaborators IN (0, 1)),
  details       TEXT,
  source        TEXT,
  provenance    TEXT,                         -- a JSON object
  confidence    REAL CHECK (confidence BETWEEN 0 AND 1),
  agent_name    TEXT NOT NULL DEFAULT '',     -- what the key that wrote it was called; '' for the owner
  state         TEXT NOT NULL CHECK (state IN ('pending', 'dismissed', 'activated')),
  intent_id     TEXT,                         -- what activation made
  story_id      TEXT,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX intent_draft_owner ON intent_draft (owner_id, state, created_at);

-- Previews that wait for the approval of their account, by the hash of the
-- grant. A row is deleted when the grant is used.
CREATE TABLE approval_grant (
  hash       BLOB PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key_id     TEXT NOT NULL,                   -- '' for a person
  agent_name TEXT NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('activate_intent_draft', 'publish_story', 'respond_to_story')),
  object_id  TEXT NOT NULL,                   -- the draft or the Story; '' for a new one
  payload    TEXT NOT NULL,                   -- canonical JSON
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_grant_user ON approval_grant (user_id, created_at);
CREATE INDEX approval_grant_expiry ON approval_grant (expires_at);

-- the Context lane ------------------------------------------------------------

-- What members post beside the messages of a conversation. A post changes nothing
-- of the conversation and its members, so that nobody is notified. Clustered like
-- messages: a page is one run of rows.
CREATE TABLE context_post (
  conversation_id   TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  created_at        INTEGER NOT NULL,
  id                TEXT NOT NULL UNIQUE,
  author_id         TEXT NOT NULL REFERENCES user (id),
  kind              TEXT NOT NULL CHECK (kind IN ('note', 'ask', 'offer')),
  text              TEXT NOT NULL,              -- '' once deleted
  revision          INTEGER NOT NULL DEFAULT 1, -- raised by every edit, and by the deletion
  reply_to_id       TEXT,
  agent_id          TEXT,                       -- the key that wrote the text, and the name it went by then
  agent_name        TEXT,
  client_request_id TEXT NOT NULL,
  request_hash      BLOB,                       -- to recognise a retry; NULL once deleted
  intent            INTEGER REFERENCES intent (seq) ON DELETE SET NULL, -- as which it is tracked
  intent_revision   INTEGER,                    -- of the post when that began
  intent_hash       BLOB,                       -- of the request for it, to recognise a retry
  updated_at        INTEGER NOT NULL,
  deleted_at        INTEGER,
  PRIMARY KEY (conversation_id, created_at),
  CHECK (deleted_at IS NULL OR text = '')
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX context_post_request ON context_post (conversation_id, author_id, client_request_id);
CREATE INDEX context_post_author ON context_post (author_id, created_at);
CREATE INDEX context_post_intent ON context_post (intent) WHERE intent IS NOT NULL;

-- Agent keys that receive requests.
CREATE TABLE context_key (
  key_id     TEXT PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
  enabled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests to reply to a post: at most one for each account and revision.
CREATE TABLE context_request (
  id              TEXT PRIMARY KEY,
  post_id         TEXT NOT NULL REFERENCES context_post (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  source_revision INTEGER NOT NULL,             -- of the post when it was made
  requester_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  owner_id        TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, -- the account as which the key acts
  key_id          TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'completed', 'declined')), -- expired: see expires_at
  reply_id        TEXT REFERENCES context_post (id) ON DELETE CASCADE,
  reply_hash      BLOB,                         -- to recognise a retry; NULL once the reply is deleted
  created_at      INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  answered_at     INTEGER,
  CHECK ((state = 'completed') = (reply_id IS NOT NULL)),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX context_request_post ON context_request (post_id, source_revision, owner_id);
CREATE INDEX context_request_key ON context_request (key_id, created_at);
CREATE INDEX context_request_pending ON context_request (key_id, created_at) WHERE state = 'pending';
CREATE INDEX context_request_requester ON context_request (requester_id, created_at);
CREATE INDEX context_request_owner ON context_request (owner_id);
CREATE INDEX context_request_reply ON context_request (reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX context_request_age ON context_request (created_at);

-- Intents that are tracked in the Context lane. Those who see a post see the state
-- and the revision of its intention, and nothing else.
CREATE TABLE context_intention (
  intent     INTEGER PRIMARY KEY REFERENCES intent (seq) ON DELETE CASCADE,
  owner_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  state      TEXT NOT NULL CHECK (state IN ('open', 'fulfilled', 'withdrawn')),
  revision   INTEGER NOT NULL DEFAULT 1,
  born       INTEGER NOT NULL CHECK (born IN (0, 1)), -- the intent was made of a post: it is never matched
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX context_intention_owner ON context_intention (owner_id, created_at);

-- notifications -------------------------------------------------------------

-- Browsers and apps that receive notifications (RFC 8030). One ends with its session.
CREATE TABLE push_subscription (
  id           TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  session_id   TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  endpoint     TEXT NOT NULL UNIQUE,         -- of the push service; whoever has it can send there
  p256dh       TEXT NOT NULL,                -- the keys of RFC 8291, as base64url
  auth         TEXT NOT NULL,
  name         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_sent_at INTEGER,
  last_error   TEXT NOT NULL DEFAULT '',     -- of the last attempt; '' if it succeeded
  retry_at     INTEGER NOT NULL DEFAULT 0    -- nothing that waits is sent before, by the wall clock
) STRICT, WITHOUT ROWID;
CREATE INDEX push_subscription_user ON push_subscription (user_id, created_at);
CREATE INDEX push_subscription_session ON push_subscription (session_id);

-- Notifications that wait to be sent. A row has no content: its object is read when it is
-- sent, for the receiver. Events up to the setting push_event have theirs here.
CREATE TABLE push (
  subscription_id TEXT NOT NULL REFERENCES push_subscription (id) ON DELETE CASCADE,
  tag             TEXT NOT NULL,             -- the conversation, list or other object; a newer one takes its place
  event_id        INTEGER NOT NULL,
  kind            TEXT NOT NULL,             -- of the event
  object_id       TEXT NOT NULL,             -- likewise
  at              INTEGER NOT NULL,          -- likewise
  attempts        INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subscription_id, tag)
) STRICT, WITHOUT ROWID;

-- How an account is notified. No row: with content, at all hours.
CREATE TABLE push_preference (
  user_id      TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  hide_content INTEGER NOT NULL CHECK (hide_content IN (0, 1)),
  quiet_from   TEXT NOT NULL,                -- HH:MM in time_zone; '' has no quiet hours
  quiet_to     TEXT NOT NULL,
  time_zone    TEXT NOT NULL,                -- a name of the IANA database
  CHECK ((quiet_from = '') = (quiet_to = ''))
) STRICT, WITHOUT ROWID;

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
  started_at  INTEGER NOT NULL,              -- of the last run
  finished_at INTEGER NOT NULL,
  error       TEXT NOT NULL,
  runs        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
