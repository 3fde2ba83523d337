package store

// migrationTo16 adds lists of which items can be checked off. Earlier lists are
// not, and nothing of them is.
const migrationTo16 = `
ALTER TABLE list ADD COLUMN checkable INTEGER NOT NULL DEFAULT 0 CHECK (checkable IN (0, 1));
ALTER TABLE list ADD COLUMN checked_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE item ADD COLUMN checked_at INTEGER;
ALTER TABLE item ADD COLUMN checked_by TEXT REFERENCES user (id) ON DELETE SET NULL;
CREATE INDEX item_checker ON item (checked_by) WHERE checked_by IS NOT NULL;
`
