package social

import (
	"cmp"
	"context"
	"errors"
	"time"

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

const (
	matchTime  = 2 * time.Second // of one request; a job matches the rest
	matchClaim = time.Minute     // nobody else matches the same intents for this time
)

// With networkPaused false, updatePreferences matches the active intents before it returns, also if the network was
// not paused. A job matches the rest.
func (s *Service) updatePreferences(ctx context.Context, by store.Viewer, in UpdatePreferencesIn) (out SocialPreferences, err error) {
	var claim store.Time
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
		if err == nil && in.NetworkPaused != nil {
			claim, err = claimMatching(tx, by, was.NetworkPaused, p.NetworkPaused)
		}
		out = preferencesOf(p)
		return err
	})
	if err == nil && claim != 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), matchTime)
		defer cancel()
		// The preference is already changed: after an error the job does the rest.
		failed := s.matchAll(ctx, by, &claim, &effort{work: maxWork, alone: true})
		_ = s.endClaim(ctx, by.UserID, claim, failed == nil)
		s.listed()
	}
	return out, err
}

// claimMatching returns 0 if there is nothing to match, or somebody else is matching.
func claimMatching(tx *store.Tx, by store.Viewer, was, paused bool) (claim store.Time, err error) {
	if paused {
		return 0, tx.MatchedAgain(by.UserID)
	}
	if was {
		err = tx.CompareVectorsAgain(by.UserID)
	} else if at, e := tx.MatchAgainAt(by.UserID); e != nil || at == 0 || at > tx.Reader.Now() {
		return 0, e // none are left
	}
	if n, e := tx.ActiveIntents(by); err != nil || e != nil || n == 0 {
		return 0, cmp.Or(err, e)
	}
	claim = tx.In(matchClaim)
	return claim, tx.MatchAgain(by.UserID, claim)
}

func (s *Service) endClaim(ctx context.Context, userID string, claim store.Time, done bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return s.DB.Write(ctx, func(tx *store.Tx) error {
		at, err := tx.MatchAgainAt(userID)
		switch {
		case err != nil || at != claim: // matching was paused or resumed since
			return err
		case done:
			return tx.MatchedAgain(userID)
		}
		return tx.MatchAgain(userID, tx.Reader.Now())
	})
}

// matchAll stops when the claim has ended; each intent renews it. within bounds all intents together, nil each one
// alone. It returns the first error after trying all.
func (s *Service) matchAll(ctx context.Context, by store.Viewer, claim *store.Time, within *effort) error {
	var mine []store.Intent
	err := s.DB.Read(ctx, func(r *store.Reader) (err error) {
		mine, err = r.ListedIntents(by, maxActive)
		for n := range mine {
			if err == nil {
				mine[n].Audience, err = r.IntentAudience(by, mine[n].Seq)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for n := range mine {
		e := cmp.Or(within, &effort{work: maxWork, alone: true})
		failed := s.matchOne(ctx, &mine[n], claim, e)
		if errors.Is(failed, errClaimLost) || ctx.Err() != nil {
			return cmp.Or(failed, ctx.Err())
		}
		if err = cmp.Or(err, failed); within != nil && e.work <= 0 {
			return cmp.Or(err, errEnough)
		}
	}
	return err
}

var (
	errEnough = errors.New("social: the request has matched enough") // leaves the rest to the job
	// errClaimLost ends matching that was paused.
	errClaimLost = errors.New("social: matching was paused or is done by somebody else")
)

func (s *Service) matchOne(ctx context.Context, i *store.Intent, claim *store.Time, e *effort) error {
	f, err := s.findWithin(ctx, i, e)
	if err != nil {
		return err
	}
	var renewed store.Time
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		at, err := tx.MatchAgainAt(i.OwnerID)
		if err == nil && at != *claim {
			err = errClaimLost
		}
		if err != nil {
			return err
		}
		renewed = tx.In(matchClaim)
		return cmp.Or(tx.MatchAgain(i.OwnerID, renewed), decide(tx, i, f))
	})
	if err == nil {
		*claim = renewed
	}
	return err
}

// MatchAgain matches the intents of accounts that resumed matching and that requests left over.
func (s *Service) MatchAgain(ctx context.Context) (failed error) {
	for ctx.Err() == nil {
		var by store.Viewer
		var claim store.Time
		err := s.DB.Write(ctx, func(tx *store.Tx) (err error) {
			if by.UserID, err = tx.NextMatchAgain(); err != nil || by.UserID == "" {
				return err
			}
			claim = tx.In(matchClaim)
			return tx.MatchAgain(by.UserID, claim)
		})
		if err != nil || by.UserID == "" {
			return cmp.Or(failed, err)
		}
		switch err := s.matchAll(ctx, by, &claim, nil); {
		case err == nil:
			failed = cmp.Or(failed, s.endClaim(ctx, by.UserID, claim, true))
		case !errors.Is(err, errClaimLost):
			failed = cmp.Or(failed, err) // the claim stays until the next run
		}
	}
	return cmp.Or(failed, ctx.Err())
}
