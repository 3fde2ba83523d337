-- Rules that hold in every database at any time. Each query returns the rows that
-- break its rule. A line "-- name: …" names the next query.

-- name: unread counts equal a recount
SELECT m.conversation_id, m.user_id, c.live_count - m.seen_count AS stored,
  (SELECT count(*) FROM message x WHERE x.conversation_id = m.conversation_id AND x.deleted_at IS NULL AND x.sender_id <> m.user_id AND x.created_at > coalesce(m.last_read_at, 0)) AS counted
FROM member m JOIN conversation c ON c.id = m.conversation_id
WHERE stored <> counted;

-- name: live message counts equal a recount
SELECT c.id FROM conversation c
WHERE c.member_count > 0 AND c.live_count <> (SELECT count(*) FROM message x WHERE x.conversation_id = c.id AND x.deleted_at IS NULL);

-- name: the time of the newest message equals a recount
SELECT c.id FROM conversation c
WHERE c.member_count > 0 AND c.last_message_at IS NOT (SELECT max(x.created_at) FROM message x WHERE x.conversation_id = c.id);

-- name: a direct conversation is between the one or two people of its key
SELECT c.id FROM conversation c
WHERE c.type = 'direct' AND (
  c.member_count > 0 AND (SELECT count(*) FROM member m WHERE m.conversation_id = c.id) NOT IN (1, 2) OR
  EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id AND instr(c.direct_key, m.user_id) = 0));

-- name: a direct conversation is hidden from both while one, or the owner of a bot, blocks the other, and no other is
-- Earlier versions may have left one of two bots shown, and one of a deleted account hidden.
SELECT m.conversation_id, m.user_id FROM member m JOIN conversation c ON c.id = m.conversation_id JOIN user u ON u.id = m.user_id
WHERE m.hidden <> (c.type = 'direct'
  AND EXISTS (SELECT 1 FROM member o JOIN user p ON p.id = o.user_id JOIN block b
    ON b.blocker_id IN (p.id, p.bot_owner_id) AND b.blocked_id IN (u.id, u.bot_owner_id)
      OR b.blocker_id IN (u.id, u.bot_owner_id) AND b.blocked_id IN (p.id, p.bot_owner_id)
  WHERE o.conversation_id = m.conversation_id AND o.user_id <> m.user_id))
  AND NOT (m.hidden = 0 AND u.is_bot = 1 AND EXISTS (SELECT 1 FROM member o JOIN user p ON p.id = o.user_id
    WHERE o.conversation_id = m.conversation_id AND o.user_id <> m.user_id AND p.is_bot = 1))
  AND coalesce(instr(c.direct_key, '00000000-0000-4000-8000-000000000001'), 0) = 0;

-- name: friends and requests are the same for both
SELECT f.user_id, f.other_id FROM friend f WHERE NOT EXISTS (SELECT 1 FROM friend o
  WHERE o.user_id = f.other_id AND o.other_id = f.user_id AND o.updated_at = f.updated_at
    AND o.state = CASE f.state WHEN 'incoming' THEN 'outgoing' WHEN 'outgoing' THEN 'incoming' ELSE f.state END);

-- name: no one who blocks another is their friend
SELECT f.user_id, f.other_id FROM friend f JOIN block b ON b.blocker_id = f.user_id AND b.blocked_id = f.other_id;

-- name: a group with members has an owner
SELECT c.id FROM conversation c
WHERE c.type = 'group' AND EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id)
  AND NOT EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id AND m.role = 'owner');

-- name: an open group has a name
SELECT c.id FROM conversation c WHERE c.open = 1 AND c.title IS NULL;

-- name: member and bot counts equal a recount
SELECT c.id FROM conversation c
WHERE c.member_count <> (SELECT count(*) FROM member m WHERE m.conversation_id = c.id)
   OR c.bot_count <> (SELECT count(*) FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = c.id AND u.is_bot = 1);

-- name: a conversation names its first owners
SELECT c.id FROM conversation c
WHERE c.owners <> (SELECT coalesce(group_concat(o.user_id, ''), '') FROM (SELECT m.user_id FROM member m
  WHERE m.conversation_id = c.id AND m.role = 'owner' ORDER BY m.joined_at LIMIT 8) o);

