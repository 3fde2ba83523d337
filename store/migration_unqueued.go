package store

// migrationTo22 adds the conversations whose deliveries to webhooks were not all added
// with their messages.
const migrationTo22 = `
CREATE TABLE unqueued (
  conversation_id TEXT PRIMARY KEY REFERENCES conversation (id) ON DELETE CASCADE,
  at              INTEGER NOT NULL,
  after_member    TEXT NOT NULL DEFAULT '',
  after_webhook   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
`
