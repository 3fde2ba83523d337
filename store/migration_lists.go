package store

// migrationTo6 adds stars, comments, held items and the search to lists, and
// what answers repeated requests.
const migrationTo6 = `
ALTER TABLE list ADD COLUMN moderated INTEGER NOT NULL DEFAULT 0 CHECK (moderated IN (0, 1));
ALTER TABLE item ADD COLUMN link_key TEXT;
CREATE INDEX item_link ON item (link_key, list_id) WHERE link_key IS NOT NULL;

CREATE TABLE item_star (
  item_id    TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  user_id    TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (item_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_star_user ON item_star (user_id);

CREATE TABLE item_comment (
  id         TEXT PRIMARY KEY,
  item_id    TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  parent_id  TEXT REFERENCES item_comment (id),
  path       TEXT NOT NULL,
  author_id  TEXT REFERENCES user (id) ON DELETE SET NULL,
  content    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  CHECK (deleted_at IS NULL OR (content = '' AND author_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_comment_item ON item_comment (item_id, path);
CREATE INDEX item_comment_parent ON item_comment (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX item_comment_author ON item_comment (author_id) WHERE author_id IS NOT NULL;

CREATE TABLE held_item (
  id          TEXT PRIMARY KEY,
  list_id     TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  content     TEXT NOT NULL,
  metadata    TEXT,
  source_url  TEXT,
  source_note TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX held_item_list ON held_item (list_id, created_at);

CREATE TABLE item_receipt (
  token_hash TEXT PRIMARY KEY,
  list_id    TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  item_id    TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX item_receipt_list ON item_receipt (list_id);
CREATE INDEX item_receipt_expiry ON item_receipt (expires_at);

CREATE VIRTUAL TABLE list_word USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
INSERT INTO list_word (list_word, rank) VALUES ('secure-delete', 1);

CREATE TABLE list_document (
  id      INTEGER PRIMARY KEY,
  list_id TEXT NOT NULL REFERENCES list (id) ON DELETE CASCADE,
  item_id TEXT REFERENCES item (id) ON DELETE CASCADE,
  public  INTEGER NOT NULL CHECK (public IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX list_document_item ON list_document (item_id) WHERE item_id IS NOT NULL;
CREATE UNIQUE INDEX list_document_list ON list_document (list_id) WHERE item_id IS NULL;
CREATE INDEX list_document_items ON list_document (list_id, item_id);

CREATE TABLE list_reindex (
  list_id TEXT PRIMARY KEY REFERENCES list (id) ON DELETE CASCADE,
  after   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE link_preview (
  url         TEXT PRIMARY KEY,
  title       TEXT NOT NULL,
  description TEXT NOT NULL,
  image       TEXT NOT NULL,
  site_name   TEXT NOT NULL,
  fetched_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX link_preview_fetched ON link_preview (fetched_at);
INSERT INTO list_reindex (list_id) SELECT id FROM list;

CREATE TABLE idempotency (
  hash       TEXT PRIMARY KEY,
  request    TEXT NOT NULL,
  answer     BLOB,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
`
