package social

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

// SocialPreferences is how an account takes part in matching.
type SocialPreferences struct {
	ExperienceMode string      `json:"experienceMode" enum:"enhanced|simple" doc:"Simple shows conversations only; it changes nothing else"`
	NetworkPaused  bool        `json:"networkPaused" doc:"No new matches"`
	UpdatedAt      *store.Time `json:"updatedAt"`
}

func preferencesOf(p store.Preference) SocialPreferences {
	return SocialPreferences{ExperienceMode: p.ExperienceMode, NetworkPaused: p.NetworkPaused, UpdatedAt: p.UpdatedAt.Ptr()}
}

// getPreferences returns the caller's preferences.
func (s *Service) getPreferences(ctx context.Context, by store.Viewer, _ core.None) (out SocialPreferences, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		p, err := r.Preference(by)
		out = preferencesOf(p)
		return err
	})
	return out, err
}

// UpdatePreferencesIn has the preferences to change.
type UpdatePreferencesIn struct {
	ExperienceMode string `json:"experienceMode" enum:"enhanced|simple"`
	NetworkPaused  *bool  `json:"networkPaused"`
}

// updatePreferences changes the caller's preferences. When the network is not
// paused any more, it matches their active intents before it returns.
func (s *Service) updatePreferences(ctx context.Context, by store.Viewer, in UpdatePreferencesIn) (out SocialPreferences, err error) {
	resumed := false
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.Preference(by)
		if err != nil {
			return err
		}
		was := p
		p.ExperienceMode = cmp.Or(in.ExperienceMode, p.ExperienceMode)
		if in.NetworkPaused != nil {
			p.NetworkPaused = *in.NetworkPaused
		}
		if p != was {
			err = tx.PutPreference(by.UserID, &p)
		}
		if resumed = was.NetworkPaused && !p.NetworkPaused; resumed && err == nil {
			err = tx.CompareVectorsAgain(by.UserID)
		}
		out = preferencesOf(p)
		return err
	})
	if err == nil && resumed {
		err = s.matchAgain(ctx, by)
		s.listed()
	}
	return out, err
}

// matchAgain looks for matches of all active intents of the caller.
func (s *Service) matchAgain(ctx context.Context, by store.Viewer) error {
	var mine []store.Intent
	err := s.DB.Snapshot(ctx, func(r *store.Reader) (err error) {
		mine, err = r.ListedIntents(by, maxActive)
		for n := range mine {
			if err == nil {
				mine[n].Audience, err = r.IntentAudience(by, mine[n].Seq)
			}
		}
		return err
	})
	for n := range mine {
		if err != nil {
			return err
		}
		i := &mine[n]
		var f *found
		if f, err = s.find(ctx, i); err == nil {
			err = s.DB.Write(ctx, func(tx *store.Tx) error { return decide(tx, i, f) })
		}
	}
	return err
}
