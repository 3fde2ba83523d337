package store

// This file has the predicates that decide who may see what. Each is the text of an
// SQL condition over a table's alias or column and the viewer's user id. The id is
// the empty text for a viewer without an account. Every query on behalf of a viewer
// uses one, for single rows and for lists, so that what the viewer may not see is
// no row. With a column as the viewer, the same text finds an event's recipients.
//
// A predicate is enclosed in two comments; the first names its noun. Tests inspect
// every statement that is prepared. A statement that mentions a protected table outside
// a predicate needs a predicate of that table's noun, or a comment with the reason why
// the server reads it for itself: /* server: why */.

// visible marks a condition as the predicate of a noun.
func visible(noun, condition string) string {
	return `/* visible: ` + noun + ` */ (` + condition + `) /* end */`
}

// own is the predicate of what is visible to the account that a column names alone.
func own(noun, column, viewer string) string {
	return visible(noun, column+` = `+viewer+` AND `+viewer+` <> ''`)
}

// visibleConversation: a conversation, its members and its messages are
// visible to its members; a direct one is not while one of both blocks the
// other.
func visibleConversation(conversationID, viewer string) string {
	return visible("conversation", `EXISTS (SELECT 1 FROM member vm WHERE vm.conversation_id = `+conversationID+` AND vm.user_id = `+viewer+
		` AND vm.hidden = 0)`)
}

// visibleMembership is visibleConversation for a query that reads the viewer's
// own member row anyway: the conversation of that row is visible.
func visibleMembership(member, viewer string) string {
	return visible("conversation", member+`.user_id = `+viewer+` AND `+member+`.hidden = 0`)
}

// openConversation: every account sees what a list of open groups shows of a group: its
// title, its picture and how many are in it. Accounts that an owner removed do not.
func openConversation(conversation, viewer string) string {
	return visible("conversation", conversation+`.open = 1 AND `+conversation+`.member_count > 0 AND `+viewer+` <> ''
		AND `+notRemoved(conversation+`.id`, viewer))
}

// notRemoved: an owner of a group did not remove the account from it. A bot is
// removed with its owner, and with each other bot of its owner: a new one would
// read on in their place.
func notRemoved(conversationID, viewer string) string {
	return `NOT EXISTS (SELECT 1 FROM former_member vm WHERE vm.conversation_id = ` + conversationID + ` AND vm.removed = 1 AND vm.user_id IN (
		SELECT ` + viewer + ` UNION ALL SELECT ` + ownerOf(viewer) + `
		UNION ALL SELECT vb.id FROM user vb WHERE vb.bot_owner_id = ` + ownerOf(viewer) + `))`
}

// visibleEvent: an account sees its own events, and the events of conversations that
// are visible to it.
func visibleEvent(event, viewer string) string {
	return visible("event", event+`.topic IN (
		SELECT ve.conversation_id FROM member ve WHERE ve.user_id = `+viewer+` AND ve.hidden = 0 UNION ALL SELECT `+viewer+`)`)
}

// visibleListEvent: the events of a list are visible to those who may see the
// list, from the moment on from which they may: nobody is told what changed while
// it was hidden from them. An owner may see all; see BecameOwner for a new one.
func visibleListEvent(event, viewer string) string {
	return visible("event", `EXISTS (SELECT 1 FROM list ve WHERE ve.id = `+event+`.topic AND (
		ve.visibility IN ('public', 'public-edit') AND `+event+`.at >= ve.public_at OR `+viewer+` <> '' AND (
		ve.visibility <> 'private' AND `+event+`.at >= ve.shown_at OR ve.owner_id = `+viewer+`
		OR EXISTS (SELECT 1 FROM list_member vl WHERE vl.list_id = ve.id AND vl.user_id = `+viewer+` AND `+event+`.at >= vl.added_at))))`)
}

// visibleList: a public list and its items are visible to everybody, and an
// unlisted list to every account. Any other list is visible to its owner and its
// members.
func visibleList(list, viewer string) string { return visible("list", listCondition(list, viewer)) }

