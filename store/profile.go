package store

// profileColumns are the columns of an account u that others may see, with its address
// if it is the viewer ?2, and whether there is no block between both.
var profileColumns = `u.id, iif(u.id = ?2, u.email, ''), 0, u.name, u.avatar_url, u.is_bot, 0, 0, 0, '', '', u.presence_status,
	u.status_text, u.status_emoji, u.status_at, u.last_seen_at, u.online, '', 0, '', 0, 0, '',
	` + unblocked("u.id", "u.bot_owner_id", "?2")

// MayRead reports whether by may see the page of an account.
func (r *Reader) MayRead(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+knownPerson("u", "?1")+`)`, by.UserID, userID)
}

// Readable returns the ids of accounts whose pages by may see, in no order.
func (r *Reader) Readable(by Viewer, ids []string) ([]string, error) {
	return all[string](r, `SELECT u.id FROM json_each(?2) j JOIN user u ON u.id = j.value WHERE `+knownPerson("u", "?1"), by.UserID,
		jsonList(ids))
}

// Profiles returns what others may see of the accounts with the ids, in no
// order, with the address in that of by alone. The caller has read the ids from
// rows that by may see. An account that has a block with by looks offline.
func (r *Reader) Profiles(by Viewer, ids []string) (out []User, err error) {
	type profile struct {
		User
		Open bool
	}
	err = each(r, func(p *profile) bool {
		if !p.Open {
			p.User = User{ID: p.ID, Name: p.Name, IsBot: p.IsBot, PresenceStatus: "offline"}
		}
		out = append(out, p.User)
		return true
	}, `SELECT `+profileColumns+` FROM json_each(?1) j JOIN user u ON `+namedUser("u", "j.value"), jsonList(ids), by.UserID)
	return out, err
}
