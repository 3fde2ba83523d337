package store

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// profileColumns are few because a list of conversations has many profiles and
// reading a column costs more than finding the row. What every account u has is
// one text, in which only the last part has no fixed length; what most do not
// have is one JSON value, NULL for those without. The viewer is ?2.
const profileColumns = `u.id || u.name, u.last_seen_at,
	CASE WHEN u.avatar_url = '' AND u.is_bot = 0 AND u.presence_status = 'available' AND u.status_at IS NULL AND u.id <> ?2 THEN NULL
	ELSE json_object('avatarUrl', u.avatar_url, 'isBot', u.is_bot, 'presence', u.presence_status, 'text', u.status_text, 'emoji', u.status_emoji,
		'statusAt', u.status_at, 'email', CASE u.id WHEN ?2 THEN u.email ELSE '' END) END`

// profileRest is the last of profileColumns.
type profileRest struct {
	AvatarURL string `json:"avatarUrl"`
	IsBot     int    `json:"isBot"`
	Presence  string `json:"presence"`
	Text      string `json:"text"`
	Emoji     string `json:"emoji"`
	StatusAt  int64  `json:"statusAt"`
	Email     string `json:"email"`
}

func scanProfile(s scanner) (u User, err error) {
	const id = 36
	var main, rest text
	if err := s.Scan(&main, &u.LastSeenAt, &rest); err != nil {
		return u, err
	}
	if len(main) < id {
		return u, fmt.Errorf("store: cannot read a profile from %d bytes", len(main))
	}
	u.ID, u.Name, u.PresenceStatus = string(main[:id]), string(main[id:]), "available"
	if rest == "" {
		return u, nil
	}
	var x profileRest
	if err := json.Unmarshal([]byte(rest), &x); err != nil {
		return u, fmt.Errorf("profile %s: %w", u.ID, err)
	}
	u.AvatarURL, u.IsBot, u.PresenceStatus, u.Email = x.AvatarURL, x.IsBot == 1, x.Presence, x.Email
	u.StatusText, u.StatusEmoji, u.StatusAt = x.Text, x.Emoji, Time(x.StatusAt)
	return u, nil
}

// Profiles returns what others may see of the accounts with the ids, in no
// order, with the address in that of by alone. The caller has read the ids from
// rows that by may see.
func (r *Reader) Profiles(by Viewer, ids []string) ([]User, error) {
	return all(r, scanProfile, `SELECT `+profileColumns+` FROM json_each(?1) j JOIN user u ON `+namedUser("u", "j.value"), jsonList(ids), by.UserID)
}
