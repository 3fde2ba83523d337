package store

import "testing"

// people are a viewer and an account, in all ways in which they can be related. Each
// is also in a conversation without the other, and is a friend of a third account: the
// viewer has found that one, and it the account.
var people = truth{
	ids: map[string]string{
		"subject": `'s' || i`,
		"viewer":  `CASE viewing WHEN 'nobody' THEN '' WHEN 'self' THEN 's' || i ELSE 'v' || i END`,
		"person":  `CASE WHEN account = 'own bot' THEN 'v' || i WHEN account LIKE 'bot%' THEN 'so' || i ELSE 's' || i END`,
	},
	rows: `user (id, group_adds) SELECT 'so' || i, adds;
		user (id) SELECT 'vo' || i;
		member (conversation_id, user_id) SELECT 'of s' || i, subject;
		member (conversation_id, user_id) SELECT 'of v' || i, 'v' || i;
		friend SELECT 'x' || i, person, 'friends', 0;
		friend SELECT 'v' || i, 'x' || i, 'friends', 0;
		found_person SELECT 'x' || i, subject;
		found_person SELECT 'v' || i, 'x' || i`,
	facts: map[string]values{
		"viewing": {
			"person": `user (id) SELECT viewer`,
			"bot":    `user (id, is_bot, bot_owner_id) SELECT viewer, 1, 'vo' || i`,
			"self":   ``,
			"nobody": ``,
		},
		"account": {
			"person":    `user (id, verified_at, discovery_mode, group_adds) SELECT subject, iif(address = 'proven', 1, NULL), mode, adds`,
			"system":    `user (id, verified_at, discovery_mode, is_system) SELECT subject, iif(address = 'proven', 1, NULL), mode, 1`,
			"suspended": `user (id, verified_at, discovery_mode, suspended_at) SELECT subject, iif(address = 'proven', 1, NULL), mode, 1`,
			"bot": `user (id, verified_at, discovery_mode, is_bot, bot_owner_id)
				SELECT subject, iif(address = 'proven', 1, NULL), mode, 1, 'so' || i`,
			"bot of suspended": `user (id, verified_at, discovery_mode, is_bot, bot_owner_id)
				SELECT subject, iif(address = 'proven', 1, NULL), mode, 1, 'sp' || i;
				user (id, suspended_at, group_adds) SELECT 'sp' || i, 1, adds`,
			"own bot": `user (id, verified_at, discovery_mode, is_bot, bot_owner_id)
				SELECT subject, iif(address = 'proven', 1, NULL), mode, 1, viewer`,
			"deleted own bot": `user (id, verified_at, discovery_mode, is_bot, bot_owner_id, suspended_at)
				SELECT subject, iif(address = 'proven', 1, NULL), mode, 1, viewer, 1`,
		},
		"address": {"proven": ``, "unproven": ``},
		"mode":    {"name": ``, "email_only": ``, "hidden": ``},
		"friend": {
			"none":     ``,
			"incoming": `friend SELECT viewer, person, 'incoming', 0`,
			"outgoing": `friend SELECT viewer, person, 'outgoing', 0`,
			"friends":  `friend SELECT viewer, person, 'friends', 0`,
		},
		"found": {"no": ``, "yes": `found_person SELECT viewer, subject`},
		"together": {
			"no": ``,
			"yes": `member (conversation_id, user_id) SELECT 'c' || i, viewer;
				member (conversation_id, user_id) SELECT 'c' || i, subject`,
			"viewer hidden": `member (conversation_id, user_id, hidden) SELECT 'c' || i, viewer, 1;
				member (conversation_id, user_id) SELECT 'c' || i, subject`,
			"account hidden": `member (conversation_id, user_id) SELECT 'c' || i, viewer;
				member (conversation_id, user_id, hidden) SELECT 'c' || i, subject, 1`,
		},
		"block": {
			"no":              ``,
			"by viewer":       `block SELECT viewer, subject, 0`,
			"of viewer":       `block SELECT subject, viewer, 0`,
			"by viewer owner": `block SELECT 'vo' || i, subject, 0`,
			"of viewer owner": `block SELECT subject, 'vo' || i, 0`,
			"by owner":        `block SELECT 'so' || i, viewer, 0`,
			"of owner":        `block SELECT viewer, 'so' || i, 0`,
		},
		"adds": {"everybody": ``, "friends": ``, "nobody": ``},
		"former": {
			"no":      ``,
			"left":    `former_member SELECT 'g', subject, 0, 0`,
			"removed": `former_member SELECT 'g', subject, 1, 0`,
		},
	},
	// One way to know each other at a time, unless nothing is in the way; all ways of
	// adding to groups for those who can be found by name.
	where: `(viewing NOT IN ('self', 'nobody') OR friend = 'none' AND found = 'no' AND together = 'no' AND block = 'no'
		AND account NOT LIKE '%own bot')
		AND ((friend <> 'none') + (found = 'yes') + (together <> 'no') <= 1 OR account = 'person' AND block = 'no' AND viewing = 'person')
		AND (address = 'proven' OR friend = 'none' AND together = 'no' AND adds = 'everybody')
		AND (friend = 'none' OR account NOT LIKE '%bot%' OR adds <> 'nobody')
		AND (adds = 'everybody' AND former = 'no' OR mode = 'name' AND block = 'no' AND together = 'no' AND found = 'no')`,
}