-- name: a conversation names eight different members, or all
SELECT c.id, c.recent FROM conversation c
WHERE length(c.recent) <> 36 * min(8, c.member_count)
   OR 36 * (SELECT count(*) FROM member m WHERE m.conversation_id = c.id AND instr(c.recent, m.user_id) > 0) <> length(c.recent);

-- name: a message is marked as one with reactions if it has some, and a deleted one has none
SELECT x.id FROM message x
WHERE x.reacted <> EXISTS (SELECT 1 FROM reaction q WHERE q.conversation_id = x.conversation_id AND q.message_at = x.created_at)
   OR x.reacted = 1 AND x.deleted_at IS NOT NULL;

-- name: a message is marked as one with mentions if it has some, and a deleted one has none
SELECT x.id FROM message x
WHERE x.mentioned <> EXISTS (SELECT 1 FROM mention q WHERE q.conversation_id = x.conversation_id AND q.message_at = x.created_at)
   OR x.mentioned = 1 AND x.deleted_at IS NOT NULL;

-- name: a mention is of a part of the content that begins with "@"
SELECT x.id, q.start FROM mention q JOIN message x ON x.conversation_id = q.conversation_id AND x.created_at = q.message_at
WHERE substr(CAST(x.content AS BLOB), q.start + 1, 1) <> CAST('@' AS BLOB) OR q.start + q.size > length(CAST(x.content AS BLOB));

-- name: a captured thought is of the sender of a message that is not deleted, with its conversation
SELECT t.id FROM thought t LEFT JOIN message x ON x.id = t.source_message_id
WHERE t.captured = 1 AND (x.id IS NULL OR x.deleted_at IS NOT NULL OR x.sender_id <> t.user_id OR x.conversation_id <> t.source_conversation_id);

-- name: item counts equal a recount
SELECT l.id FROM list l
WHERE l.item_count <> (SELECT count(*) FROM item i WHERE i.list_id = l.id);

-- name: counts of items that are checked off equal a recount
SELECT l.id FROM list l
WHERE l.checked_count <> (SELECT count(*) FROM item i WHERE i.list_id = l.id AND i.checked_at IS NOT NULL);

-- name: only what is checked off names who did it
SELECT i.id FROM item i WHERE i.checked_by IS NOT NULL AND i.checked_at IS NULL;

-- name: star and comment counts equal a recount
SELECT i.id FROM item i
WHERE i.star_count <> (SELECT count(*) FROM item_star s WHERE s.item_id = i.id)
   OR i.comment_count <> (SELECT count(*) FROM item_comment c WHERE c.item_id = i.id AND c.deleted_at IS NULL);

-- name: a comment comes behind the one that it answers
SELECT c.id FROM item_comment c LEFT JOIN item_comment p ON p.id = c.parent_id
WHERE (p.id IS NULL AND length(c.path) <> 13)
   OR p.id IS NOT NULL AND (p.item_id <> c.item_id OR substr(c.path, 1, length(c.path) - 13) <> p.path);

-- name: what waits for approval is no item yet
SELECT h.id FROM held_item h JOIN item i ON i.id = h.id;

-- name: the owner of a list is not one of those that it is shared with
SELECT m.list_id FROM list_member m JOIN list l ON l.id = m.list_id AND l.owner_id = m.user_id;

-- name: no two items of a list have one rank
SELECT i.list_id, i.rank FROM item i GROUP BY i.list_id, i.rank HAVING count(*) > 1;

-- name: the clock is not behind the event log
SELECT at FROM clock WHERE at < (SELECT coalesce(max(at), 0) FROM event);

-- name: deleted messages have no content
SELECT id FROM message WHERE deleted_at IS NOT NULL AND (content <> '' OR card_payload IS NOT NULL
  OR attachments IS NOT NULL OR transcript IS NOT NULL OR transcribe_until IS NOT NULL);

-- name: the storage that an account uses equals a recount
SELECT u.id, u.storage_used FROM user u
WHERE u.storage_used <> (SELECT coalesce(sum(b.size), 0) FROM attachment a JOIN blob b ON b.id IN (a.blob_id, a.preview_id) WHERE a.user_id = u.id)
  + (SELECT coalesce(sum(b.size), 0) FROM picture p JOIN blob b ON b.id = p.blob_id WHERE p.user_id = u.id);

