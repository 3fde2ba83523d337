package store

import "testing"

// now is the moment of these predicates; times are those around it.
const nowInTest = `1000`

func around(fact string) string {
	return `CASE ` + fact + ` WHEN 'before' THEN 999 WHEN 'now' THEN 1000 WHEN 'after' THEN 1001 END`
}

// obstacles between an owner o and another account v.
var (
	suspension = values{"no": ``, "owner": `user (id, suspended_at) SELECT 'o' || i, 1`, "other": `user (id, suspended_at) SELECT 'v' || i, 1`,
		"neither": `user (id) SELECT 'o' || i; user (id) SELECT 'v' || i`}
	blocking = values{
		"no": ``, "by owner": `block SELECT 'o' || i, 'v' || i, 0`, "of owner": `block SELECT 'v' || i, 'o' || i, 0`,
	}
	// inTogether are conversations c of both.
	inTogether = values{
		"both": `member (conversation_id, user_id) SELECT 'c' || i, 'o' || i;
			member (conversation_id, user_id) SELECT 'c' || i, 'v' || i`,
		"owner": `member (conversation_id, user_id) SELECT 'c' || i, 'o' || i`,
		"other": `member (conversation_id, user_id) SELECT 'c' || i, 'v' || i`,
		"owner hidden": `member (conversation_id, user_id, hidden) SELECT 'c' || i, 'o' || i, 1;
			member (conversation_id, user_id) SELECT 'c' || i, 'v' || i`,
		"other hidden": `member (conversation_id, user_id) SELECT 'c' || i, 'o' || i;
			member (conversation_id, user_id, hidden) SELECT 'c' || i, 'v' || i, 1`,
	}
)

// others are members of the conversation, and of another with both.
const others = `member (conversation_id, user_id) SELECT 'c' || i, 'x' || i;
	member (conversation_id, user_id) SELECT 'other' || i, 'o' || i;
	member (conversation_id, user_id) SELECT 'other' || i, 'v' || i`

// An intent is matched with intents of other accounts that may see it, until it expires.
func TestWhoMatches(t *testing.T) {
	w := truth{
		rows: others + `; intent (seq, owner_id, status, audience, expires_at)
			SELECT i, iif(own = 'yes', 'v' || i, 'o' || i), status, audience <> 'all', ` + around("expires"),
		facts: map[string]values{
			"own":     {"no": ``, "yes": ``},
			"status":  {"active": ``, "paused": ``},
			"expires": {"never": ``, "before": ``, "now": ``, "after": ``},
			"paused": {
				"nobody": `social_preference (user_id, network_paused) SELECT 'o' || i, 0;
					social_preference (user_id, network_paused) SELECT 'v' || i, 0`,
				"owner": `social_preference (user_id, network_paused) SELECT 'o' || i, 1`,
				"other": `social_preference (user_id, network_paused) SELECT 'v' || i, 1`,
			},
			"suspended": suspension, "block": blocking, "together": inTogether,
			"audience": {
				"all": ``, "others": `intent_audience (intent, user_id) SELECT i, 'x' || i`,
				"other":        `intent_audience (intent, user_id) SELECT i, 'v' || i`,
				"conversation": `intent_audience (intent, conversation_id) SELECT i, 'c' || i`,
			},
		},
		where: `(own = 'yes') + (status = 'paused') + (expires <> 'never') + (paused <> 'nobody') + (suspended <> 'neither')
			+ (block <> 'no') <= 1
			AND (together = 'both' OR audience = 'conversation')`,
	}.open(t)
	addressed := func(f facts) bool {
		return f.is("audience", "all", "other") || f.is("audience", "conversation") && f.is("together", "both")
	}
	w.check(t, "matchableIntent", `JOIN intent t ON t.seq = n.i`, matchableIntent("t", "'v' || n.i", nowInTest), func(f facts) bool {
		return f.is("own", "no") && f.is("status", "active") && f.is("expires", "never", "after") && f.is("paused", "nobody") &&
			f.is("suspended", "no", "neither") && f.is("block", "no") && addressed(f)
	})
	w.check(t, "searchedIntent", `JOIN intent t ON t.seq = n.i AND n.own = 'no'`, searchedIntent("t", "'v' || n.i", nowInTest),
		func(f facts) bool {
			return f.is("own", "no") && f.is("status", "active") && f.is("expires", "never", "after") && addressed(f)
		})
}