func listCondition(list, viewer string) string {
	return `(` + list + `.visibility IN ('public', 'public-edit') OR ` + viewer + ` <> '' AND (` +
		list + `.visibility = 'unlisted' OR ` + partOfList(list, viewer) + `))`
}

// editedList: what waits for approval is visible to the owner and the editors of
// its list.
func editedList(list, viewer string) string {
	return visible("held", viewer+` <> '' AND `+keptList(list, viewer))
}

// keptList: the viewer owns or edits the list.
func keptList(list, viewer string) string {
	return `(` + list + `.owner_id = ` + viewer + ` OR EXISTS (SELECT 1 FROM list_member vl
		WHERE vl.list_id = ` + list + `.id AND vl.user_id = ` + viewer + ` AND vl.role = 'editor'))`
}

// commentAuthor joins the account that a column of a comment of the list names, unless
// it is being deleted, or the viewer does not see the comment: one of an account with
// which they have a block. The owner and the editors of a list see all, since only
// they can delete what somebody writes there who blocks them.
func commentAuthor(user, column, list, viewer string) string {
	return visible("user", commentAuthorCondition(user, column, list, viewer))
}

func commentAuthorCondition(user, column, list, viewer string) string {
	return user + `.id = ` + column +
		` AND (` + viewer + ` = '' OR ` + noBlock(user+`.id`, user+`.bot_owner_id`, viewer) + ` OR ` + keptList(list, viewer) + `)`
}

// visibleComment: comments are visible to those who see the list. author is what
// commentAuthor joins: of comments without one, those are visible, as deleted ones, that
// are answered, directly or not, by one that has one. An answer to nothing would show that
// its viewer has a block, and so would a deleted one that nothing answers.
func visibleComment(comment, author, list, viewer string) string {
	// 'g' is behind every digit of a path.
	return visible("comment", listCondition(list, viewer)+` AND (`+author+`.id IS NOT NULL OR EXISTS (
		SELECT 1 FROM item_comment vc JOIN user va ON `+commentAuthorCondition("va", "vc.author_id", list, viewer)+`
		WHERE vc.item_id = `+comment+`.item_id AND vc.path > `+comment+`.path AND vc.path < `+comment+`.path || 'g'))`)
}

// hiddenComments is how many comments of an item of the list visibleComment keeps from
// the viewer. Whether the viewer has a block at all is found once for a query.
func hiddenComments(item, list, viewer string) string {
	blocks := `(` + viewer + `, ` + ownerOf(viewer) + `)`
	return visible("comment", `iif(`+item+`.comment_count = 0 OR NOT (EXISTS (SELECT 1 FROM block vb WHERE vb.blocker_id IN `+blocks+`)
			OR EXISTS (SELECT 1 FROM block vb WHERE vb.blocked_id IN `+blocks+`)) OR `+keptList(list, viewer)+`, 0,
			(SELECT count(*) FROM item_comment vc JOIN user va ON va.id = vc.author_id
			WHERE vc.item_id = `+item+`.id AND vc.deleted_at IS NULL AND NOT (`+noBlock("va.id", "va.bot_owner_id", viewer)+`)))`)
}

// publicList, unlistedList, ownedList and sharedList are the parts of visibleList for
// queries that read along an index: lists that everybody may see, those that all accounts
// may see, the viewer's lists, and, over a row of list_member, lists shared with the viewer.
func publicList(list string) string {
	return visible("list", list+`.visibility IN ('public', 'public-edit')`)
}

func unlistedList(list, viewer string) string {
	return visible("list", list+`.visibility = 'unlisted' AND `+viewer+` <> ''`)
}

func ownedList(list, viewer string) string {
	return visible("list", list+`.owner_id = `+viewer)
}

func sharedList(listMember, viewer string) string {
	return visible("list", listMember+`.user_id = `+viewer)
}

// visibleListMembers: the members of a list are visible to its owner and to its
// members.
func visibleListMembers(list, viewer string) string {
	return visible("list", viewer+` <> '' AND `+partOfList(list, viewer))
}

