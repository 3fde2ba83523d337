package store

import (
	"errors"
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
	return tx.exec(`INSERT INTO social_preference (user_id, experience_mode, network_paused, updated_at) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET experience_mode = ?2, network_paused = ?3, updated_at = ?4`, userID, p.ExperienceMode, p.NetworkPaused, tx.Now)
}
