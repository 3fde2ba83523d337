package store

// Unproven is what EndUnproven ended.
type Unproven struct {
	Accounts []string // the account, and its bots
	Friends  []Tie    // friendships and requests
	Shares   []Tie    // lists of the accounts, and who they were shared with
}

// Tie is what an account or a list had with another account.
type Tie struct{ ID, OtherID string }

// EndUnproven ends what lets others read as an account or act for it, and what they
// were given by it: webhooks, automatic replies, links and cards, grants, shares of
// lists, friendships and requests, of the account and its bots. It is for the first
// proof of the address of the account, before which anybody may have registered it.
// Keys and sessions end with RevokeKeys and DeleteSessions.
func (tx *Tx) EndUnproven(userID string) (out Unproven, err error) {
	bots, err := tx.BotIDs(userID)
	if err != nil {
		return out, err
	}
	const (
		theirs = ` IN (SELECT value FROM json_each(?))`
		why    = ` /* server: the first proof of an address */`
	)
	out.Accounts = append([]string{userID}, bots...)
	ids := jsonList(out.Accounts)
	if out.Friends, err = all[Tie](&tx.Reader, `SELECT f.other_id, f.user_id FROM friend f WHERE f.other_id`+theirs+why, ids); err != nil {
		return out, err
	}
	out.Shares, err = all[Tie](&tx.Reader, `DELETE FROM list_member WHERE list_id IN (SELECT l.id FROM list l WHERE l.owner_id`+theirs+`)
		RETURNING list_id, user_id`+why, ids)
	for _, rows := range []string{
		`webhook WHERE user_id`, `friend WHERE user_id`, `friend WHERE other_id`, `friend_cooldown WHERE requester_id`,
		`friend_cooldown WHERE other_id`, `card WHERE user_id`, `invite WHERE created_by`, `community_invite WHERE created_by`,
		`secretary WHERE user_id`, `secretary_answer WHERE user_id`, `approval_grant WHERE user_id`,
	} {
		if err == nil {
			err = tx.exec(`DELETE FROM `+rows+theirs, ids)
		}
	}
	return out, err
}