// partOfList: the viewer owns the list or it is shared with them.
func partOfList(list, viewer string) string {
	return `(` + list + `.owner_id = ` + viewer + ` OR EXISTS (SELECT 1 FROM list_member vl WHERE vl.list_id = ` + list +
		`.id AND vl.user_id = ` + viewer + `))`
}

// visibleUser: an account is visible to itself, to every account if it can be
// found by name, to its friends, and to those it shares a conversation with.
// Suspended accounts and the server's own are visible to themselves alone, and two of
// which one blocks the other are not visible to each other.
func visibleUser(user, viewer string) string { return visible("user", userCondition(user, viewer)) }

func userCondition(user, viewer string) string {
	return `(` + user + `.id = ` + viewer + ` OR ` + activeUser(user, viewer) + ` AND (` +
		user + `.discovery_mode = 'name' OR ` + friendRow(user, viewer) + ` AND vf.state = 'friends') OR ` + together(user, viewer) + `))`
}

// activeUser: the viewer is signed in, the account is a person's or a bot's and
// not suspended, and neither blocks the other. A bot is like its owner: suspended
// with them, and blocked with them.
func activeUser(user, viewer string) string {
	return `(` + openUser(user, viewer) + ` AND ` + noBlock(user+`.id`, user+`.bot_owner_id`, viewer) + `)`
}

// openUser is activeUser whether or not one blocks the other.
func openUser(user, viewer string) string {
	return user + `.is_system = 0 AND ` + viewer + ` <> '' AND ` + notSuspended(user)
}

// notSuspended: the account is not suspended, and nor is the owner of a bot.
func notSuspended(user string) string {
	return user + `.suspended_at IS NULL AND (` + user + `.bot_owner_id IS NULL
		OR NOT EXISTS (SELECT 1 FROM user vo WHERE vo.id = ` + user + `.bot_owner_id AND vo.suspended_at IS NOT NULL))`
}

// together: the account and the viewer are in a conversation that both see.
func together(user, viewer string) string {
	return `EXISTS (SELECT 1 FROM member va JOIN member vb ON vb.conversation_id = va.conversation_id
		WHERE va.user_id = ` + viewer + ` AND va.hidden = 0 AND vb.user_id = ` + user + `.id)`
}

// friendRow begins a condition, without its last parenthesis, that the account
// and the viewer are friends or one of both asked to be.
func friendRow(user, viewer string) string {
	return `EXISTS (SELECT 1 FROM friend vf WHERE vf.user_id = ` + viewer + ` AND vf.other_id = ` + user + `.id`
}

// noBlock: neither of an account and the viewer blocks the other. A block of a
// person is one of their bots, too. owner is the owner of the account if that is
// a bot, and NULL otherwise.
func noBlock(account, owner, viewer string) string {
	a, b := `(`+account+`, `+owner+`)`, `(`+viewer+`, `+ownerOf(viewer)+`)`
	return `NOT EXISTS (SELECT 1 FROM block vb WHERE vb.blocker_id IN ` + a + ` AND vb.blocked_id IN ` + b + `)
		AND NOT EXISTS (SELECT 1 FROM block vb WHERE vb.blocker_id IN ` + b + ` AND vb.blocked_id IN ` + a + `)`
}

// ownerOf is the owner of an account that is a bot, and NULL for other accounts.
func ownerOf(account string) string {
	return `(SELECT vp.bot_owner_id FROM user vp WHERE vp.id = ` + account + `)`
}

// unblocked is noBlock for queries that have read both accounts already: what an
// account shows of itself, such as its status, is not shown to one with which
// it has a block, even where both are members.
func unblocked(account, owner, viewer string) string {
	return visible("block", noBlock(account, owner, viewer))
}

// ownBlock: a block is visible to the account that made it.
func ownBlock(block, viewer string) string { return own("block", block+`.blocker_id`, viewer) }

// blockableUser: an account can block those visible to it, those who asked to be
// its friend, and those it shares a conversation with, even if they block it.
func blockableUser(user, viewer string) string { return visible("user", knownUser(user, viewer)) }

func knownUser(user, viewer string) string {
	return user + `.id <> ` + viewer + ` AND (` + userCondition(user, viewer) + ` OR ` + openUser(user, viewer) +
		` AND (` + together(user, viewer) + ` OR ` + friendRow(user, viewer) + `)))`
}

