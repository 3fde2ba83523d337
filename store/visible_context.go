package store

// The predicates of the Context lane; see visible.go. Posts are visible like
// messages: to the members of their conversation.

// shownParent joins the post that a post replies to, if it is in the same conversation
// and visible to the viewer: former members keep their own posts, and not those.
func shownParent(parent, post, viewer string) string {
	return visible("conversation", parent+`.id = `+post+`.reply_to_id AND `+parent+`.conversation_id = `+post+`.conversation_id
		AND `+visibleConversation(parent+".conversation_id", viewer))
}

// shownIntention joins the intention of a visible post. Its state is shown.
func shownIntention(intention, post string) string {
	return visible("intent", intention+`.intent = `+post+`.intent`)
}

// ownIntention: an intention is visible to its account.
func ownIntention(intention, viewer string) string {
	return own("intent", intention+`.owner_id`, viewer)
}

// ownPost: a post is one of the viewer's own, in a conversation or not.
func ownPost(post, viewer string) string { return own("conversation", post+`.author_id`, viewer) }

// receivingKey: an agent key receives requests while it is valid, reads and
// writes, and its owner lets it.
func receivingKey(key, now string) string { return visible("key", receiving(key, now)) }

func receiving(key, now string) string {
	return usableKey(key, now) + ` AND EXISTS (SELECT 1 FROM context_key vc WHERE vc.key_id = ` + key + `.id)`
}

// usableKey: a key is an agent's, valid, and reads and writes.
func usableKey(key, now string) string {
	return `(` + key + `.kind = 'agent' AND ` + key + `.can_read = 1 AND ` + key + `.can_write = 1 AND ` + key + `.revoked_at IS NULL
		AND (` + key + `.expires_at IS NULL OR ` + key + `.expires_at > ` + now + `))`
}

// receivedRequest: a request is visible to the key that receives it, while the key
// receives requests. The key's account and the requester must be members of the
// conversation, the requester must not be suspended, and neither may block the
// other.
func receivedRequest(request, keyID, now string) string {
	return visible("request", receivedCondition(request, keyID, now))
}

func receivedCondition(request, keyID, now string) string {
	return request + `.key_id = ` + keyID + ` AND ` + keyID + ` <> ''
		AND EXISTS (SELECT 1 FROM api_key vk WHERE vk.id = ` + request + `.key_id AND ` + receiving("vk", now) + `)
		AND ` + bothMembers(request+".conversation_id", request+".owner_id", request+".requester_id") + `
		AND NOT EXISTS (SELECT 1 FROM user vu WHERE vu.id = ` + request + `.requester_id AND NOT (` + notSuspended("vu") + `))
		AND ` + noBlock(request+".owner_id", ownerOf(request+".owner_id"), request+".requester_id")
}

// answerableRequest: a request can be answered by the key that receives it until
// it expires, if the post is what it was then.
func answerableRequest(request, keyID, now string) string {
	return visible("request", receivedCondition(request, keyID, now)+` AND `+request+`.state = 'pending' AND `+request+`.expires_at > `+now+`
		AND EXISTS (SELECT 1 FROM context_post vp WHERE vp.id = `+request+`.post_id AND vp.revision = `+request+`.source_revision
			AND vp.deleted_at IS NULL)`)
}

// ownRequest: what a key was asked is visible to its owner, and to the owner of
// the bot as which it acts; what an account asked for, to that account.
func ownRequest(request, viewer string) string {
	return visible("request", viewer+` <> '' AND (`+request+`.owner_id = `+viewer+` OR `+request+`.requester_id = `+viewer+`
		OR EXISTS (SELECT 1 FROM user vb WHERE vb.id = `+request+`.owner_id AND vb.bot_owner_id = `+viewer+`))`)
}