// Two intents were matched whichever of them is named first.
func TestWhatWasMatched(t *testing.T) {
	w := truth{
		rows:  `intent_match (id, a_intent, b_intent) SELECT i, 10 * i, 10 * i + 1`,
		facts: map[string]values{"a": {"0": ``, "1": ``, "2": ``}, "b": {"0": ``, "1": ``, "2": ``}},
	}.open(t)
	w.check(t, "notMatched", ``, notMatched("10 * n.i + n.a", "10 * n.i + n.b"), func(f facts) bool {
		return !(f.is("a", "0") && f.is("b", "1") || f.is("a", "1") && f.is("b", "0"))
	})
}

// A match is seen by its two accounts, and a Story by those in its audience.
func TestWhoSeesMatchesAndStories(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `CASE viewing WHEN 'nobody' THEN '' WHEN 'owner' THEN 'o' || i WHEN 'other' THEN 'v' || i
			ELSE 's' || i END`},
		rows: others + `; intent_match (id, a_user, b_user, state, a_intent, b_intent)
			SELECT 'm' || i, 'o' || i, 'v' || i, state, 2 * i, 2 * i + 1;
			story (id, owner_id, text, status, story_expires_at, intent)
			SELECT 's' || i, 'o' || i, iif(text = 'yes', 'x', NULL), status, ` + around("expires") + `, i`,
		facts: map[string]values{
			"viewing":   {"owner": ``, "other": ``, "stranger": ``, "nobody": ``},
			"state":     {"open": ``, "connected": ``},
			"suspended": suspension, "block": blocking, "together": inTogether,
			"text":    {"yes": ``, "no": ``},
			"status":  {"active": ``, "paused": ``},
			"expires": {"before": ``, "now": ``, "after": ``},
			"audience": {
				"others":       `story_audience (story_id, user_id) SELECT 's' || i, 'x' || i`,
				"other":        `story_audience (story_id, user_id) SELECT 's' || i, 'v' || i`,
				"conversation": `story_audience (story_id, conversation_id) SELECT 's' || i, 'c' || i`,
			},
		},
		where: `(suspended <> 'neither') + (block <> 'no') + (text = 'no') + (status = 'paused') + (expires <> 'after') <= 1
			AND (together = 'both' OR audience = 'conversation' AND state = 'open')`,
	}.open(t)
	w.check(t, "visibleMatch", `JOIN intent_match m ON m.id = 'm' || n.i`, visibleMatch("m", "n.viewer"), func(f facts) bool {
		return f.is("viewing", "owner", "other") && (f.is("state", "open") || f.is("block", "no"))
	})
	w.check(t, "visibleStory", `JOIN story s ON s.id = 's' || n.i`, visibleStory("s", "n.viewer", nowInTest), func(f facts) bool {
		addressed := f.is("viewing", "other") && f.is("block", "no") && !f.is("suspended", "owner") &&
			(f.is("audience", "other") || f.is("audience", "conversation") && f.is("together", "both"))
		return f.is("text", "yes") && f.is("status", "active") && f.is("expires", "after") && (f.is("viewing", "owner") || addressed)
	})
}

