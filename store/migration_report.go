package store

// migrationTo19 keeps the files of reported messages with the reports, also those of
// messages that are there still.
const migrationTo19 = `
CREATE TABLE report_file (
  report_id    TEXT NOT NULL REFERENCES report (id) ON DELETE CASCADE,
  number       INTEGER NOT NULL,
  user_id      TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
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
INSERT INTO report_file SELECT p.id, j.key, a.user_id, a.blob_id, a.preview_id, a.preview_type, a.name, a.mime_type, a.size, a.width, a.height, a.duration_ms
  FROM report p JOIN message x ON x.id = p.target_id JOIN json_each(x.attachments) j JOIN attachment a ON a.id = j.value ->> 'id'
  WHERE p.target_type = 'message' AND x.deleted_at IS NULL AND x.sender_id = p.user_id;
`
