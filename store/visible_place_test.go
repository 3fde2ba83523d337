package store

import "testing"

// The predicates over lists hold for those who may see or change them, and those over
// comments also depend on the author.
func TestWhoSeesLists(t *testing.T) {
	t.Parallel()
	w := truth{
		ids: map[string]string{"viewer": `iif(viewing = 'nobody', '', 'v' || i)`},
		// Another account has a part in the list, and the viewer one in another list.
		rows: `list_member SELECT 'l' || i, 'x' || i, 'editor', 0;
			list_member SELECT 'other' || i, viewer, 'editor', 0;
			user (id) SELECT 'x' || i;
			item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-1', i, '1', iif(author = 'nobody', NULL, 'a' || i);
			item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-2', i, '2', 'x' || i;
			item_comment (id, item_id, path, author_id) SELECT 'co' || i, 'other' || i, '11', 'x' || i`,
		facts: map[string]values{
			"viewing":    {"somebody": ``, "nobody": ``},
			"visibility": {"public": ``, "public-edit": ``, "unlisted": ``, "private": ``},
			"answer": {
				"no":    ``,
				"own":   `item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-11', i, '11', 'a' || i`,
				"other": `item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-11', i, '11', 'x' || i`,
				"of the other": `item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-11', i, '11', 'a' || i;
					item_comment (id, item_id, path, author_id) SELECT 'c' || i || '-111', i, '111', 'x' || i`,
				"deleted": `item_comment (id, item_id, path) SELECT 'c' || i || '-1f', i, '1f'`,
			},
			"part": {
				"none":   `list (id, visibility, owner_id) SELECT 'l' || i, visibility, 'x' || i`,
				"owner":  `list (id, visibility, owner_id) SELECT 'l' || i, visibility, viewer`,
				"viewer": `list (id, visibility, owner_id) SELECT 'l' || i, visibility, 'x' || i; list_member SELECT 'l' || i, viewer, 'viewer', 0`,
				"editor": `list (id, visibility, owner_id) SELECT 'l' || i, visibility, 'x' || i; list_member SELECT 'l' || i, viewer, 'editor', 0`,
			},
			"author": {
				"nobody": ``,
				"person": `user (id) SELECT 'a' || i`,
				"bot":    `user (id, is_bot, bot_owner_id) SELECT 'a' || i, 1, 'ao' || i`,
			},
			"block": {
				"no":        ``,
				"by viewer": `block SELECT viewer, 'a' || i, 0`,
				"of viewer": `block SELECT 'a' || i, viewer, 0`,
				"by owner":  `block SELECT 'ao' || i, viewer, 0`,
				"of owner":  `block SELECT viewer, 'ao' || i, 0`,
			},
		},
		where: `viewing = 'somebody' OR part = 'none'`,
	}.open(t)
	public := func(f facts) bool { return f.is("visibility", "public", "public-edit") }
	signedIn := func(f facts) bool { return f.is("viewing", "somebody") }
	sees := func(f facts) bool {
		return public(f) || signedIn(f) && (f.is("visibility", "unlisted") || !f.is("part", "none"))
	}
	const lists = `JOIN list l ON l.id = 'l' || n.i LEFT JOIN user a ON a.id = 'a' || n.i`
	w.check(t, "visibleList", lists, visibleList("l", "n.viewer"), sees)
	w.check(t, "unlistedList", lists, unlistedList("l", "n.viewer"),
		func(f facts) bool { return signedIn(f) && f.is("visibility", "unlisted") })
	w.check(t, "editedList", lists, editedList("l", "n.viewer"), func(f facts) bool { return signedIn(f) && f.is("part", "owner", "editor") })
	w.check(t, "publicList", lists, publicList("l"), public)
	w.check(t, "ownedList", lists, ownedList("l", "n.viewer"), func(f facts) bool { return f.is("part", "owner") })
	w.check(t, "visibleListMembers", lists, visibleListMembers("l", "n.viewer"),
		func(f facts) bool { return signedIn(f) && !f.is("part", "none") })
	hidden := func(f facts) bool {
		blocked := f.is("block", "by viewer", "of viewer") && !f.is("author", "nobody") || f.is("block", "by owner", "of owner") &&
			f.is("author", "bot")
		return blocked && signedIn(f) && !f.is("part", "owner", "editor")
	}
	const comments = `JOIN list l ON l.id = 'l' || n.i JOIN item_comment c ON c.item_id = '' || n.i AND c.path = '1' LEFT JOIN user a ON `
	author := commentAuthor("a", "c.author_id", "l", "n.viewer")
	w.check(t, "commentAuthor", comments+author, `a.id IS NOT NULL`, func(f facts) bool { return !f.is("author", "nobody") && !hidden(f) })
	w.check(t, "visibleComment", comments+author, visibleComment("c", "a", "l", "n.viewer"), func(f facts) bool {
		return sees(f) && (!hidden(f) && !f.is("author", "nobody") || f.is("answer", "other", "of the other"))
	})
	w.check(t, "sharedList", `JOIN list_member lm ON lm.list_id = 'l' || n.i AND lm.user_id <> 'x' || n.i
		OR lm.list_id = 'l' || n.i AND n.part IN ('none', 'owner')`,
		sharedList("lm", "n.viewer"), func(f facts) bool { return f.is("part", "viewer", "editor") })
}

