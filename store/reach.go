package store

// Reached is an account that an audience reaches.
type Reached struct {
	ID, Name, AvatarURL string
	IsBot               bool
	Total               int // how many there are; the same in every row
}

// Reach returns the first limit accounts, by name, that an audience of by's account
// reaches at this moment: the people that it names, and the members of the
// conversations that it names if by's account is in them. by's account itself, and
// accounts with a block between them, are left out.
func (r *Reader) Reach(by Viewer, a Audience, limit int) ([]Reached, error) {
	return all[Reached](r, `SELECT u.id, u.name, u.avatar_url, u.is_bot, count(*) OVER () FROM (
			SELECT j.value AS id FROM json_each(?2) j
			UNION SELECT m.user_id FROM json_each(?3) j JOIN member m ON m.conversation_id = j.value AND m.hidden = 0
			WHERE `+visibleConversation("j.value", "?1")+`
		) chosen CROSS JOIN user u ON u.id = chosen.id
		WHERE u.id <> ?1 AND `+reachableUser("u", "?1")+` ORDER BY u.name_key, u.id LIMIT ?4`,
		by.UserID, jsonList(a.UserIDs), jsonList(a.ConversationIDs), limit)
}

// GroupsOf returns how many of the conversations that an audience of by's account names
// are groups that it is in: those whose later members it reaches too.
func (r *Reader) GroupsOf(by Viewer, a Audience) (int, error) {
	return one[int](r, `SELECT count(*) FROM json_each(?2) j JOIN conversation c ON c.id = j.value AND c.type = 'group' WHERE `+
		visibleConversation("c.id", "?1"),
		by.UserID, jsonList(a.ConversationIDs))
}
