package store

// Unproven is what EndUnproven ended.
type Unproven struct {
	Accounts []string // the account, and its bots
	Friends  []Tie    // friendships and requests
	Shares   []Tie    // lists of the accounts, and whom they were shared with
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
	out.Accounts = append([]string{userID}, bots...)
	for _, id := range out.Accounts {
		if err == nil {
			err = tx.endUnproven(id, &out)
		}
	}
	return out, err
}

func (tx *Tx) endUnproven(userID string, out *Unproven) error {
	if err := tx.endWebhooks(userID); err != nil {
		return err
	}
	people, err := all[string](&tx.Reader,
		`SELECT f.user_id FROM friend f WHERE f.other_id = ? /* server: the first proof of an address */`, userID)
	if err != nil {
		return err
	}
	for _, id := range people {
		out.Friends = append(out.Friends, Tie{userID, id})
	}
	shares, err := all[Tie](&tx.Reader, `SELECT m.list_id, m.user_id FROM list l JOIN list_member m ON m.list_id = l.id
		WHERE l.owner_id = ? /* server: the first proof of an address */`, userID)
	for _, s := range shares {
		if err == nil {
			err = tx.DeleteListMember(s.ID, s.OtherID)
		}
	}
	if err != nil {
		return err
	}
	out.Shares = append(out.Shares, shares...)
	return tx.execAll(
		statement{`DELETE FROM friend WHERE user_id = ?1 OR other_id = ?1`, []any{userID}},
		statement{`DELETE FROM friend_cooldown WHERE requester_id = ?1 OR other_id = ?1`, []any{userID}},
		statement{`DELETE FROM card WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM invite WHERE created_by = ?`, []any{userID}},
		statement{`DELETE FROM community_invite WHERE created_by = ?`, []any{userID}},
		statement{`DELETE FROM secretary WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM secretary_answer WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM approval_grant WHERE user_id = ?`, []any{userID}},
	)
}

func (tx *Tx) endWebhooks(userID string) error {
	ids, err := all[string](&tx.Reader, `SELECT w.id FROM webhook w WHERE w.user_id = ? /* server: the first proof of an address */`,
		userID)
	for _, id := range ids {
		if err == nil {
			err = tx.DeleteWebhook(id)
		}
	}
	return err
}