// knownPerson: the page of a person is visible to accounts that see the account, and to
// accounts that it asked to be friends.
func knownPerson(user, viewer string) string {
	return visible("user", userCondition(user, viewer)+` OR `+activeUser(user, viewer)+` AND (`+foundByAddress(user, viewer)+` OR `+
		friendRow(user, viewer)+`))`)
}

// reportableUser: an account can report accounts that it can block, and accounts that
// it blocks.
func reportableUser(user, viewer string) string {
	return visible("user", knownUser(user, viewer)+` OR `+openUser(user, viewer)+
		` AND EXISTS (SELECT 1 FROM block vb WHERE vb.blocker_id = `+viewer+` AND vb.blocked_id = `+user+`.id)`)
}

// befriendableUser: an account can send a friend request to people that it sees or found
// by their address, unless they hide, and answer people who asked it. Bots have no
// friends.
func befriendableUser(user, viewer string) string {
	return visible("user", user+`.id <> `+viewer+` AND `+user+`.is_bot = 0 AND `+activeUser(user, viewer)+
		` AND (`+user+`.discovery_mode = 'name' OR `+foundByAddress(user, viewer)+` OR `+friendRow(user, viewer)+`)
		OR `+user+`.discovery_mode <> 'hidden' AND `+together(user, viewer)+`)`)
}

// visibleFriend: friends and requests are visible to the account that they are
// of, unless the other account is suspended.
func visibleFriend(friend, viewer string) string {
	return visible("friend", friend+`.user_id = `+viewer+` AND `+viewer+` <> '' AND
		EXISTS (SELECT 1 FROM user vu WHERE vu.id = `+friend+`.other_id AND vu.suspended_at IS NULL)`)
}

// visibleCard: an enabled add-me card is visible to everybody who has its token,
// except accounts with a block between them and its owner. The card of an account
// that hides, is suspended or is a bot is not visible.
func visibleCard(card, viewer string) string {
	return visible("card", card+`.enabled = 1 AND EXISTS (SELECT 1 FROM user vu WHERE vu.id = `+card+`.user_id AND vu.is_system = 0
		AND vu.is_bot = 0 AND vu.suspended_at IS NULL AND vu.discovery_mode <> 'hidden') AND `+noBlock(card+`.user_id`, `NULL`, viewer))
}

// ownCard: a card is visible to its owner, enabled or not.
func ownCard(card, viewer string) string { return own("card", card+`.user_id`, viewer) }

// managedInvite: an invitation to the community is visible to the account that made
// it, and to administrators.
func managedInvite(invite, viewer string) string {
	return visible("invitation", viewer+` <> '' AND (`+invite+`.created_by = `+viewer+` OR `+adminCondition(viewer)+`)`)
}

// ownReport: a report is visible to the account that made it.
func ownReport(report, viewer string) string { return own("report", report+`.reporter_id`, viewer) }

// provenAddress: the person of the account received mail at its address. Before, anybody
// may have registered it, and it stands for nobody.
func provenAddress(user string) string { return user + `.verified_at IS NOT NULL` }

// foundByAddress: the viewer has searched for the exact address of an account that
// is found in no other way. Its id is not enough: public lists show it.
func foundByAddress(user, viewer string) string {
	return user + `.discovery_mode = 'email_only' AND ` + provenAddress(user) +
		` AND EXISTS (SELECT 1 FROM found_person vk WHERE vk.user_id = ` + viewer + ` AND vk.found_id = ` + user + `.id)`
}

// reachableUser: an account can start a conversation with accounts visible to it, and
// with accounts that it found by their address.
func reachableUser(user, viewer string) string {
	return visible("user", userCondition(user, viewer)+` OR `+activeUser(user, viewer)+` AND `+foundByAddress(user, viewer))
}

