package store

// migrationTo2 orders items by a rank with gaps instead of a position, and
// counts the members of a conversation in its row, with the few of them that a
// list of conversations shows.
const migrationTo2 = `
DROP INDEX item_list;
ALTER TABLE item RENAME COLUMN position TO rank;
UPDATE item SET rank = rank << 32;
CREATE INDEX item_list ON item (list_id, rank);

ALTER TABLE conversation ADD COLUMN member_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN bot_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN owners TEXT NOT NULL DEFAULT '';
ALTER TABLE conversation ADD COLUMN recent TEXT NOT NULL DEFAULT '';
CREATE INDEX member_owner ON member (conversation_id, joined_at) WHERE role = 'owner';
CREATE TEMP TABLE last_sent (conversation_id TEXT, sender_id TEXT, at INTEGER, PRIMARY KEY (conversation_id, sender_id)) WITHOUT ROWID;
INSERT INTO last_sent SELECT conversation_id, sender_id, max(created_at) FROM message GROUP BY conversation_id, sender_id;
UPDATE conversation SET
  member_count = (SELECT count(*) FROM member m WHERE m.conversation_id = conversation.id),
  bot_count = (SELECT count(*) FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = conversation.id AND u.is_bot = 1),
  owners = (SELECT coalesce(group_concat(user_id, ''), '') FROM (SELECT m.user_id FROM member m
    WHERE m.conversation_id = conversation.id AND m.role = 'owner' ORDER BY m.joined_at LIMIT 8)),
  recent = (SELECT coalesce(group_concat(user_id, ''), '') FROM (SELECT m.user_id FROM member m
    LEFT JOIN last_sent s ON s.conversation_id = m.conversation_id AND s.sender_id = m.user_id
    WHERE m.conversation_id = conversation.id ORDER BY coalesce(s.at, 0) DESC, m.joined_at LIMIT 8));
DROP TABLE last_sent;
`