// Authors are named on a list to everybody who sees it, and those who hide to those who
// have a part in it or see the account.
func TestWhoIsNamedOnLists(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `CASE viewing WHEN 'nobody' THEN '' WHEN 'self' THEN 'a' || i ELSE 'v' || i END`},
		facts: map[string]values{
			"viewing": {"somebody": ``, "nobody": ``, "self": ``},
			"mode":    {"name": ``, "email_only": ``, "hidden": ``},
			"part": {
				"none":   `list (id, owner_id, visibility) SELECT 'l' || i, 'x' || i, 'public'`,
				"owner":  `list (id, owner_id, visibility) SELECT 'l' || i, viewer, 'public'`,
				"viewer": `list (id, owner_id, visibility) SELECT 'l' || i, 'x' || i, 'public'; list_member SELECT 'l' || i, viewer, 'viewer', 0`,
				"other":  `list (id, owner_id, visibility) SELECT 'l' || i, 'x' || i, 'public'; list_member SELECT 'l' || i, 'y' || i, 'editor', 0`,
			},
			"known": {
				"no":       ``,
				"friends":  `friend SELECT viewer, 'a' || i, 'friends', 0`,
				"asked":    `friend SELECT viewer, 'a' || i, 'outgoing', 0`,
				"together": `member (conversation_id, user_id) SELECT 'c' || i, viewer; member (conversation_id, user_id) SELECT 'c' || i, 'a' || i`,
			},
			"suspended": {"no": `user (id, discovery_mode) SELECT 'a' || i, mode`,
				"yes": `user (id, discovery_mode, suspended_at) SELECT 'a' || i, mode, 1`},
		},
		where: `viewing = 'somebody' OR part IN ('none', 'other') AND known = 'no'`,
	}.open(t)
	w.check(t, "namedInList", `JOIN list l ON l.id = 'l' || n.i JOIN user u ON u.id = 'a' || n.i`, namedInList("u", "l", "n.viewer"),
		func(f facts) bool {
			return !f.is("mode", "hidden") || f.is("viewing", "self") ||
				f.is("viewing", "somebody") && (f.is("part", "owner", "viewer") || f.is("known", "friends", "together") && f.is("suspended", "no"))
		})
}

// The events of a list are seen from the very moment on from which the list is.
func TestWhoSeesEventsOfLists(t *testing.T) {
	times := values{"before": ``, "then": ``, "after": ``}
	at := func(fact string) string {
		return `1000 + CASE ` + fact + ` WHEN 'before' THEN -1 WHEN 'after' THEN 1 ELSE 0 END`
	}
	w := truth{
		ids: map[string]string{
			"viewer": `iif(viewing = 'nobody', '', 'v' || i)`, "public_at": at("public"), "shown_at": at("shown"), "added_at": at("added"),
		},
		rows: `list_member SELECT 'l' || i, 'x' || i, 'editor', 0;
			list_member SELECT 'other' || i, viewer, 'editor', 0`,
		facts: map[string]values{
			"viewing":    {"somebody": ``, "nobody": ``},
			"visibility": {"public": ``, "public-edit": ``, "unlisted": ``, "private": ``},
			"part": {
				"none":  `list (id, visibility, owner_id, public_at, shown_at) SELECT 'l' || i, visibility, 'x' || i, public_at, shown_at`,
				"owner": `list (id, visibility, owner_id, public_at, shown_at) SELECT 'l' || i, visibility, viewer, public_at, shown_at`,
				"member": `list (id, visibility, owner_id, public_at, shown_at)
					SELECT 'l' || i, visibility, 'x' || i, public_at, shown_at;
					list_member SELECT 'l' || i, viewer, 'viewer', added_at`,
			},
			"public": times, "shown": times, "added": times,
		},
		where: `viewing = 'somebody' OR part = 'none'`,
	}.open(t)
	w.check(t, "visibleListEvent", `JOIN (SELECT 'l' || i AS topic, 1000 AS at, i FROM n) e ON e.i = n.i`, visibleListEvent("e", "n.viewer"),
		func(f facts) bool {
			return f.is("visibility", "public", "public-edit") && !f.is("public", "after") || f.is("viewing", "somebody") &&
				(!f.is("visibility", "private") && !f.is("shown", "after") || f.is("part", "owner") || f.is("part", "member") &&
					!f.is("added", "after"))
		})
}

