package store

// migrationTo21 gives the tables with large rows rowids. The tables that refer to them
// stay as they are: with this setting and without foreign keys their definitions do not
// follow the old name, and nothing of them is deleted with it.
const migrationTo21 = `
PRAGMA legacy_alter_table = 1;

ALTER TABLE item RENAME TO item_before;
CREATE TABLE item (
  id            TEXT NOT NULL PRIMARY KEY,
  list_id       TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  rank          INTEGER NOT NULL,
  content       TEXT NOT NULL,
  metadata      TEXT,
  author_id     TEXT REFERENCES user (id) ON DELETE SET NULL,
  anonymous     INTEGER NOT NULL DEFAULT 0 CHECK (anonymous IN (0, 1)),
  source_url    TEXT,
  source_note   TEXT,
  star_count    INTEGER NOT NULL DEFAULT 0,
  comment_count INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  link_key      TEXT,
  checked_at    INTEGER,
  checked_by    TEXT REFERENCES user (id) ON DELETE SET NULL,
  CHECK (anonymous = 0 OR (author_id IS NULL AND source_note IS NOT NULL))
) STRICT;
INSERT INTO item (id, list_id, rank, content, metadata, author_id, anonymous, source_url, source_note, star_count, comment_count, created_at, updated_at, link_key, checked_at, checked_by)
  SELECT id, list_id, rank, content, metadata, author_id, anonymous, source_url, source_note, star_count, comment_count, created_at, updated_at, link_key, checked_at, checked_by FROM item_before ORDER BY id;
DROP TABLE item_before;
CREATE INDEX item_list ON item (list_id, rank, id);
CREATE INDEX item_author ON item (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX item_checker ON item (checked_by) WHERE checked_by IS NOT NULL;
CREATE INDEX item_link ON item (link_key, list_id, id) WHERE link_key IS NOT NULL;

ALTER TABLE held_item RENAME TO held_item_before;
CREATE TABLE held_item (
  id          TEXT NOT NULL PRIMARY KEY,
  list_id     TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  content     TEXT NOT NULL,
  metadata    TEXT,
  source_url  TEXT,
  source_note TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
INSERT INTO held_item (id, list_id, content, metadata, source_url, source_note, created_at, updated_at)
  SELECT id, list_id, content, metadata, source_url, source_note, created_at, updated_at FROM held_item_before ORDER BY id;
DROP TABLE held_item_before;
CREATE INDEX held_item_list ON held_item (list_id, created_at, id);

ALTER TABLE intent_draft RENAME TO intent_draft_before;
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
  provenance    TEXT,
  confidence    REAL CHECK (confidence BETWEEN 0 AND 1),
  agent_name    TEXT NOT NULL DEFAULT '',
  state         TEXT NOT NULL CHECK (state IN ('pending', 'dismissed', 'activated')),
  intent_id     TEXT,
  story_id      TEXT,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;
INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, details, source, provenance, confidence, agent_name, state, intent_id, story_id, created_at, updated_at)
  SELECT id, owner_id, goal, seeks, brings, matching_mode, collaborators, details, source, provenance, confidence, agent_name, state, intent_id, story_id, created_at, updated_at FROM intent_draft_before ORDER BY id;
DROP TABLE intent_draft_before;
CREATE INDEX intent_draft_owner ON intent_draft (owner_id, state, created_at);

PRAGMA legacy_alter_table = 0;
`
