package social

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

const (
	matchUpdated store.EventKind = "match.updated"
	storyUpdated store.EventKind = "story.updated"
)

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: matchUpdated, Scope: core.ToUser, Data: MatchOut{}, Render: renderMatches,
			Doc: "The caller was matched, or what they see of a match changed."},
		{Kind: storyUpdated, Scope: core.ToUser, Data: StoryEvent{},
			Render: toOwner(func(ev store.Event) StoryEvent { return StoryEvent{ev.ObjectID} }),
			Doc:    "A Story of the caller's was published or changed."},
		{Kind: core.InboxUpdated, Scope: core.ToUser, Data: ReviewEvent{},
			Render: toOwner(func(store.Event) ReviewEvent { return ReviewEvent{} }),
			Doc:    "What waits for the caller, in the inbox or the review queue, changed: read it again."},
	}
}

// StoryEvent is the data of story.updated.
type StoryEvent struct {
	StoryID string `json:"storyId"`
}

// ReviewEvent is the data of review.updated.
type ReviewEvent struct{}

func renderMatches(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	m, err := store.First(r.MatchesByID(viewer, ev.ObjectID))
	return MatchOut{matchOf(m)}, err
}

// toOwner renders an event for the account that is its topic alone.
func toOwner[T any](data func(store.Event) T) core.RenderFunc {
	return func(_ *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
		if viewer.UserID != ev.Topic {
			return nil, nil
		}
		return data(ev), nil
	}
}

func matchChanged(tx *store.Tx, id string, userIDs ...string) (err error) {
	for _, u := range userIDs {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: u, Kind: matchUpdated, ObjectID: id}), core.InboxChanged(tx, u))
	}
	return err
}

func storyChanged(tx *store.Tx, s *store.Story) error {
	return tx.Emit(store.Event{Topic: s.OwnerID, Kind: storyUpdated, ObjectID: s.ID, ActorID: s.OwnerID})
}

func searchChanged(tx *store.Tx, i *store.Intent) error {
	story, err := tx.StoryOf(store.Viewer{UserID: i.OwnerID}, i.Seq)
	if err == nil && story.QuietSearch {
		err = storyChanged(tx, &story)
	}
	return store.Optional(err)
}

// storyVisibilityChanged reports the change to accounts whose inbox has the Story.
func storyVisibilityChanged(tx *store.Tx, s *store.Story) error {
	ids, err := tx.StoryInboxes(s.ID)
	return cmp.Or(err, core.InboxChanged(tx, ids...))
}

// WatchInbox counts what waits for accounts. Changed, called later in the same write, emits
// an event for accounts with another count.
func WatchInbox(tx *store.Tx, userIDs ...string) (changed func() error, err error) {
	count := func(id string) (int, error) {
		n, err := tx.WaitingCount(store.Viewer{UserID: id}, tx.Reader.Now().Add(reviewWindow))
		return n.All, err
	}
	were := make([]int, len(userIDs))
	for n, id := range userIDs {
		if err == nil {
			were[n], err = count(id)
		}
	}
	return func() error {
		for n, id := range userIDs {
			are, err := count(id)
			if err == nil && are != were[n] {
				err = core.InboxChanged(tx, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, err
}

// Ended tells the accounts that a deleted one was matched with that the matches are gone. It withdraws the intents and
// Stories of accounts from before their address was first verified. Drafts stay: they do nothing before their owner
// publishes them. It ends the pending requests of a key.
func Ended(tx *store.Tx, what store.Ended) (err error) {
	for _, id := range what.Waiting {
		err = cmp.Or(err, core.InboxChanged(tx, id))
	}
	for _, id := range what.Accounts {
		by := store.Viewer{UserID: id}
		intents, e := tx.UnendedIntents(by)
		for n := range intents {
			e = cmp.Or(e, Close(tx, by, &intents[n]))
		}
		err = cmp.Or(err, e, core.InboxChanged(tx, id))
	}
	var requests int64
	if err == nil && what.KeyID != "" {
		requests, err = tx.DeleteKeyGrants(what.KeysOf, what.KeyID)
	}
	if err == nil && requests > 0 {
		err = core.InboxChanged(tx, what.KeysOf)
	}
	return err
}
