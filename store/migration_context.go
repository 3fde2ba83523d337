package store

// migrationTo5 adds the Context lane: posts, requests to agents and intentions.
// Reports can be about posts.
const migrationTo5 = `
CREATE INDEX thought_source ON thought (source_message_id) WHERE captured = 0 AND source_message_id IS NOT NULL;

ALTER TABLE report RENAME TO report_before;
CREATE TABLE report (
  id              TEXT PRIMARY KEY,
  reporter_id     TEXT REFERENCES user (id) ON DELETE SET NULL,
  target_type     TEXT NOT NULL CHECK (target_type IN ('message', 'user', 'context')),
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
INSERT INTO report SELECT * FROM report_before;
DROP TABLE report_before;
CREATE INDEX report_open ON report (created_at) WHERE decided_at IS NULL;
CREATE INDEX report_created ON report (created_at);
CREATE INDEX report_reporter ON report (reporter_id, target_id);
CREATE INDEX report_user ON report (user_id);
CREATE INDEX report_decider ON report (decided_by) WHERE decided_by IS NOT NULL;

CREATE TABLE context_post (
  conversation_id   TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  created_at        INTEGER NOT NULL,
  id                TEXT NOT NULL UNIQUE,
  author_id         TEXT NOT NULL REFERENCES user (id),
  kind              TEXT NOT NULL CHECK (kind IN ('note', 'ask', 'offer')),
  text              TEXT NOT NULL,
  revision          INTEGER NOT NULL DEFAULT 1,
  reply_to_id       TEXT,
  agent_id          TEXT,
  agent_name        TEXT,
  client_request_id TEXT NOT NULL,
  request_hash      BLOB,
  intent            INTEGER REFERENCES intent (seq) ON DELETE SET NULL,
  intent_revision   INTEGER,
  intent_hash       BLOB,
  updated_at        INTEGER NOT NULL,
  deleted_at        INTEGER,
  PRIMARY KEY (conversation_id, created_at),
  CHECK (deleted_at IS NULL OR text = '')
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX context_post_request ON context_post (conversation_id, author_id, client_request_id);
CREATE INDEX context_post_author ON context_post (author_id, created_at);
CREATE INDEX context_post_intent ON context_post (intent) WHERE intent IS NOT NULL;

CREATE TABLE context_key (
  key_id     TEXT PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
  enabled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE context_request (
  id              TEXT PRIMARY KEY,
  post_id         TEXT NOT NULL REFERENCES context_post (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  source_revision INTEGER NOT NULL,
  requester_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  owner_id        TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key_id          TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'completed', 'declined')),
  reply_id        TEXT REFERENCES context_post (id) ON DELETE CASCADE,
  reply_hash      BLOB,
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

CREATE TABLE context_intention (
  intent     INTEGER PRIMARY KEY REFERENCES intent (seq) ON DELETE CASCADE,
  owner_id   TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  state      TEXT NOT NULL CHECK (state IN ('open', 'fulfilled', 'withdrawn')),
  revision   INTEGER NOT NULL DEFAULT 1,
  born       INTEGER NOT NULL CHECK (born IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX context_intention_owner ON context_intention (owner_id, created_at);
`