// addableUser: who may start a conversation with an account may add it to a group,
// if the account permits that. The account must not have left that group itself. A
// bot permits what its owner does.
func addableUser(user, conversationID, viewer string) string {
	person := `coalesce(` + user + `.bot_owner_id, ` + user + `.id)`
	return visible("user", `(`+userCondition(user, viewer)+` OR `+activeUser(user, viewer)+` AND `+foundByAddress(user, viewer)+`)
		AND NOT EXISTS (SELECT 1 FROM former_member vm WHERE vm.conversation_id = `+conversationID+`
		AND vm.user_id IN (`+user+`.id, `+user+`.bot_owner_id) AND vm.removed = 0)
		AND (`+person+` = `+viewer+` OR EXISTS (SELECT 1 FROM user vg WHERE vg.id = `+person+` AND (vg.group_adds = 'everybody'
			OR vg.group_adds = 'friends' AND EXISTS (SELECT 1 FROM friend vf WHERE vf.user_id = `+viewer+` AND vf.other_id = vg.id
			AND vf.state = 'friends'))))`)
}

// findableUser: a search by name finds those visible to the viewer, other than
// themselves and those who hide.
func findableUser(user, viewer string) string {
	return visible("user", user+`.id <> `+viewer+` AND `+user+`.discovery_mode <> 'hidden' AND `+userCondition(user, viewer))
}

// findableByAddress: a search by exact address finds everybody whose address is
// proven, other than the viewer themselves and those who hide.
func findableByAddress(user, viewer string) string {
	return visible("user", user+`.id <> `+viewer+` AND `+user+`.discovery_mode <> 'hidden' AND `+provenAddress(user)+` AND `+
		activeUser(user, viewer))
}

// namedUser joins the account that a column of a visible row names: a
// message, an item or a list is visible with the name of its sender, author or
// owner, and a conversation with its members.
func namedUser(user, column string) string { return visible("user", user+`.id = `+column) }

// namedInList: the owner of a list and whoever added, ticked or commented an item is
// named to everybody who sees the list. Those who hide are named only to those who have a part in the list or
// see the account anyway.
func namedInList(user, list, viewer string) string {
	return visible("user", user+`.discovery_mode <> 'hidden' OR `+viewer+` <> '' AND (`+partOfList(list, viewer)+` OR `+
		userCondition(user, viewer)+`)`)
}

// visibleAttachment: an uploaded file is visible to its owner, and to the members
// of the conversations of the messages that have it.
func visibleAttachment(attachment, viewer string) string {
	return visible("attachment", viewer+` <> '' AND (`+attachment+`.user_id = `+viewer+` OR EXISTS (SELECT 1 FROM message_attachment va
		JOIN member vm ON vm.conversation_id = va.conversation_id AND vm.user_id = `+viewer+` AND vm.hidden = 0
		WHERE va.attachment_id = `+attachment+`.id))`)
}

// ownAttachment: only its owner can send an uploaded file.
func ownAttachment(attachment, viewer string) string {
	return own("attachment", attachment+`.user_id`, viewer)
}

// publicPicture: the picture of an account or a group is visible to everybody
// who has its id, which is random.
func publicPicture() string { return visible("attachment", `1`) }

// ownSession: sessions are visible to their account.
func ownSession(session, viewer string) string { return own("session", session+`.user_id`, viewer) }

// ownWebhook: webhooks and their deliveries are visible to their account.
func ownWebhook(webhook, viewer string) string { return own("webhook", webhook+`.user_id`, viewer) }

// ownPush: browsers that receive notifications are visible to their account.
func ownPush(subscription, viewer string) string { return own("push", subscription+`.user_id`, viewer) }

// ownKey: keys are visible to their account, and a bot's keys to the bot's owner.
func ownKey(key, viewer string) string {
	return visible("key", key+`.user_id IN (SELECT `+viewer+` UNION ALL SELECT vb.id FROM user vb WHERE vb.bot_owner_id = `+viewer+`) AND `+
		viewer+` <> ''`)
}

// ownBot: the bots of an account are visible to it, those it has deleted
// excepted.
func ownBot(user, viewer string) string {
	return visible("user", user+`.bot_owner_id = `+viewer+` AND `+viewer+` <> '' AND `+user+`.suspended_at IS NULL`)
}