// migrationTo3 adds what surrounds messages: friends and blocks, files, reactions,
// thoughts, webhooks, the secretary, reports, and the deletion of accounts.
const migrationTo3 = `
ALTER TABLE user ADD COLUMN bot_owner_id TEXT REFERENCES user (id) ON DELETE CASCADE;
ALTER TABLE user ADD COLUMN storage_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user ADD COLUMN online INTEGER NOT NULL DEFAULT 0 CHECK (online IN (0, 1));
CREATE INDEX user_online ON user (id) WHERE online = 1;
ALTER TABLE conversation ADD COLUMN avatar_url TEXT NOT NULL DEFAULT '';
ALTER TABLE member ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1));
ALTER TABLE message ADD COLUMN attachments TEXT;
ALTER TABLE message ADD COLUMN transcript TEXT;
ALTER TABLE message ADD COLUMN reacted INTEGER NOT NULL DEFAULT 0 CHECK (reacted IN (0, 1));
ALTER TABLE message ADD COLUMN transcribe_until INTEGER;
CREATE INDEX message_transcribe ON message (transcribe_until) WHERE transcribe_until IS NOT NULL;
ALTER TABLE invite ADD COLUMN id TEXT NOT NULL DEFAULT '';
UPDATE invite SET id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));

CREATE INDEX conversation_empty ON conversation (id) WHERE member_count = 0;
CREATE INDEX user_bot ON user (bot_owner_id) WHERE bot_owner_id IS NOT NULL;

-- What each key was used for: one row for each operation, without content.
CREATE TABLE key_use (
  key_id    TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  operation TEXT NOT NULL,                   -- its summary
  failed    INTEGER NOT NULL CHECK (failed IN (0, 1)), -- whether these requests failed or were refused
  uses      INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation, failed)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasing (
  user_id TEXT PRIMARY KEY,
  at      INTEGER NOT NULL,
  stage   TEXT NOT NULL CHECK (stage IN ('frozen', 'redacted', 'removed'))
) STRICT, WITHOUT ROWID;

CREATE TABLE erased (
  user_id TEXT PRIMARY KEY,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE block (
  blocker_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  blocked_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (blocker_id, blocked_id),
  CHECK (blocker_id <> blocked_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX block_blocked ON block (blocked_id, blocker_id);

CREATE TABLE friend (
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  other_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  state      TEXT NOT NULL CHECK (state IN ('incoming', 'outgoing', 'friends')),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, other_id),
  CHECK (user_id <> other_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX friend_other ON friend (other_id, user_id);

CREATE TABLE friend_cooldown (
  requester_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  other_id     TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  until        INTEGER NOT NULL,
  PRIMARY KEY (requester_id, other_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX friend_cooldown_other ON friend_cooldown (other_id);

CREATE INDEX friend_cooldown_until ON friend_cooldown (until);

CREATE TABLE card (
  user_id    TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  token      TEXT NOT NULL UNIQUE,
  headline   TEXT NOT NULL DEFAULT '',
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  id              TEXT PRIMARY KEY,
  reporter_id     TEXT REFERENCES user (id) ON DELETE SET NULL,
  target_type     TEXT NOT NULL CHECK (target_type IN ('message', 'user')),
  target_id       TEXT NOT NULL,
  user_id         TEXT REFERENCES user (id) ON DELETE SET NULL,
  conversation_id TEXT,
  reason          TEXT NOT NULL,
  freeform        TEXT NOT NULL DEFAULT '',
  text            TEXT NOT NULL DEFAULT '',
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

CREATE TABLE feedback (
  id         TEXT PRIMARY KEY,
  user_id    TEXT REFERENCES user (id) ON DELETE CASCADE,
  text       TEXT NOT NULL,
  context    TEXT,
  created_at INTEGER NOT NULL,
  done_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX feedback_created ON feedback (created_at);

CREATE INDEX feedback_open ON feedback (created_at) WHERE done_at IS NULL;

CREATE INDEX feedback_user ON feedback (user_id);

CREATE TABLE audit (
  at         INTEGER PRIMARY KEY,
  actor_id   TEXT REFERENCES user (id) ON DELETE SET NULL,
  by_command INTEGER NOT NULL DEFAULT 0 CHECK (by_command IN (0, 1)),
  action     TEXT NOT NULL,
  target_id  TEXT NOT NULL DEFAULT '',
  detail     TEXT NOT NULL DEFAULT '',
  CHECK (by_command = 0 OR actor_id IS NULL)
) STRICT;

CREATE INDEX audit_actor ON audit (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_target ON audit (target_id) WHERE target_id <> '';

CREATE UNIQUE INDEX invite_id ON invite (id);

CREATE TABLE reaction (
  conversation_id TEXT NOT NULL,
  message_at      INTEGER NOT NULL,
  emoji           TEXT NOT NULL,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind            TEXT CHECK (kind IN ('filed')),
  href            TEXT,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, message_at, emoji, user_id),
  FOREIGN KEY (conversation_id, message_at) REFERENCES message (conversation_id, created_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX reaction_user ON reaction (user_id, created_at);

CREATE TABLE blob (
  id         INTEGER PRIMARY KEY,
  hash       TEXT,
  size       INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX blob_hash ON blob (hash) WHERE hash IS NOT NULL;

CREATE INDEX blob_incomplete ON blob (created_at) WHERE hash IS NULL;

CREATE TABLE blob_part (
  id   INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;

CREATE TABLE attachment (
  id           TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  blob_id      INTEGER NOT NULL REFERENCES blob (id),
  preview_id   INTEGER REFERENCES blob (id),
  preview_type TEXT NOT NULL DEFAULT '',
  name         TEXT NOT NULL,
  mime_type    TEXT NOT NULL,
  size         INTEGER NOT NULL,
  width        INTEGER NOT NULL DEFAULT 0,
  height       INTEGER NOT NULL DEFAULT 0,
  duration_ms  INTEGER NOT NULL DEFAULT 0,
  uses         INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE picture (
  id              TEXT PRIMARY KEY,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  blob_id         INTEGER NOT NULL REFERENCES blob (id),
  mime_type       TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX picture_user ON picture (user_id) WHERE user_id IS NOT NULL;

CREATE UNIQUE INDEX picture_conversation ON picture (conversation_id) WHERE conversation_id IS NOT NULL;

CREATE INDEX picture_blob ON picture (blob_id);

CREATE TABLE thought (
  id                     TEXT PRIMARY KEY,
  user_id                TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  text                   TEXT NOT NULL,
  kind                   TEXT NOT NULL CHECK (kind IN ('fact', 'decision', 'commitment', 'reminder', 'observation')),
  status                 TEXT NOT NULL CHECK (status IN ('none', 'open', 'closed')),
  tags                   TEXT NOT NULL DEFAULT '[]',
  source_message_id      TEXT,
  source_conversation_id TEXT,
  captured               INTEGER NOT NULL DEFAULT 0 CHECK (captured IN (0, 1)),
  created_at             INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_user ON thought (user_id, created_at);

CREATE INDEX thought_capture ON thought (source_conversation_id, created_at) WHERE captured = 1;
CREATE INDEX thought_note ON thought (user_id, source_conversation_id, created_at) WHERE captured = 0 AND source_conversation_id IS NOT NULL;

CREATE UNIQUE INDEX thought_captured ON thought (source_message_id) WHERE captured = 1;

CREATE TABLE thought_pin (
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  thought_id      TEXT NOT NULL REFERENCES thought (id) ON DELETE CASCADE,
  pinned_by       TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  pinned_at       INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, thought_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_pin_thought ON thought_pin (thought_id);

CREATE INDEX thought_pin_by ON thought_pin (pinned_by);

CREATE TABLE thought_collapsed (
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  thought_id      TEXT NOT NULL REFERENCES thought (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, conversation_id, thought_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_collapsed_thought ON thought_collapsed (thought_id);

CREATE INDEX thought_collapsed_conversation ON thought_collapsed (conversation_id);

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

CREATE TABLE webhook (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  url             TEXT NOT NULL,
  secret          TEXT NOT NULL,
  token           TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  failures        INTEGER NOT NULL DEFAULT 0,
  failing_since   INTEGER,
  disabled_at     INTEGER,
  disabled_why    TEXT NOT NULL DEFAULT '' CHECK (disabled_why IN ('', 'owner', 'gone', 'failing')),
  CHECK ((disabled_at IS NULL) = (disabled_why = ''))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_user ON webhook (user_id, created_at);

CREATE INDEX webhook_conversation ON webhook (conversation_id) WHERE conversation_id IS NOT NULL;

CREATE INDEX webhook_all ON webhook (user_id) WHERE conversation_id IS NULL AND disabled_at IS NULL;

CREATE TABLE delivery (
  webhook_id      TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  at              INTEGER NOT NULL,
  conversation_id TEXT NOT NULL,
  message_id      TEXT NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_at         INTEGER,
  status          INTEGER,
  error           TEXT NOT NULL DEFAULT '',
  took_ms         INTEGER,
  outcome         TEXT CHECK (outcome IN ('delivered', 'failed', 'skipped')),
  done_at         INTEGER,
  PRIMARY KEY (webhook_id, at),
  CHECK ((next_at IS NULL) = (outcome IS NOT NULL) AND (next_at IS NULL) = (done_at IS NOT NULL)),
  CHECK ((conversation_id = '') = (message_id = ''))
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_waiting ON delivery (webhook_id, conversation_id, at) WHERE next_at IS NOT NULL;

CREATE INDEX delivery_done ON delivery (done_at) WHERE done_at IS NOT NULL;

CREATE VIRTUAL TABLE message_word USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
INSERT INTO message_word (message_word, rank) VALUES ('secure-delete', 1);
INSERT INTO message_word (message_word, rank) VALUES ('automerge', 0);
INSERT INTO message_word (message_word, rank) VALUES ('crisismerge', 64);
CREATE TABLE message_unindexed (
  id    INTEGER PRIMARY KEY,
  words TEXT NOT NULL
) STRICT;
INSERT INTO setting (name, value) SELECT 'words_position', at || ' - 0' FROM clock;
INSERT INTO setting (name, value) VALUES ('names_position', '-');
`

