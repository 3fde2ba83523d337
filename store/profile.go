package store

// profileColumns are what others may see of an account u, with its address if
// it is that of the viewer ?2, and whether there is no block between both.
var profileColumns = `u.id, u.name, u.avatar_url, u.is_bot, u.presence_status, u.status_text, u.status_emoji, u.status_at, u.last_seen_at,
	u.online, CASE u.id WHEN ?2 THEN u.email ELSE '' END, ` + unblocked("u.id", "u.bot_owner_id", "?2")

// scanProfile leaves the name of an account that has a block with the viewer,
// which then looks offline.
func scanProfile(s scanner) (u User, err error) {
	var open bool
	err = s.Scan(&u.ID, &u.Name, &u.AvatarURL, &u.IsBot, &u.PresenceStatus, &u.StatusText, &u.StatusEmoji, &u.StatusAt, &u.LastSeenAt,
		&u.Online, &u.Email, &open)
	if !open {
		u = User{ID: u.ID, Name: u.Name, IsBot: u.IsBot, PresenceStatus: "offline"}
	}
	return u, err
}

// MayRead reports whether by may see the page of an account.
func (r *Reader) MayRead(by Viewer, userID string) (ok bool, err error) {
	err = r.value([]any{&ok}, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+knownPerson("u", "?1")+`)`, by.UserID, userID)
	return ok, err
}

// Readable returns those of the accounts with the ids whose pages by may see, in no
// order.
func (r *Reader) Readable(by Viewer, ids []string) ([]string, error) {
	return all(r, scanOne[string], `SELECT u.id FROM json_each(?2) j JOIN user u ON u.id = j.value WHERE `+knownPerson("u", "?1"), by.UserID,
		jsonList(ids))
}

// Profiles returns what others may see of the accounts with the ids, in no
// order, with the address in that of by alone. The caller has read the ids from
// rows that by may see.
func (r *Reader) Profiles(by Viewer, ids []string) ([]User, error) {
	return all(r, scanProfile, `SELECT `+profileColumns+` FROM json_each(?1) j JOIN user u ON `+namedUser("u", "j.value"), jsonList(ids),
		by.UserID)
}
