package store

// The predicates of asks, offers and Stories; see visible.go.

// ownIntent, ownStory, ownDraft, ownGrant and ownPreference: visible to their
// account.
func ownIntent(intent, viewer string) string { return own("intent", intent+`.owner_id`, viewer) }
func ownStory(story, viewer string) string   { return own("story", story+`.owner_id`, viewer) }
func ownDraft(draft, viewer string) string   { return own("draft", draft+`.owner_id`, viewer) }
func ownGrant(grant, viewer string) string   { return own("grant", grant+`.user_id`, viewer) }
func ownPreference(preference, viewer string) string {
	return own("preference", preference+`.user_id`, viewer)
}

// matchableIntent: an active intent can be matched with intents of another account.
// Neither account may have paused the network or be suspended, and neither may block
// the other. If the intent has an audience, the other account must be in it. The
// audience of the other intent is another condition.
func matchableIntent(intent, other, now string) string {
	owner := intent + `.owner_id`
	return visible("intent", searched(intent, other, now)+` AND `+owner+` <> `+other+`
		AND NOT EXISTS (SELECT 1 FROM social_preference vp WHERE vp.user_id IN (`+owner+`, `+other+`) AND vp.network_paused = 1)
		AND NOT EXISTS (SELECT 1 FROM user vu WHERE vu.id IN (`+owner+`, `+other+`) AND vu.suspended_at IS NOT NULL)
		AND `+noBlock(owner, `NULL`, other))
}

// searchedIntent: what an intent looks for is visible to an account that is in its
// audience, if it has one, while it is active.
func searchedIntent(intent, viewer, now string) string {
	return visible("intent", searched(intent, viewer, now))
}

// searched is searchedIntent within another predicate.
func searched(intent, other, now string) string {
	return intent + `.status = 'active' AND (` + intent + `.expires_at IS NULL OR ` + intent + `.expires_at > ` + now + `)
		AND (` + intent + `.audience = 0 OR EXISTS (SELECT 1 FROM intent_audience va WHERE va.intent = ` + intent + `.seq
			AND (va.user_id = ` + other + ` OR ` + bothMembers("va.conversation_id", intent+`.owner_id`, other) + `)))`
}

// bothMembers: two accounts are members of a conversation now.
func bothMembers(conversationID, a, b string) string {
	return `EXISTS (SELECT 1 FROM member ma JOIN member mb ON mb.conversation_id = ma.conversation_id
		WHERE ma.conversation_id = ` + conversationID + ` AND ma.user_id = ` + a + ` AND ma.hidden = 0 AND mb.user_id = ` + b + `
		AND mb.hidden = 0)`
}

// notMatched: two intents were not matched before, so that nobody sees a match of
// them.
func notMatched(a, b string) string {
	return visible("match", `NOT EXISTS (SELECT 1 FROM intent_match vx WHERE vx.a_intent = min(`+a+`, `+b+`) AND vx.b_intent = max(`+a+`, `+b+
		`))`)
}

// visibleMatch: a match is visible to the accounts of its two intents; one that
// has connected them, unless one blocks the other since.
func visibleMatch(match, viewer string) string {
	return visible("match", viewer+` <> '' AND (`+match+`.a_user = `+viewer+` OR `+match+`.b_user = `+viewer+`)
		AND (`+match+`.state <> 'connected' OR `+noBlock(match+".a_user", `NULL`, match+".b_user")+`)`)
}

// visibleStory: a Story for people is visible while it is active and not expired,
// to its owner and to its audience. The audience is named, or in a conversation
// with the owner now. Its owner must not be suspended, and neither may block the
// other.
func visibleStory(story, viewer, now string) string {
	owner := story + `.owner_id`
	return visible("story", viewer+` <> '' AND `+story+`.text IS NOT NULL AND `+story+`.status = 'active' AND `+story+`.story_expires_at > `+
		now+` AND (`+
		owner+` = `+viewer+` OR `+noBlock(owner, `NULL`, viewer)+`
			AND NOT EXISTS (SELECT 1 FROM user vu WHERE vu.id = `+owner+` AND vu.suspended_at IS NOT NULL)
			AND EXISTS (SELECT 1 FROM story_audience va WHERE va.story_id = `+story+`.id
				AND (va.user_id = `+viewer+` OR `+bothMembers("va.conversation_id", owner, viewer)+`)))`)
}

// matchedIntent joins the intent that a column of a visible row names: a match is
// visible with the kind and the terms of both intents, and a Story with the terms
// of its intent, for those who receive them.
func matchedIntent(intent, column string) string { return visible("intent", intent+`.seq = `+column) }
