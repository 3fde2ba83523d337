package store

import "testing"

// Thoughts, and entries of a Stream, are seen by those who may.
func TestWhoSeesThoughts(t *testing.T) {
	inPlace := func(conversation string) values {
		return values{
			"no":     ``,
			"yes":    `member (conversation_id, user_id) SELECT ` + conversation + `, viewer`,
			"hidden": `member (conversation_id, user_id, hidden) SELECT ` + conversation + `, viewer, 1`,
		}
	}
	w := truth{
		ids: map[string]string{"viewer": `'v' || i`, "author": `iif(own = 'yes', 'v' || i, 'a' || i)`},
		// Others are members of both conversations, to which another thought is pinned;
		// and the viewer of another, to which a third one is.
		rows: `member (conversation_id, user_id) SELECT 'source' || i, 'x' || i;
			member (conversation_id, user_id) SELECT 'pin' || i, 'x' || i;
			member (conversation_id, user_id) SELECT 'other' || i, viewer;
			thought_pin SELECT 'other' || i, 'other' || i, viewer, 0;
			thought_pin SELECT 'source' || i, 'another' || i, viewer, 0;
			thought_pin SELECT 'pin' || i, 'another' || i, viewer, 0;
			thought (id, user_id, source_conversation_id, captured) SELECT 't' || i, author, 'source' || i, captured + 0`,
		facts: map[string]values{
			"own":      {"no": ``, "yes": ``},
			"direct":   {"0": ``, "1": ``},
			"captured": {"0": ``, "1": ``},
			"source":   inPlace(`'source' || i`),
			"place":    inPlace(`'pin' || i`),
			"pinned":   {"no": ``, "yes": `thought_pin SELECT 'pin' || i, 't' || i, author, 0`},
		},
	}.open(t)
	own := func(f facts) bool { return f.is("own", "yes") && f.is("direct", "1") }
	const thought = `JOIN thought t ON t.id = 't' || n.i`
	w.check(t, "visibleThought", thought, visibleThought("t", "n.viewer", "n.direct + 0"), func(f facts) bool {
		return (own(f) || f.is("captured", "1") && f.is("source", "yes") || f.is("pinned", "yes") && f.is("place", "yes"))
	})
	w.check(t, "visibleEntry of the source", thought, visibleEntry("t", "'source' || n.i", "n.viewer", "n.direct + 0"), func(f facts) bool {
		return f.is("source", "yes") && (own(f) || f.is("captured", "1"))
	})
	w.check(t, "visibleEntry of another conversation", thought, visibleEntry("t", "'pin' || n.i", "n.viewer", "n.direct + 0"),
		func(f facts) bool {
			return f.is("place", "yes") && f.is("pinned", "yes")
		})
}

// Files are seen by their owner, and by the members of the conversations in which they
// were sent.
func TestWhoSeesFiles(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `iif(viewing = 'nobody', '', 'v' || i)`, "owner": `iif(viewing = 'owner', 'v' || i, 'a' || i)`},
		rows: `attachment (id, user_id) SELECT 'f' || i, owner;
			message_attachment SELECT 'f' || i, 'c' || i, 0;
			message_attachment SELECT 'other' || i, 'other' || i, 0;
			member (conversation_id, user_id) SELECT 'c' || i, 'x' || i;
			member (conversation_id, user_id) SELECT 'other' || i, 'v' || i`,
		facts: map[string]values{
			"viewing": {"somebody": ``, "owner": ``, "nobody": ``},
			"member": {"no": ``, "yes": `member (conversation_id, user_id) SELECT 'c' || i, viewer`,
				"hidden": `member (conversation_id, user_id, hidden) SELECT 'c' || i, viewer, 1`},
		},
	}.open(t)
	w.check(t, "visibleAttachment", `JOIN attachment a ON a.id = 'f' || n.i`, visibleAttachment("a", "n.viewer"), func(f facts) bool {
		return !f.is("viewing", "nobody") && (f.is("viewing", "owner") || f.is("member", "yes"))
	})
}

// What belongs to one account is seen by that account alone, and by nobody without one,
// even if it were of no account.
func TestWhoSeesTheirOwn(t *testing.T) {
	w := truth{
		ids: map[string]string{
			"viewer": `iif(viewing LIKE 'nobody%', '', 'v' || i)`,
			"owner":  `CASE viewing WHEN 'owner' THEN 'v' || i WHEN 'nobody, of nobody' THEN '' ELSE 'a' || i END`,
		},
		facts: map[string]values{"viewing": {"somebody": ``, "owner": ``, "nobody": ``, "nobody, of nobody": ``, "owner of bot": ``}},
		rows:  `user (id, bot_owner_id) SELECT 'a' || i, iif(viewing = 'owner of bot', 'v' || i, NULL)`,
	}.open(t)
	owner := func(f facts) bool { return f.is("viewing", "owner") }
	withBots := func(f facts) bool { return f.is("viewing", "owner", "owner of bot") }
	for name, c := range map[string]struct {
		predicate func(row, viewer string) string
		column    string
		want      func(facts) bool
	}{
		"ownAttachment":             {ownAttachment, "user_id", owner},
		"ownBlock":                  {ownBlock, "blocker_id", owner},
		"ownBot":                    {ownBot, "bot_owner_id", owner},
		"ownCard":                   {ownCard, "user_id", owner},
		"ownDraft":                  {ownDraft, "owner_id", owner},
		"ownGrant":                  {ownGrant, "user_id", owner},
		"ownIntent":                 {ownIntent, "owner_id", owner},
		"ownIntention":              {ownIntention, "owner_id", owner},
		"ownKey":                    {ownKey, "user_id", withBots},
		"ownPost":                   {ownPost, "author_id", owner},
		"ownPreference":             {ownPreference, "user_id", owner},
		"ownReport":                 {ownReport, "reporter_id", owner},
		"ownSecretary":              {ownSecretary, "user_id", owner},
		"ownSession":                {ownSession, "user_id", owner},
		"ownStory":                  {ownStory, "owner_id", owner},
		"ownWebhook":                {ownWebhook, "user_id", owner},
		"ownRequest of the key":     {ownRequest, "owner_id", withBots},
		"ownRequest of the account": {ownRequest, "requester_id", owner},
	} {
		columns := `NULL AS suspended_at, owner AS ` + c.column
		if c.column == "owner_id" {
			columns += `, 'y' AS requester_id`
		} else if c.column == "requester_id" {
			columns += `, 'y' AS owner_id`
		}
		w.check(t, name, `JOIN (SELECT i, `+columns+` FROM n) o ON o.i = n.i`, c.predicate("o", "n.viewer"), c.want)
	}
}

