package store

// migrationTo13 keeps since when a list is shown to others. What the event log has
// of a list since its last change of the list itself happened with the visibility
// that it has.
const migrationTo13 = `
ALTER TABLE list ADD COLUMN shown_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE list ADD COLUMN public_at INTEGER NOT NULL DEFAULT 0;
UPDATE list SET shown_at = coalesce((SELECT max(e.at) FROM event e WHERE e.topic = list.id AND e.kind = 'list.updated'), 0);
UPDATE list SET public_at = shown_at;
`
