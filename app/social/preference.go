package social

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

// SocialPreferences says how an account takes part in matching.
type SocialPreferences struct {
	ExperienceMode string      `json:"experienceMode" enum:"enhanced|simple" doc:"Simple shows conversations only; it changes nothing else"`
	NetworkPaused  bool        `json:"networkPaused" doc:"No new matches"`
	UpdatedAt      *store.Time `json:"updatedAt"`
}

func preferencesOf(p store.Preference) SocialPreferences {
	return SocialPreferences{ExperienceMode: p.ExperienceMode, NetworkPaused: p.NetworkPaused, UpdatedAt: p.UpdatedAt.Ptr()}
}

func getPreferences(r *store.Reader, by store.Viewer, _ core.None) (SocialPreferences, error) {
	p, err := r.Preference(by)
	return preferencesOf(p), err
}

// UpdatePreferencesIn has the preferences to change.
type UpdatePreferencesIn struct {
	ExperienceMode string `json:"experienceMode" enum:"enhanced|simple"`
	NetworkPaused  *bool  `json:"networkPaused"`
}

// Whoever resumes matching is matched before updatePreferences returns.
func (s *Service) updatePreferences(ctx context.Context, by store.Viewer, in UpdatePreferencesIn) (out SocialPreferences, err error) {
	var mine []store.Intent
	var agree []*found
	if in.NetworkPaused != nil && !*in.NetworkPaused {
		s.pool.mu.Lock()
		defer s.pool.mu.Unlock()
		if mine, agree, err = s.findAll(ctx, by); err != nil {
			return out, err
		}
	}
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
		for n := range mine {
			if err == nil && was.NetworkPaused {
				err = decide(tx, &mine[n], agree[n])
			}
		}
		out = preferencesOf(p)
		return err
	})
	return out, err
}

// findAll compares the active intents of an account that has paused its network. The caller holds s.pool.mu.
func (s *Service) findAll(ctx context.Context, by store.Viewer) (mine []store.Intent, agree []*found, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		p, err := r.Preference(by)
		if err == nil && p.NetworkPaused {
			mine, err = r.ListedIntents(by, maxActive)
		}
		return err
	})
	for n := range mine {
		if err == nil {
			var f *found
			f, err = s.find(ctx, &mine[n], nil, "")
			agree = append(agree, f)
		}
	}
	return mine, agree, err
}