// ownSecretary: a secretary and its answers are visible to their account.
func ownSecretary(secretary, viewer string) string {
	return own("secretary", secretary+`.user_id`, viewer)
}

// forAdmin: what administrators manage is visible to accounts that are
// administrators at this moment, and to commands on the server; see
// Viewer.adminID.
func forAdmin(noun, admin string) string { return visible(noun, adminCondition(admin)) }

func adminCondition(admin string) string {
	return `(` + admin + ` = '` + operatorID + `' OR EXISTS (SELECT 1 FROM user va WHERE va.id = ` + admin +
		` AND va.is_admin = 1 AND va.suspended_at IS NULL))`
}

// visibleReport: a report is visible to administrators and to commands on the server, but not to the administrator
// that it is about while there is another one. A report about a bot is one about its owner.
func visibleReport(report, admin string) string {
	return visible("report", reportCondition(report, admin))
}

func reportCondition(report, admin string) string {
	return adminCondition(admin) + ` AND NOT (EXISTS (SELECT 1 FROM user vr WHERE vr.id = ` + report + `.user_id
			AND (vr.id = ` + admin + ` OR vr.bot_owner_id = ` + admin + `))
		AND EXISTS (SELECT 1 FROM user vo WHERE vo.is_admin = 1 AND vo.suspended_at IS NULL AND vo.id <> ` + admin + `
			/* scan: the index of admins alone */))`
}

// reportedMessage: a message that was reported is visible with the report, to decide it.
func reportedMessage(message, report, admin string) string {
	return visible("conversation", report+`.target_type = 'message' AND `+message+`.id = `+report+`.target_id AND `+
		reportCondition(report, admin))
}

// reportedFile: likewise a file of such a message, until the account that sent it
// is deleted.
func reportedFile(file, admin string) string {
	return visible("report", `EXISTS (SELECT 1 FROM report vp WHERE vp.id = `+file+`.report_id AND `+reportCondition("vp", admin)+`)`)
}

// reportedPost: likewise a Context post that was reported.
func reportedPost(post, report, admin string) string {
	return visible("conversation", report+`.target_type = 'context' AND `+post+`.id = `+report+`.target_id AND `+
		reportCondition(report, admin))
}

// visibleThought: a thought is visible to its account in a direct session of a
// person, and to everybody who sees a conversation that it is shared with. direct
// is a column or parameter with 1 for a direct session.
func visibleThought(thought, viewer, direct string) string {
	return visible("thought", `((`+thought+`.user_id = `+viewer+` AND `+direct+`) OR
		`+thought+`.captured = 1 AND EXISTS (SELECT 1 FROM member vt
			WHERE vt.conversation_id = `+thought+`.source_conversation_id AND vt.user_id = `+viewer+` AND vt.hidden = 0) OR
		EXISTS (SELECT 1 FROM thought_pin vp JOIN member vt ON vt.conversation_id = vp.conversation_id
			WHERE vp.thought_id = `+thought+`.id AND vt.user_id = `+viewer+` AND vt.hidden = 0))`)
}

// visibleEntry: who sees a conversation sees its Stream: the thoughts that are
// pinned to it or captured from its messages by a tag. In a direct session they
// also see their own private notes for it.
func visibleEntry(thought, conversationID, viewer, direct string) string {
	return visible("thought", `EXISTS (SELECT 1 FROM member vt
			WHERE vt.conversation_id = `+conversationID+` AND vt.user_id = `+viewer+` AND vt.hidden = 0) AND (
		`+thought+`.source_conversation_id = `+conversationID+`
			AND (`+thought+`.captured = 1 OR `+thought+`.user_id = `+viewer+` AND `+direct+`) OR
		EXISTS (SELECT 1 FROM thought_pin vp WHERE vp.conversation_id = `+conversationID+` AND vp.thought_id = `+thought+`.id))`)
}

// pinnedIn: a pin is visible to those who see its conversation.
func pinnedIn(pin, viewer string) string {
	return visible("thought", `EXISTS (SELECT 1 FROM member vt WHERE vt.conversation_id = `+pin+`.conversation_id AND vt.user_id = `+viewer+
		` AND vt.hidden = 0)`)
}