-- name: a file is counted in every message that has it
SELECT a.id FROM attachment a
WHERE a.uses <> (SELECT count(*) FROM message_attachment ma WHERE ma.attachment_id = a.id);

-- name: a message describes the files that it has
SELECT x.id FROM message x
WHERE (x.attachments IS NOT NULL OR EXISTS (SELECT 1 FROM message_attachment ma WHERE ma.conversation_id = x.conversation_id AND ma.message_at = x.created_at))
  AND ((SELECT count(*) FROM json_each(x.attachments)) <>
      (SELECT count(*) FROM message_attachment ma WHERE ma.conversation_id = x.conversation_id AND ma.message_at = x.created_at)
    OR EXISTS (SELECT 1 FROM json_each(x.attachments) j WHERE NOT EXISTS (SELECT 1 FROM message_attachment ma
      WHERE ma.attachment_id = json_extract(j.value, '$.id') AND ma.conversation_id = x.conversation_id AND ma.message_at = x.created_at)));

-- name: what a file or a picture has is complete
SELECT a.id FROM attachment a JOIN blob b ON b.id IN (a.blob_id, a.preview_id) WHERE b.hash IS NULL
UNION ALL SELECT p.id FROM picture p JOIN blob b ON b.id = p.blob_id WHERE b.hash IS NULL
UNION ALL SELECT f.report_id FROM report_file f JOIN blob b ON b.id IN (f.blob_id, f.preview_id) WHERE b.hash IS NULL;

-- name: the files of a report are of the sender of a message
SELECT f.report_id FROM report_file f JOIN report p ON p.id = f.report_id WHERE p.target_type <> 'message' OR p.user_id IS NOT f.user_id;

-- name: a complete blob has all of its bytes, in full parts
SELECT b.id FROM blob b
WHERE b.hash IS NOT NULL AND (b.size <> (SELECT coalesce(sum(length(p.data)), 0) FROM blob_part p WHERE p.id >= b.id << 16 AND p.id < (b.id + 1) << 16)
  OR EXISTS (SELECT 1 FROM blob_part p WHERE p.id >= b.id << 16 AND p.id < (b.id << 16) + b.size / 65536 AND length(p.data) <> 65536));

-- name: every part is of a blob
SELECT p.id FROM blob_part p WHERE NOT EXISTS (SELECT 1 FROM blob b WHERE b.id = p.id >> 16);

-- name: a used link is used once and a code has few attempts
SELECT token_hash FROM login_link WHERE attempts > 5;

-- name: foreign keys hold
SELECT "table", rowid, parent FROM pragma_foreign_key_check;

-- name: a message has one automatic reply at most, by the other person of a direct conversation
SELECT x.id FROM message x JOIN conversation c ON c.id = x.conversation_id WHERE x.via_secretary = 1 AND (c.type <> 'direct'
  OR EXISTS (SELECT 1 FROM message o WHERE o.conversation_id = x.conversation_id AND o.via_secretary = 1 AND o.reply_to_id = x.reply_to_id AND o.id <> x.id));

-- name: nobody signs in as a bot
SELECT u.id FROM user u WHERE u.bot_owner_id IS NOT NULL AND (u.is_bot = 0 OR u.is_admin = 1 OR u.password_hash <> ''
  OR EXISTS (SELECT 1 FROM session s WHERE s.user_id = u.id) OR EXISTS (SELECT 1 FROM secretary y WHERE y.user_id = u.id));

-- name: a secretary has 50 answers at most
SELECT user_id FROM secretary_answer GROUP BY user_id HAVING count(*) > 50;

-- name: what was deleted is not in the index of words, or waits to leave it
SELECT 'message', rowid FROM (SELECT rowid FROM message_word EXCEPT SELECT created_at FROM message WHERE deleted_at IS NULL AND message_type = 'text' EXCEPT SELECT id FROM word_queue WHERE noun = 'message')
UNION ALL SELECT 'list', rowid FROM (SELECT rowid FROM list_word EXCEPT SELECT seq FROM list EXCEPT SELECT id FROM word_queue WHERE noun = 'list')
UNION ALL SELECT 'item', rowid FROM (SELECT rowid FROM item_word EXCEPT SELECT seq FROM item EXCEPT SELECT id FROM word_queue WHERE noun = 'item');

