-- Rows of three accounts, :x, :y and :z, in the tables that do not already have some
-- of them; see crowd.go. 1 << 52 is a moment that never comes.
UPDATE user SET discovery_mode = 'hidden', group_adds = 'nobody', storage_used = 5 WHERE id = :x;
UPDATE user SET discovery_mode = 'hidden', group_adds = 'nobody' WHERE id IN (:y, :z);
INSERT INTO session (id, user_id, kind, token_hash, epoch, created_at, expires_at) VALUES ('crowd', :x, 'browser', 'crowd', 1, :at, 1 << 52);
INSERT INTO login_link (token_hash, email, email_key, code_hash, created_at, expires_at) VALUES ('crowd', 'xq@crowd.example', 'xq@crowd.example', 'crowd', :at, 1 << 52);
INSERT INTO community_invite (id, token_hash, created_by, uses_left, created_at, expires_at) VALUES ('crowd', 'crowd', :x, 3, :at, 1 << 52);
INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES ('crowd', :y, 'agent', 'crowd', 'oc_crowd', 'crowd', 1, 1, :at);
INSERT INTO key_use (key_id, operation, failed, uses, last_at) VALUES ('crowd', 'Crowd', 0, 1, 1 << 52);
INSERT INTO quota (name, since, used, ends) VALUES ('crowd', :at, 1, 1 << 52);
INSERT INTO idempotency (hash, request, answer, expires_at) VALUES ('crowd', 'crowd', NULL, 1 << 52);
INSERT INTO block (blocker_id, blocked_id, created_at) VALUES (:x, :z, :at);
INSERT INTO found_person (user_id, found_id) VALUES (:y, :z);
INSERT INTO friend (user_id, other_id, state, updated_at) VALUES (:x, :y, 'friends', :at), (:y, :x, 'friends', :at), (:y, :z, 'incoming', :at), (:z, :y, 'outgoing', :at);
INSERT INTO friend_cooldown (requester_id, other_id, until) VALUES (:z, :y, 1 << 52);
INSERT INTO card (user_id, token, created_at, updated_at) VALUES (:y, 'crowd', :at, :at);
INSERT INTO former_member (conversation_id, user_id, removed, at) VALUES (:group, :z, 1, :at);
INSERT INTO conversation_change (conversation_id, at, kind, user_id, actor_id) VALUES (:group, :at - 1, 'removed', :z, :x);
INSERT INTO invite (token_hash, conversation_id, created_by, uses_left, created_at, expires_at, id) VALUES ('crowd', :group, :x, 3, :at, 1 << 52, 'crowd');
UPDATE message SET reacted = 1, mentioned = 1 WHERE id = :message0;
INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES (:group, :at0, '👍', :y, :at);
INSERT OR IGNORE INTO mention (conversation_id, message_at, start, user_id, size) VALUES (:group, :at0, 0, :y, 3);
INSERT INTO blob (id, hash, size, created_at) VALUES (1 << 40, 'crowd', 5, :at);
INSERT INTO blob_part (id, data) VALUES (1 << 56, CAST('crowd' AS BLOB));
INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, uses, created_at) VALUES ('crowd', :x, 1 << 40, 'crowd', 'text/plain', 5, 1, :at);
INSERT INTO message_attachment (attachment_id, conversation_id, message_at) VALUES ('crowd', :group, :at0);
INSERT INTO picture (id, user_id, blob_id, mime_type, created_at) VALUES ('crowd', :y, 1 << 40, 'image/png', :at);
UPDATE user SET storage_used = 5 WHERE id = :y;
INSERT INTO thought (id, user_id, text, kind, status, tags, source_message_id, source_conversation_id, captured, created_at, updated_at) VALUES
  ('crowd1', :y, 'crowd', 'fact', 'none', '["crowd"]', :message1, :group, 1, :at, :at),
  ('crowd2', :x, 'crowd', 'decision', 'open', '[]', :message1, :group, 0, :at, :at);
