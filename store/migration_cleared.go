package store

// migrationTo23 finds the deleted messages that have reactions left.
const migrationTo23 = `
CREATE INDEX message_cleared ON message (deleted_at) WHERE reacted = 1 AND deleted_at IS NOT NULL;
`
