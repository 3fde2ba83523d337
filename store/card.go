package store

import "errors"

// Card is an add-me card: whoever has its token may see it, and ask its owner to
// be a friend.
type Card struct {
	UserID    string
	Token     string
	Headline  string
	Enabled   bool
	UpdatedAt Time
}

const cardColumns = `c.user_id, c.token, c.headline, c.enabled, c.updated_at`

// OwnCard returns the card of by; a card with the account's id alone if there is
// none.
func (r *Reader) OwnCard(by Viewer) (Card, error) {
	c, err := one[Card](r, `SELECT `+cardColumns+` FROM card c WHERE `+ownCard("c", "?1"), by.UserID)
	if errors.Is(err, ErrNoRow) {
		return Card{UserID: by.UserID}, nil
	}
	return c, err
}

// Card returns the card with the token if by may see it; ErrNoRow otherwise.
func (r *Reader) Card(by Viewer, token string) (Card, error) {
	return one[Card](r, `SELECT `+cardColumns+` FROM card c WHERE c.token = ?2 AND `+visibleCard("c", "?1"), by.UserID, token)
}

// CardOwner returns what everybody who sees a card may see of its owner: the
// name, the picture and the status.
func (r *Reader) CardOwner(c Card) (u User, err error) {
	err = r.value([]any{&u.Name, &u.AvatarURL, &u.StatusText, &u.StatusEmoji, &u.StatusAt},
		`SELECT u.name, u.avatar_url, u.status_text, u.status_emoji, u.status_at FROM user u WHERE `+namedUser("u", "?1"), c.UserID)
	return u, err
}

// PutCard writes the card of an account and sets UpdatedAt. It returns ErrTaken
// if another card has the token.
func (tx *Tx) PutCard(c Card) (Card, error) {
	c.UpdatedAt = tx.Now
	return c, tx.exec(`INSERT INTO card (user_id, token, headline, enabled, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
		ON CONFLICT (user_id) DO UPDATE SET token = ?2, headline = ?3, enabled = ?4, updated_at = ?5`,
		c.UserID, c.Token, c.Headline, c.Enabled, tx.Now)
}
