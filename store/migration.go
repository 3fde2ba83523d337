package store

// migrationTo2 orders items by a rank with gaps instead of a position, and
// counts the members of a conversation in its row, with the few that lists of
// conversations show.
const migrationTo2 = `
DROP INDEX item_list;
ALTER TABLE item RENAME COLUMN position TO rank;
UPDATE item SET rank = rank << 32;
CREATE INDEX item_list ON item (list_id, rank);
`