// migrationTo4 adds asks, offers and Stories.
const migrationTo4 = `
CREATE TABLE social_preference (
  user_id         TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  experience_mode TEXT NOT NULL CHECK (experience_mode IN ('enhanced', 'simple')),
  network_paused  INTEGER NOT NULL CHECK (network_paused IN (0, 1)),
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE intent (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  owner_id         TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind             TEXT NOT NULL CHECK (kind IN ('ask', 'offer')),
  terms            TEXT NOT NULL,
  goal             TEXT,
  seeks            TEXT NOT NULL,
  brings           TEXT NOT NULL,
  matching_mode    TEXT NOT NULL CHECK (matching_mode IN ('fulfillment', 'reciprocal', 'shared_goal')),
  collaborators    INTEGER NOT NULL CHECK (collaborators IN (0, 1)),
  close_on_connect INTEGER NOT NULL CHECK (close_on_connect IN (0, 1)),
  details          TEXT,
  status           TEXT NOT NULL CHECK (status IN ('active', 'paused', 'withdrawn', 'connected')),
  audience         INTEGER NOT NULL CHECK (audience IN (0, 1)),
  expires_at       INTEGER,
  listed_at        INTEGER,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  CHECK (listed_at IS NULL OR status = 'active')
) STRICT;
CREATE INDEX intent_owner ON intent (owner_id, created_at);
CREATE INDEX intent_active ON intent (owner_id) WHERE status = 'active';
CREATE INDEX intent_listed ON intent (listed_at) WHERE listed_at IS NOT NULL;
CREATE INDEX intent_expiry ON intent (expires_at) WHERE listed_at IS NOT NULL AND expires_at IS NOT NULL;

CREATE TABLE intent_key (
  key    INTEGER NOT NULL,
  intent INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  weight INTEGER NOT NULL,
  PRIMARY KEY (key, intent)
) STRICT, WITHOUT ROWID;
CREATE INDEX intent_key_intent ON intent_key (intent);

CREATE TABLE intent_audience (
  intent          INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  user_id         TEXT REFERENCES user (id) ON DELETE CASCADE,
  conversation_id TEXT REFERENCES conversation (id) ON DELETE CASCADE,
  CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX intent_audience_intent ON intent_audience (intent, user_id, conversation_id);
CREATE INDEX intent_audience_user ON intent_audience (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX intent_audience_conversation ON intent_audience (conversation_id) WHERE conversation_id IS NOT NULL;

CREATE TABLE intent_match (
  id              TEXT PRIMARY KEY,
  a_intent        INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  b_intent        INTEGER NOT NULL REFERENCES intent (seq) ON DELETE CASCADE,
  a_user          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  b_user          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  type            TEXT NOT NULL CHECK (type IN ('complementary', 'reciprocal', 'shared_goal')),
  score           INTEGER NOT NULL CHECK (score BETWEEN 0 AND 100),
  state           TEXT NOT NULL CHECK (state IN ('open', 'closed', 'connected')),
  a_approved      INTEGER NOT NULL DEFAULT 0 CHECK (a_approved IN (0, 1)),
  b_approved      INTEGER NOT NULL DEFAULT 0 CHECK (b_approved IN (0, 1)),
  a_updated_at    INTEGER NOT NULL,
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

CREATE TABLE story (
  id                TEXT PRIMARY KEY,
  owner_id          TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  intent            INTEGER NOT NULL UNIQUE REFERENCES intent (seq) ON DELETE CASCADE,
  text              TEXT,
  quiet_search      INTEGER NOT NULL CHECK (quiet_search IN (0, 1)),
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

CREATE TABLE intent_draft (
  id            TEXT PRIMARY KEY,
  owner_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  goal          TEXT NOT NULL,
  seeks         TEXT NOT NULL,
  brings        TEXT NOT NULL,
  matching_mode TEXT NOT NULL CHECK (matching_mode IN ('fulfillment', 'reciprocal', 'shared_goal')),
  collaborators INTEGER NOT NULL CHECK (collaborators IN (0, 1)),
  details       TEXT,
  source        TEXT,
  provenance    TEXT,
  confidence    REAL CHECK (confidence BETWEEN 0 AND 1),
  agent_name    TEXT NOT NULL DEFAULT '',
  state         TEXT NOT NULL CHECK (state IN ('pending', 'dismissed', 'activated')),
  intent_id     TEXT,
  story_id      TEXT,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX intent_draft_owner ON intent_draft (owner_id, state, created_at);

CREATE TABLE approval_grant (
  hash       BLOB PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key_id     TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('activate_intent_draft', 'publish_story', 'respond_to_story')),
  object_id  TEXT NOT NULL,
  payload    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_grant_user ON approval_grant (user_id, created_at);
CREATE INDEX approval_grant_expiry ON approval_grant (expires_at);
`