// A card is seen with its token by everybody, unless it is disabled, or its owner
// hides, is none who has friends, or is blocked.
func TestWhoSeesCards(t *testing.T) {
	w := truth{
		ids:  map[string]string{"viewer": `iif(viewing = 'nobody', '', 'v' || i)`},
		rows: `card (user_id, enabled, token) SELECT 'a' || i, enabled + 0, i`,
		facts: map[string]values{
			"viewing": {"somebody": `user (id) SELECT viewer`, "bot": `user (id, bot_owner_id) SELECT viewer, 'vo' || i`, "nobody": ``},
			"enabled": {"0": ``, "1": ``},
			"mode":    {"name": ``, "email_only": ``, "hidden": ``},
			"account": {
				"person":    `user (id, discovery_mode) SELECT 'a' || i, mode`,
				"system":    `user (id, discovery_mode, is_system) SELECT 'a' || i, mode, 1`,
				"bot":       `user (id, discovery_mode, is_bot) SELECT 'a' || i, mode, 1`,
				"suspended": `user (id, discovery_mode, suspended_at) SELECT 'a' || i, mode, 1`,
			},
			"block": {
				"no": ``, "by viewer": `block SELECT 'v' || i, 'a' || i, 0`, "of viewer": `block SELECT 'a' || i, 'v' || i, 0`,
				"by owner": `block SELECT 'vo' || i, 'a' || i, 0`, "of owner": `block SELECT 'a' || i, 'vo' || i, 0`,
			},
		},
	}.open(t)
	w.check(t, "visibleCard", `JOIN card c ON c.user_id = 'a' || n.i`, visibleCard("c", "n.viewer"), func(f facts) bool {
		blocked := !f.is("viewing", "nobody") && f.is("block", "by viewer", "of viewer") || f.is("viewing", "bot") &&
			f.is("block", "by owner", "of owner")
		return f.is("enabled", "1") && f.is("account", "person") && !f.is("mode", "hidden") && !blocked
	})
}

// What administrators manage is seen by accounts that are administrators and not
// suspended, and by commands.
func TestWhoSeesForAdministrators(t *testing.T) {
	w := truth{
		ids: map[string]string{"viewer": `CASE viewing WHEN 'nobody' THEN '' WHEN 'command' THEN 'operator' ELSE 'v' || i END`},
		facts: map[string]values{
			"viewing": {
				"nobody": ``, "command": ``, "person": `user (id) SELECT viewer`, "administrator": `user (id, is_admin) SELECT viewer, 1`,
				"suspended": `user (id, is_admin, suspended_at) SELECT viewer, 1, 1`,
			},
			"creator": {"other": ``, "viewer": ``},
			"target":  {"message": ``, "context": ``, "user": ``},
			"id":      {"target": ``, "another": ``},
			"about":   {"other": ``, "viewer": ``, "bot of viewer": `user (id, bot_owner_id) SELECT 'b' || i, 'v' || i`},
		},
		rows: `report (id, user_id) SELECT 'r' || i, CASE about WHEN 'viewer' THEN viewer WHEN 'other' THEN 'o' ELSE 'b' || i END`,
	}.open(t)
	admin := func(f facts) bool { return f.is("viewing", "command", "administrator") }
	const rows = `JOIN (SELECT i, target AS target_type, 't' AS target_id, iif(creator = 'viewer', viewer, 'x') AS created_by,
		'r' || i AS id, CASE about WHEN 'viewer' THEN viewer WHEN 'other' THEN 'o' ELSE 'b' || i END AS user_id FROM n) r ON r.i = n.i JOIN (SELECT i, iif(id = 'target', 't', 'o') AS id FROM n) m ON m.i = n.i`
	w.check(t, "forAdmin", ``, forAdmin("report", "n.viewer"), admin)
	w.check(t, "managedInvite", rows, managedInvite("r", "n.viewer"), func(f facts) bool {
		return !f.is("viewing", "nobody") && (f.is("creator", "viewer") || admin(f))
	})
	report := func(f facts) bool {
		return f.is("viewing", "command") || f.is("viewing", "administrator") && f.is("about", "other")
	}
	w.check(t, "visibleReport", rows, visibleReport("r", "n.viewer"), report)
	w.check(t, "reportedMessage", rows, reportedMessage("m", "r", "n.viewer"), func(f facts) bool {
		return report(f) && f.is("target", "message") && f.is("id", "target")
	})
	w.check(t, "reportedFile", `JOIN (SELECT i, 'r' || i AS report_id FROM n) f ON f.i = n.i`, reportedFile("f", "n.viewer"), report)
	w.check(t, "reportedPost", rows, reportedPost("m", "r", "n.viewer"), func(f facts) bool {
		return report(f) && f.is("target", "context") && f.is("id", "target")
	})
}
