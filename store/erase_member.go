package store

// mine is the condition for a conversation of a type that the account ?1 is a member
// of.
func mine(typ string) string {
	return `id IN (SELECT m.conversation_id FROM member m WHERE m.user_id = ?1) AND type = '` + typ + `'`
}

// leaveGroups is RemoveMember for all groups of an account. Where it is the only
// owner, the person who joined first becomes one, or a bot if there are only
// bots.
func (tx *Tx) leaveGroups(out *Erasure) error {
	groups, err := all[string](&tx.Reader, `SELECT id FROM conversation WHERE `+mine("group")+erasing, out.UserID)
	if err != nil || len(groups) == 0 {
		return err
	}
	ids := jsonList(groups)
	out.Members, err = all[Member](&tx.Reader, `UPDATE member SET role = 'owner'
		WHERE (conversation_id, user_id) IN (SELECT m.conversation_id, (
				SELECT n.user_id FROM member n JOIN user u ON u.id = n.user_id WHERE n.conversation_id = m.conversation_id AND n.user_id <> ?1
				ORDER BY u.is_bot, u.suspended_at IS NOT NULL, n.joined_at LIMIT 1)
			FROM json_each(?2) j CROSS JOIN member m ON m.conversation_id = j.value AND m.user_id = ?1 WHERE m.role = 'owner'
			AND NOT EXISTS (SELECT 1 FROM member o WHERE o.conversation_id = m.conversation_id AND o.role = 'owner' AND o.user_id <> ?1))
		RETURNING `+memberColumns+` /* server: a group has an owner */`, out.UserID, ids)
	if err != nil {
		return err
	}
	for _, id := range groups {
		out.Members = append(out.Members, Member{ConversationID: id, UserID: out.UserID})
	}
	return tx.execAll(
		statement{`DELETE FROM member WHERE user_id = ?1 AND conversation_id IN (SELECT value FROM json_each(?2))`, []any{out.UserID, ids}},
		statement{`UPDATE conversation SET ` + memberLeft("conversation.id", "?1") +
			`, updated_at = ?3 WHERE id IN (SELECT value FROM json_each(?2))`,
			[]any{out.UserID, ids, tx.Now}},
	)
}

// leaveDirects puts DeletedUserID in the place of the account in its direct
// conversations, or leaves those without members in which nobody else is. The title
// is by whoever began the conversation, its owner. The key of the pair, which has both
// ids, becomes one that no pair can have.
func (tx *Tx) leaveDirects(out *Erasure) error {
	directs, err := all[string](&tx.Reader, `SELECT id FROM conversation WHERE `+mine("direct")+erasing, out.UserID)
	if err != nil || len(directs) == 0 {
		return err
	}
	ids := jsonList(directs)
	alone, err := all[string](&tx.Reader, `SELECT j.value FROM json_each(?2) j WHERE NOT EXISTS (
		SELECT 1 FROM member o WHERE o.conversation_id = j.value AND o.user_id NOT IN (?1, ?3))`+erasing, out.UserID, ids, DeletedUserID)
	if err != nil {
		return err
	}
	empty := jsonList(alone)
	return tx.execAll(
		statement{`DELETE FROM member WHERE conversation_id IN (SELECT value FROM json_each(?))`, []any{empty}},
		statement{`UPDATE conversation SET direct_key = id, member_count = 0, bot_count = 0, owners = '', recent = ''
			WHERE id IN (SELECT value FROM json_each(?))`, []any{empty}},
		statement{`UPDATE conversation SET title = iif(owners = ?2, NULL, title), direct_key = replace(direct_key, ?2, ?3) || ':' || id,
			bot_count = bot_count - ` + isBot("?2") + `,
			owners = replace(owners, ?2, ?3), recent = replace(recent, ?2, ?3) WHERE id IN (SELECT value FROM json_each(?1)) AND member_count > 0`,
			[]any{ids, out.UserID, DeletedUserID}},
		statement{`UPDATE member SET hidden = 0 WHERE hidden = 1 AND conversation_id IN (SELECT value FROM json_each(?))`, []any{ids}},
		statement{`UPDATE member SET user_id = ?2, seen_count = 0, last_read_at = NULL, muted_until = NULL, notify = NULL WHERE user_id = ?1`,
			[]any{out.UserID, DeletedUserID}},
	)
}
