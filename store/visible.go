package store

// The predicates that say who may see what. Each takes SQL expressions, a
// table's alias and the viewer's user id, and is used by every query that
// reads for somebody, by id as much as in lists; so what may not be seen is
// no row. With a column as the viewer the same text finds an event's
// recipients. An anonymous viewer's id is the empty text.

// visibleConversation: its members see a conversation and all that is in it.
func visibleConversation(conversationID, viewer string) string {
	return `EXISTS (SELECT 1 FROM member vm WHERE vm.conversation_id = ` + conversationID + ` AND vm.user_id = ` + viewer + `)`
}

// visibleList: everybody sees public lists; whoever is signed in and has the
// id sees an unlisted one; a private one is its owner's and those it is
// shared with.
func visibleList(list, viewer string) string {
	return `(` + list + `.visibility IN ('public', 'public-edit') OR ` + viewer + ` <> '' AND (` +
		list + `.visibility = 'unlisted' OR ` + list + `.owner_id = ` + viewer +
		` OR EXISTS (SELECT 1 FROM list_member vl WHERE vl.list_id = ` + list + `.id AND vl.user_id = ` + viewer + `)))`
}

// visibleUser: whoever is signed in finds people who let themselves be found
// by name, and knows everybody they share a conversation with. Suspended
// accounts and the system's own cannot be found.
func visibleUser(user, viewer string) string {
	return `(` + user + `.id = ` + viewer + ` OR ` + user + `.is_system = 0 AND ` + user + `.suspended_at IS NULL AND ` + viewer + ` <> '' AND (` +
		user + `.discovery_mode = 'name' OR EXISTS (SELECT 1 FROM member va JOIN member vb ON vb.conversation_id = va.conversation_id
			WHERE va.user_id = ` + viewer + ` AND vb.user_id = ` + user + `.id)))`
}

// reachableUser: one can write first to whom one can find, and to those who
// are found by their exact address only: who has their id had the address, or
// has met them.
func reachableUser(user, viewer string) string {
	return `(` + visibleUser(user, viewer) + ` OR ` + user + `.is_system = 0 AND ` + user + `.suspended_at IS NULL AND ` +
		viewer + ` <> '' AND ` + user + `.discovery_mode = 'email_only')`
}
