package store

// migrationTo2 orders items by a rank with gaps instead of a position, and
// counts the members of a conversation in its row, with the few of them that a
// list of conversations shows.
const migrationTo2 = `
DROP INDEX item_list;
ALTER TABLE item RENAME COLUMN position TO rank;
UPDATE item SET rank = rank << 32;
CREATE INDEX item_list ON item (list_id, rank);

ALTER TABLE conversation ADD COLUMN member_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN bot_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN owners TEXT NOT NULL DEFAULT '';
ALTER TABLE conversation ADD COLUMN recent TEXT NOT NULL DEFAULT '';
CREATE INDEX member_owner ON member (conversation_id, joined_at) WHERE role = 'owner';
CREATE TEMP TABLE last_sent (conversation_id TEXT, sender_id TEXT, at INTEGER, PRIMARY KEY (conversation_id, sender_id)) WITHOUT ROWID;
INSERT INTO last_sent SELECT conversation_id, sender_id, max(created_at) FROM message GROUP BY conversation_id, sender_id;
UPDATE conversation SET
  member_count = (SELECT count(*) FROM member m WHERE m.conversation_id = conversation.id),
  bot_count = (SELECT count(*) FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = conversation.id AND u.is_bot = 1),
  owners = (SELECT coalesce(group_concat(user_id, ''), '') FROM (SELECT m.user_id FROM member m
    WHERE m.conversation_id = conversation.id AND m.role = 'owner' ORDER BY m.joined_at LIMIT 8)),
  recent = (SELECT coalesce(group_concat(user_id, ''), '') FROM (SELECT m.user_id FROM member m
    LEFT JOIN last_sent s ON s.conversation_id = m.conversation_id AND s.sender_id = m.user_id
    WHERE m.conversation_id = conversation.id ORDER BY coalesce(s.at, 0) DESC, m.joined_at LIMIT 8));
DROP TABLE last_sent;
`