-- name: what is found is in the index of words, or waits for it
SELECT 'message', created_at FROM (SELECT created_at FROM message WHERE deleted_at IS NULL AND message_type = 'text' EXCEPT SELECT rowid FROM message_word EXCEPT SELECT id FROM word_queue WHERE noun = 'message')
UNION ALL SELECT 'list', seq FROM (SELECT seq FROM list EXCEPT SELECT rowid FROM list_word EXCEPT SELECT id FROM word_queue WHERE noun = 'list')
UNION ALL SELECT 'item', seq FROM (SELECT seq FROM item EXCEPT SELECT rowid FROM item_word EXCEPT SELECT id FROM word_queue WHERE noun = 'item');

-- name: what is not active has no vectors, and an intent for everybody no audience
SELECT i.id FROM intent i WHERE i.status <> 'active' AND EXISTS (SELECT 1 FROM intent_vector v WHERE v.seq = i.seq)
  OR i.audience = 0 AND EXISTS (SELECT 1 FROM intent_audience a WHERE a.intent = i.seq);

-- name: a match has the accounts of its intents
SELECT x.id FROM intent_match x JOIN intent a ON a.seq = x.a_intent JOIN intent b ON b.seq = x.b_intent
WHERE x.a_user <> a.owner_id OR x.b_user <> b.owner_id;

-- name: a match that is connected has one card in the direct conversation of its accounts, deleted or not, and no other has one
WITH card AS MATERIALIZED (SELECT coalesce(m.card_payload ->> 'matchId', (SELECT y.id FROM intent_match y
    WHERE y.conversation_id = m.conversation_id AND y.a_updated_at = m.created_at)) AS match_id, count(*) AS total
  FROM message m WHERE m.card_kind = 'match_context' GROUP BY 1)
SELECT x.id FROM intent_match x LEFT JOIN card ON card.match_id = x.id
WHERE (x.state = 'connected' AND x.conversation_id IS NOT NULL) <> coalesce(card.total, 0)
  OR x.conversation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversation c
    WHERE c.id = x.conversation_id AND c.type = 'direct' AND instr(c.direct_key, x.a_user) > 0 AND instr(c.direct_key, x.b_user) > 0);

-- name: a Story belongs to the account of its intent
SELECT s.id FROM story s JOIN intent i ON i.seq = s.intent WHERE s.owner_id <> i.owner_id;

-- name: deleted posts have no text, and no hash of one
SELECT id FROM context_post WHERE deleted_at IS NOT NULL AND (text <> '' OR request_hash IS NOT NULL);

-- name: a reply to a post is in its conversation
SELECT x.id FROM context_post x JOIN context_post p ON p.id = x.reply_to_id WHERE p.conversation_id <> x.conversation_id;

-- name: a request is about a revision that the post has had, and of the account of its key
SELECT q.id FROM context_request q JOIN context_post x ON x.id = q.post_id WHERE q.source_revision > x.revision OR q.conversation_id <> x.conversation_id
UNION ALL SELECT q.id FROM context_request q JOIN api_key k ON k.id = q.key_id WHERE k.user_id <> q.owner_id;

-- name: a request is completed by a reply to its post, which completes no other
SELECT q.id FROM context_request q JOIN context_post y ON y.id = q.reply_id WHERE y.reply_to_id <> q.post_id OR y.conversation_id <> q.conversation_id
UNION ALL SELECT q.reply_id FROM context_request q WHERE q.reply_id IS NOT NULL GROUP BY q.reply_id HAVING count(*) > 1;

-- name: an intent that was made of a post is not active and has no match
SELECT n.intent FROM context_intention n JOIN intent i ON i.seq = n.intent WHERE n.owner_id <> i.owner_id
  OR n.born = 1 AND (i.status = 'active' OR EXISTS (SELECT 1 FROM intent_match m WHERE m.a_intent = i.seq OR m.b_intent = i.seq));

-- name: an intention that is closed is not searched for
SELECT n.intent FROM context_intention n JOIN intent i ON i.seq = n.intent WHERE n.state <> 'open' AND i.status IN ('active', 'paused');

-- name: a post that is tracked has an intention of its author
SELECT x.id FROM context_post x WHERE x.intent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM context_intention n WHERE n.intent = x.intent AND n.owner_id = x.author_id);
