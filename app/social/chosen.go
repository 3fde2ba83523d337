package social

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// IntentIn names an intent.
type IntentIn struct {
	ID string `path:"id" json:"-"`
}

// ChosenOut is whom an intent or a Story is for, as far as its owner can name them now.
type ChosenOut struct {
	Audience Audience // empty for an intent that is for everybody
	People   []Person // of Audience.UserIDs, the first 200 by name
	Lost     int      // people and conversations that were chosen and cannot be named any more
	Reach    ReachOut // of Audience
}

// getChosen returns whom an intent of the caller's is for.
func (s *Service) getChosen(ctx context.Context, by store.Viewer, in IntentIn) (out ChosenOut, err error) {
	err = s.DB.Snapshot(ctx, func(r *store.Reader) error {
		i, err := r.Intent(by, in.ID)
		if err != nil || !i.Restricted {
			return err
		}
		a, err := r.IntentAudience(by, i.Seq)
		if err != nil {
			return err
		}
		out, err = chosenOf(r, by, a)
		return err
	})
	return out, core.Found(err)
}

// getStoryChosen returns whom a Story of the caller's is for.
func (s *Service) getStoryChosen(ctx context.Context, by store.Viewer, in FeedStoryIn) (out ChosenOut, err error) {
	err = s.DB.Snapshot(ctx, func(r *store.Reader) error {
		if _, err := r.Story(by, in.ID); err != nil {
			return err
		}
		a, err := r.StoryAudience(by, in.ID)
		if err == nil {
			out, err = chosenOf(r, by, a)
		}
		return err
	})
	return out, core.Found(err)
}

// chosenOf returns whom an audience that by's account chose is, as far as it can name
// them now.
func chosenOf(r *store.Reader, by store.Viewer, a store.Audience) (out ChosenOut, err error) {
	lost, err := r.AudienceUnknown(by, a)
	if err != nil {
		return out, err
	}
	isLost := func(id string) bool { return slices.Contains(lost, id) }
	a.UserIDs, a.ConversationIDs = slices.DeleteFunc(a.UserIDs, isLost), slices.DeleteFunc(a.ConversationIDs, isLost)
	out.Audience, out.Lost = audienceOf(a), len(lost)
	named, err := reachOf(r, by, store.Audience{UserIDs: a.UserIDs})
	if err != nil {
		return out, err
	}
	out.People = named.People
	out.Reach, err = reachOf(r, by, a)
	return out, err
}
