package social

import (
	"cmp"
	"errors"

	"hearth/store"
)

// Close ends an intent of by's account unless it has ended. It is matched no more, and its Story is withdrawn.
func Close(tx *store.Tx, by store.Viewer, i *store.Intent) error {
	if i.Status == "active" || i.Status == "paused" {
		if err := withdraw(tx, i); err != nil {
			return err
		}
	}
	story, err := tx.StoryOf(by, i.Seq)
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	if err != nil || story.Status == "withdrawn" {
		return err
	}
	story.Status = "withdrawn"
	return cmp.Or(tx.UpdateStory(&story), storyChanged(tx, &story), storyVisibilityChanged(tx, &story), reviewChanged(tx, by.UserID))
}

// Proven withdraws the intents and Stories of accounts from before their address was first verified. Drafts stay:
// they do nothing before their owner publishes them.
func Proven(tx *store.Tx, what store.Unproven) error {
	for _, id := range what.Accounts {
		by := store.Viewer{UserID: id}
		intents, err := tx.UnendedIntents(by)
		for n := range intents {
			err = cmp.Or(err, Close(tx, by, &intents[n]))
		}
		if err := cmp.Or(err, reviewChanged(tx, id)); err != nil {
			return err
		}
	}
	return nil
}
