package store

// OwnBots returns the bots of by, in the order of their names.
func (r *Reader) OwnBots(by Viewer) ([]User, error) {
	return all[User](r, `SELECT `+userColumns+` FROM user u WHERE `+ownBot("u", "?1")+` ORDER BY u.name_key, u.id`, by.UserID)
}

// OwnBot returns the bot of by with the id; ErrNoRow without one.
func (r *Reader) OwnBot(by Viewer, id string) (User, error) {
	return one[User](r, `SELECT `+userColumns+` FROM user u WHERE u.id = ?1 AND `+ownBot("u", "?2"), id, by.UserID)
}

// BotIDs returns the ids of all bots of an account, deleted ones too.
func (r *Reader) BotIDs(userID string) ([]string, error) {
	return all[string](r, `SELECT u.id FROM user u WHERE u.bot_owner_id = ?
		/* server: what applies to an account applies to its bots */`, userID)
}

// botCredentialsChanged records that the credentials of u's bots are to be
// judged again: they are valid only while the owner's account is.
func (tx *Tx) botCredentialsChanged(u User) error {
	if u.IsBot {
		return nil
	}
	ids, err := tx.BotIDs(u.ID)
	for _, id := range ids {
		tx.credentialsChanged(id)
	}
	return err
}