INSERT INTO thought_pin (conversation_id, thought_id, pinned_by, pinned_at) VALUES (:group, 'crowd2', :x, :at);
INSERT INTO thought_collapsed (user_id, conversation_id, thought_id) VALUES (:y, :group, 'crowd2');
INSERT INTO secretary (user_id, enabled, updated_at) VALUES (:x, 1, :at);
INSERT INTO secretary_answer (id, user_id, question, answer, created_at, updated_at) VALUES ('crowd', :x, 'crowd', 'crowd', :at, :at);
INSERT INTO webhook (id, user_id, conversation_id, url, secret, token, created_at) VALUES ('crowd1', :x, :group, 'https://crowd.example/', 'crowd', 'crowd', :at), ('crowd2', :y, NULL, 'https://crowd.example/', 'crowd', 'crowd', :at);
INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) VALUES ('crowd1', :at0, :group, :message0, 1 << 52);
INSERT INTO delivery (webhook_id, at, conversation_id, message_id, attempts, outcome, status, took_ms, done_at) VALUES ('crowd1', :at1, :group, :message1, 1, 'delivered', 200, 5, 1 << 52);
INSERT INTO push_subscription (id, user_id, session_id, endpoint, p256dh, auth, name, created_at) VALUES ('crowd', :x, 'crowd', 'https://crowd.example/', 'crowd', 'crowd', 'crowd', :at);
INSERT INTO push (subscription_id, tag, event_id, kind, object_id, at) VALUES ('crowd', :group, 1, 'message.created', :message0, :at);
INSERT INTO push_preference (user_id, hide_content, quiet_from, quiet_to, time_zone) VALUES (:x, 1, '22:00', '07:00', 'UTC');
INSERT INTO item_star (item_id, user_id, created_at) VALUES (:item, :y, :at);
INSERT INTO item_comment (id, item_id, path, author_id, content, created_at) VALUES ('crowd', :item, '0000000000001', :y, 'crowd', :at);
UPDATE item SET star_count = 1, comment_count = 1, link_key = 'crowd.example', checked_at = :at, checked_by = :y WHERE id = :item;
UPDATE list SET checked_count = 1 WHERE id = :list;
INSERT INTO held_item (id, list_id, content, source_note, created_at, updated_at) VALUES ('crowd', :list, 'crowd', 'crowd', :at, :at);
INSERT INTO item_receipt (token_hash, list_id, item_id, expires_at) VALUES ('crowd', :list, 'crowd', 1 << 52);
INSERT INTO link_preview (url, title, description, image, site_name, fetched_at) VALUES ('https://crowd.example/', 'crowd', '', '', '', 1 << 52);
INSERT INTO social_preference (user_id, experience_mode, network_paused, updated_at) VALUES (:x, 'simple', 1, :at), (:y, 'simple', 1, :at);
INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at) VALUES
  (1 << 40, 'crowd1', :x, 'ask', 'crowd', '["crowd"]', '[]', 'fulfillment', 0, 0, 'active', 1, :at, :at),
  ((1 << 40) + 1, 'crowd2', :y, 'offer', 'crowd', '[]', '["crowd"]', 'fulfillment', 0, 0, 'active', 0, :at, :at);
INSERT INTO intent_audience (intent, user_id) VALUES (1 << 40, :y);
INSERT INTO intent_match (id, a_intent, b_intent, a_user, b_user, type, score, state, a_updated_at, b_updated_at, created_at) VALUES ('crowd', 1 << 40, (1 << 40) + 1, :x, :y, 'complementary', 50, 'open', :at, :at, :at);
INSERT INTO story (id, owner_id, intent, text, quiet_search, status, story_expires_at, search_expires_at, created_at, updated_at) VALUES ('crowd', :x, 1 << 40, 'crowd', 1, 'active', 1 << 52, 1 << 52, :at, :at);
INSERT INTO story_audience (story_id, user_id) VALUES ('crowd', :y);
INSERT INTO story_new (story_id, user_id) VALUES ('crowd', :y);
INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at) VALUES ('crowd', :x, 'crowd', '[]', '[]', 'fulfillment', 0, 'pending', :at, :at);
INSERT INTO approval_grant (hash, user_id, key_id, agent_name, action, object_id, payload, created_at, expires_at) VALUES (x'c0', :x, 'crowd', 'crowd', 'publish_story', '', '{}', :at, 1 << 52);
INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at) VALUES (:group, :at, 'crowd', :x, 'ask', 'crowd', 'crowd', :at);
INSERT INTO context_key (key_id, enabled_at) VALUES ('crowd', :at);
INSERT INTO context_request (id, post_id, conversation_id, source_revision, requester_id, owner_id, key_id, state, created_at, expires_at) VALUES ('crowd', 'crowd', :group, 1, :x, :y, 'crowd', 'pending', 1 << 52, 1 << 52);