// Keys receive requests, and answer them, while everything that it takes is so.
func TestWhichKeysReceiveRequests(t *testing.T) {
	t.Parallel()
	w := truth{
		ids: map[string]string{"key": `iif(asked LIKE 'nobody%', '', 'k' || i)`},
		rows: others + `; api_key (id, kind, can_read, can_write, revoked_at, expires_at)
			SELECT 'k' || i, iif(kind = 'of lists', 'list', 'agent'), kind <> 'writes', kind <> 'reads',
			iif(kind = 'revoked', 1, NULL), ` + around("valid") + `;
			context_request (id, key_id, owner_id, requester_id, conversation_id, state, expires_at, post_id, source_revision)
			SELECT 'r' || i, CASE asked WHEN 'another' THEN 'x' WHEN 'nobody, of nobody' THEN '' ELSE 'k' || i END, 'o' || i,
			'v' || i, 'c' || i, iif(state = 'answered', 'answered', 'pending'), ` + around("expires") + `, 'p' || i, 7;
			context_post (conversation_id, created_at, id, author_id, revision, deleted_at)
			SELECT 'c' || i, i, 'p' || i, 'a' || i, iif(post = 'edited', 8, 7), iif(post = 'deleted', 1, NULL)`,
		facts: map[string]values{
			"asked": {"key": ``, "another": ``, "nobody": ``,
				"nobody, of nobody": `api_key (id, kind, can_read, can_write) SELECT DISTINCT '', 'agent', 1, 1;
					context_key (key_id) SELECT DISTINCT ''`},
			"kind":      {"of lists": ``, "reads": ``, "writes": ``, "revoked": ``, "usable": ``},
			"lets":      {"yes": `context_key (key_id) SELECT 'k' || i`, "no": `context_key (key_id) SELECT 'other' || i`},
			"valid":     {"always": ``, "before": ``, "now": ``, "after": ``},
			"suspended": suspension,
			"asker": {"anybody": ``, "bot of suspended": `user (id, bot_owner_id) SELECT 'v' || i, 'z' || i;
				user (id, suspended_at) SELECT 'z' || i, 1`},
			"together": inTogether,
			"block": {
				"no": ``, "by owner": `block SELECT 'o' || i, 'v' || i, 0`, "of owner": `block SELECT 'v' || i, 'o' || i, 0`,
				"by person": `block SELECT 'p' || i, 'v' || i, 0; user (id, bot_owner_id) SELECT 'o' || i, 'p' || i`,
			},
			"state":   {"pending": ``, "answered": ``},
			"expires": {"before": ``, "now": ``, "after": ``},
			"post":    {"same": ``, "edited": ``, "deleted": ``},
		},
		where: `(asked <> 'key') + (kind <> 'usable') + (lets = 'no') + (valid <> 'always') + (suspended NOT IN ('no', 'other'))
			+ (together <> 'both') + (block <> 'no')
			+ (state = 'answered') + (expires <> 'after') + (post <> 'same') + (asker <> 'anybody') <= 2
			AND NOT (block = 'by person' AND suspended IN ('owner', 'neither'))
			AND NOT (asker <> 'anybody' AND suspended IN ('other', 'neither'))`,
	}.open(t)
	usable := func(f facts) bool { return f.is("kind", "usable") && f.is("valid", "always", "after") }
	receives := func(f facts) bool { return usable(f) && f.is("lets", "yes") }
	received := func(f facts) bool {
		return f.is("asked", "key") && receives(f) && f.is("together", "both") && !f.is("suspended", "other") && f.is("block", "no") &&
			f.is("asker", "anybody")
	}
	const key, request = `JOIN api_key k ON k.id = 'k' || n.i`, `JOIN context_request r ON r.id = 'r' || n.i`
	w.check(t, "usableKey", key, usableKey("k", nowInTest), usable)
	w.check(t, "receivingKey", key, receivingKey("k", nowInTest), receives)
	w.check(t, "receivedRequest", request, receivedRequest("r", "n.key", nowInTest), received)
	w.check(t, "answerableRequest", request, answerableRequest("r", "n.key", nowInTest), func(f facts) bool {
		return received(f) && f.is("state", "pending") && f.is("expires", "after") && f.is("post", "same")
	})
}