// Conversations are seen by their members, and what belongs to them also is; open
// ones by all accounts but those that were removed.
func TestWhoSeesConversations(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `iif(viewing = 'nobody', '', 'v' || i)`},
		rows: `member (conversation_id, user_id) SELECT 'c' || i, 'x' || i;
			member (conversation_id, user_id) SELECT 'other' || i, viewer;
			former_member SELECT 'c' || i, 'x' || i, 1, 0;
			former_member SELECT 'other' || i, viewer, 1, 0`,
		facts: map[string]values{
			"viewing": {"somebody": ``, "nobody": ``},
			"member": {"no": ``, "yes": `member (conversation_id, user_id) SELECT 'c' || i, viewer`,
				"hidden": `member (conversation_id, user_id, hidden) SELECT 'c' || i, viewer, 1`},
			"former":  {"no": ``, "left": `former_member SELECT 'c' || i, viewer, 0, 0`, "removed": `former_member SELECT 'c' || i, viewer, 1, 0`},
			"open":    {"0": ``, "1": ``},
			"members": {"0": ``, "2": ``},
			"topic":   {"conversation": ``, "viewer": ``, "other account": ``},
		},
		where: `viewing = 'somebody' OR member = 'no' AND former = 'no'`,
	}
	db := w.open(t)
	member := func(f facts) bool { return f.is("member", "yes") }
	db.check(t, "visibleConversation", ``, visibleConversation("'c' || n.i", "n.viewer"), member)
	db.check(t, "visibleMembership", `LEFT JOIN member m ON m.conversation_id = 'c' || n.i AND m.user_id <> 'x' || n.i`,
		visibleMembership("m", "n.viewer"), member)
	db.check(t, "pinnedIn", `JOIN (SELECT 'c' || i AS conversation_id, i FROM n) p ON p.i = n.i`, pinnedIn("p", "n.viewer"), member)
	db.check(t, "openConversation", `JOIN (SELECT 'c' || i AS id, i, open + 0 AS open, members + 0 AS member_count FROM n) c ON c.i = n.i`,
		openConversation("c", "n.viewer"), func(f facts) bool {
			return f.is("viewing", "somebody") && f.is("open", "1") && f.is("members", "2") && !f.is("former", "removed")
		})
	db.check(t, "visibleEvent", `JOIN (
		SELECT CASE topic WHEN 'conversation' THEN 'c' || i WHEN 'viewer' THEN viewer ELSE 'x' || i END AS topic, i FROM n
	) e ON e.i = n.i`,
		visibleEvent("e", "n.viewer"), func(f facts) bool { return f.is("topic", "conversation") && member(f) || f.is("topic", "viewer") })
}

// What a row names is joined with it, and nothing else: the post that a post replies
// to, if it is in the same conversation and the viewer a member, and its intention.
func TestWhatIsShownWithPosts(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `'v' || i`},
		rows: `member (conversation_id, user_id) SELECT 'c' || i, 'x' || i; member (conversation_id, user_id) SELECT 'other' || i, viewer;
			context_post (conversation_id, created_at, id, author_id) SELECT iif(place = 'same', 'c' || i, 'other' || i), 2 * i, 'parent' || i, 'a';
			context_post (conversation_id, created_at, id, author_id, reply_to_id, intent)
			SELECT 'c' || i, 2 * i
			+ 1, 'p' || i, 'a', CASE reply WHEN 'parent' THEN 'parent' || i WHEN 'other' THEN 'x' || i END,
			CASE intent WHEN 'own' THEN i WHEN 'other' THEN -i END;
			context_intention (intent, owner_id) SELECT i, 'a'`,
		facts: map[string]values{
			"member": {"no": ``, "yes": `member (conversation_id, user_id) SELECT 'c' || i, viewer`,
				"hidden": `member (conversation_id, user_id, hidden) SELECT 'c' || i, viewer, 1`},
			"place":  {"same": ``, "another": ``},
			"reply":  {"parent": ``, "other": ``, "none": ``},
			"intent": {"own": ``, "other": ``, "none": ``},
		},
	}.open(t)
	const posts = `JOIN context_post p ON p.id = 'p' || n.i JOIN context_post r ON r.id = 'parent' || n.i
		JOIN context_intention j ON j.intent = n.i`
	w.check(t, "shownParent", posts, shownParent("r", "p", "n.viewer"), func(f facts) bool {
		return f.is("reply", "parent") && f.is("place", "same") && f.is("member", "yes")
	})
	w.check(t, "shownIntention", posts, shownIntention("j", "p"), func(f facts) bool { return f.is("intent", "own") })
}
