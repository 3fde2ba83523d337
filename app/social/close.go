package social

import (
	"cmp"
	"errors"

	"hearth/store"
)

// Close ends an intent of by's account, if that has not ended: nobody is matched
// with it any more, and its Story is withdrawn.
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
	return cmp.Or(tx.UpdateStory(&story), storyChanged(tx, &story), storyShownOrNot(tx, &story), reviewChanged(tx, by.UserID))
}
