package store

import (
	"errors"
	"strconv"
)

// Preference is whether an account takes part in matching, and how much of it
// the pages show.
type Preference struct {
	ExperienceMode string // enhanced, simple
	NetworkPaused  bool
	UpdatedAt      Time // 0 if never changed
}

// Preference returns the preferences of by's account.
func (r *Reader) Preference(by Viewer) (p Preference, err error) {
	err = r.value([]any{&p.ExperienceMode, &p.NetworkPaused, &p.UpdatedAt}, `SELECT p.experience_mode, p.network_paused, p.updated_at
		FROM social_preference p WHERE `+ownPreference("p", "?1"), by.UserID)
	if errors.Is(err, ErrNoRow) {
		return Preference{ExperienceMode: "enhanced"}, nil
	}
	return p, err
}

// PutPreference sets the preferences of an account. It sets p.UpdatedAt.
func (tx *Tx) PutPreference(userID string, p *Preference) error {
	p.UpdatedAt = tx.Now
	_, err := tx.exec(`INSERT INTO social_preference (user_id, experience_mode, network_paused, updated_at) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET experience_mode = ?2, network_paused = ?3, updated_at = ?4`, userID, p.ExperienceMode, p.NetworkPaused, int64(tx.Now))
	return err
}

// matchAgain is the beginning of the names of the settings with when the intents of an
// account, whose id follows, are to be matched again.
const matchAgain = "match_again/"

// MatchAgain has the intents of an account matched again at a moment, in place of the
// moment that was set before. A write that reads the moment back with MatchAgainAt and
// finds another one knows that it was set again.
func (tx *Tx) MatchAgain(userID string, at Time) error {
	_, err := tx.exec(`INSERT INTO setting (name, value) VALUES ('`+matchAgain+`' || ?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value`,
		userID, strconv.FormatInt(int64(at), 10))
	return err
}

// MatchedAgain records that the intents of an account were matched again.
func (tx *Tx) MatchedAgain(userID string) error {
	_, err := tx.exec(`DELETE FROM setting WHERE name = '`+matchAgain+`' || ?1`, userID)
	return err
}

// MatchAgainAt returns when the intents of an account are to be matched again; 0 for
// never.
func (r *Reader) MatchAgainAt(userID string) (at Time, err error) {
	err = r.value([]any{&at}, `SELECT coalesce((SELECT CAST(value AS INTEGER) FROM setting WHERE name = '`+matchAgain+`' || ?1), 0)`, userID)
	return at, err
}

// NextMatchAgain returns an account whose intents are to be matched again now; "" without
// one.
func (r *Reader) NextMatchAgain() (userID string, err error) {
	err = r.value([]any{&userID}, `SELECT substr(name, ?1) FROM setting WHERE name > '`+matchAgain+`' AND name < '`+matchAgain+`~' AND CAST(value AS INTEGER) <= ?2
		LIMIT 1`, len(matchAgain)+1, int64(r.Now()))
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return userID, err
}
