package store

// migrationTo18 indexes lists that were never shared for their owner and not each
// for itself. Earlier lists stay as they are indexed: each has a slot of its own.
const migrationTo18 = `
ALTER TABLE list ADD COLUMN own_slot INTEGER;
ALTER TABLE list_document ADD COLUMN own_slot INTEGER;
`