func (f facts) bot() bool {
	return f.is("account", "bot", "bot of suspended", "own bot", "deleted own bot")
}

// befriended reports whether one asked the other, or both are friends. A bot has the
// rows of its owner.
func (f facts) befriended(states ...string) bool { return !f.bot() && f.is("friend", states...) }

func (f facts) blocked() bool {
	return f.is("block", "by viewer", "of viewer") ||
		f.is("viewing", "bot") && f.is("block", "by viewer owner", "of viewer owner") ||
		f.is("account", "bot") && f.is("block", "by owner", "of owner")
}

// open reports whether the account can be seen at all, but for blocks.
func (f facts) open() bool {
	return !f.is("viewing", "nobody") && !f.is("account", "system", "suspended", "bot of suspended", "deleted own bot")
}

func (f facts) active() bool   { return f.open() && !f.blocked() }
func (f facts) together() bool { return f.is("together", "yes", "account hidden") }
func (f facts) proven() bool   { return f.is("address", "proven") }
func (f facts) found() bool {
	return f.is("mode", "email_only") && f.is("found", "yes") && f.proven()
}
func (f facts) self() bool { return f.is("viewing", "self") }

func (f facts) sees() bool {
	return f.self() || f.active() && (f.is("mode", "name") || f.befriended("friends") || f.together())
}

// knows reports what blockableUser describes.
func (f facts) knows() bool {
	return !f.self() && (f.sees() || f.open() && (f.together() || f.befriended("incoming", "outgoing", "friends")))
}

// Of all combinations of what two accounts are to each other, the predicates over
// accounts hold in those that their comments describe.
func TestWhoSeesWhom(t *testing.T) {
	t.Parallel()
	asked := func(f facts) bool { return f.befriended("incoming", "outgoing", "friends") }
	w := people.open(t)
	for name, c := range map[string]struct {
		predicate string
		want      func(facts) bool
	}{
		"visibleUser":    {visibleUser("u", "n.viewer"), facts.sees},
		"blockableUser":  {blockableUser("u", "n.viewer"), facts.knows},
		"unblocked":      {unblocked("u.id", "u.bot_owner_id", "n.viewer"), func(f facts) bool { return !f.blocked() }},
		"knownPerson":    {knownPerson("u", "n.viewer"), func(f facts) bool { return f.sees() || f.active() && (f.found() || asked(f)) }},
		"reportableUser": {reportableUser("u", "n.viewer"), func(f facts) bool { return f.knows() || f.open() && f.is("block", "by viewer") }},
		"reachableUser":  {reachableUser("u", "n.viewer"), func(f facts) bool { return f.sees() || f.active() && f.found() }},
		"findableUser":   {findableUser("u", "n.viewer"), func(f facts) bool { return !f.self() && !f.is("mode", "hidden") && f.sees() }},
		"findableByAddress": {findableByAddress("u", "n.viewer"), func(f facts) bool {
			return !f.self() && !f.is("mode", "hidden") &&
				f.active() && f.proven()
		}},
		"ownBot": {ownBot("u", "n.viewer"), func(f facts) bool { return f.is("account", "own bot") }},
		"befriendableUser": {befriendableUser("u", "n.viewer"), func(f facts) bool {
			return !f.self() && !f.bot() && f.active() && (f.is("mode", "name") || f.found() || asked(f) || f.together() && !f.is("mode", "hidden"))
		}},
		"addableUser": {addableUser("u", "'g'", "n.viewer"), func(f facts) bool {
			return (f.sees() || f.active() && f.found()) && !f.is("former", "left") &&
				(f.self() && !f.bot() || f.is("account", "own bot") || f.is("adds", "everybody") || f.is("adds", "friends") &&
					f.is("friend", "friends"))
		}},
	} {
		w.check(t, name, `JOIN user u ON u.id = n.subject`, c.predicate, c.want)
	}
}

// Friends and requests are seen by the account that they are of, while the other one
// is not suspended.
func TestWhoSeesFriends(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `iif(viewing LIKE 'nobody%', '', 'v' || i)`,
			"owner": `CASE viewing WHEN 'owner' THEN 'v' || i WHEN 'nobody, of nobody' THEN '' ELSE 'a' || i END`},
		rows: `friend SELECT owner, 'o' || i, 'friends', 0`,
		facts: map[string]values{
			"viewing": {"somebody": ``, "owner": ``, "nobody": ``, "nobody, of nobody": ``},
			"other":   {"person": `user (id) SELECT 'o' || i`, "suspended": `user (id, suspended_at) SELECT 'o' || i, 1`},
		},
	}.open(t)
	w.check(t, "visibleFriend", `JOIN friend f ON f.other_id = 'o' || n.i`, visibleFriend("f", "n.viewer"), func(f facts) bool {
		return f.is("viewing", "owner") && f.is("other", "person")
	})
}
