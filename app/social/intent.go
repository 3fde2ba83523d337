package social

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// AgentIntent is an ask or an offer, as its account sees it.
type AgentIntent struct {
	ID                  string      `json:"id"`
	OwnerUserID         string      `json:"ownerUserId"`
	Kind                string      `json:"kind" enum:"ask|offer"`
	Terms               string      `json:"terms" read:"own" doc:"What a match sees"`
	Details             *string     `json:"details" read:"own" doc:"For the owner alone"`
	Status              string      `json:"status" enum:"active|paused|withdrawn|connected"`
	ExpiresAt           *store.Time `json:"expiresAt" doc:"Nobody is matched with it from then on"`
	Goal                *string     `json:"goal" read:"own"`
	Seeks               []string    `json:"seeks" read:"own"`
	Brings              []string    `json:"brings" read:"own"`
	MatchingMode        string      `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal"`
	OpenToCollaborators bool        `json:"openToCollaborators"`
	CloseOnConnect      bool        `json:"closeOnConnect" doc:"It ends with the first match that connects"`
	CreatedAt           store.Time  `json:"createdAt"`
	UpdatedAt           store.Time  `json:"updatedAt"`

	Restricted bool `json:"-"` // to an audience; for pages
}

func intentOf(i store.Intent) AgentIntent {
	return AgentIntent{
		ID: i.ID, OwnerUserID: i.OwnerID, Kind: i.Kind, Terms: i.Terms, Details: core.OrNil(i.Details), Status: i.Status,
		ExpiresAt: i.ExpiresAt.Ptr(), Goal: core.OrNil(i.Goal), Seeks: i.Seeks, Brings: i.Brings, MatchingMode: i.MatchingMode,
		OpenToCollaborators: i.Collaborators, CloseOnConnect: i.CloseOnConnect, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
		Restricted: i.Restricted,
	}
}

// IntentOut has an intent.
type IntentOut struct {
	Intent AgentIntent `json:"intent"`
}

// ListIntentsIn selects intents.
type ListIntentsIn struct {
	Before *store.Time `query:"before" json:"-" doc:"Only older intents: for the next page, the createdAt of the oldest inactive one"`

	Brief bool `json:"-"` // for pages: without goal, seeks and brings
}

// ListIntentsOut has the caller's intents, the newest first.
type ListIntentsOut struct {
	Intents []AgentIntent `json:"intents"`
}

const maxListed = 500

const maxListedSize = 2 << 20 // bytes of text in a list of intents, drafts or Stories

func listIntents(r *store.Reader, by store.Viewer, in ListIntentsIn) (ListIntentsOut, error) {
	var rows []store.Intent
	var err error
	if in.Before != nil {
		rows, err = r.IntentsWithin(by, core.Before(in.Before), maxListed, maxListedSize)
	} else {
		rows, err = r.IntentsWithListed(by, maxListed, maxListedSize, in.Brief)
	}
	return ListIntentsOut{core.Map(rows, intentOf)}, err
}

func getIntent(r *store.Reader, by store.Viewer, in core.ByID) (IntentOut, error) {
	i, err := r.Intent(by, in.ID)
	return IntentOut{intentOf(i)}, err
}

// CreateIntentIn is an intent to publish.
type CreateIntentIn struct {
	Kind                string      `json:"kind" required:"true" enum:"ask|offer"`
	Terms               string      `json:"terms" required:"true" min:"1" max:"500" line:"true" plain:"true" doc:"What a match sees: no name, address or anything else that tells who you are"`
	Confirm             *bool       `json:"confirm" required:"true" doc:"True, once the owner has approved exactly these terms"`
	Details             string      `json:"details" max:"2000" plain:"true" doc:"For the owner alone"`
	ExpiresAt           *store.Time `json:"expiresAt" doc:"In the future; left out for never"`
	Goal                string      `json:"goal" max:"500" line:"true" plain:"true"`
	Seeks               []string    `json:"seeks" max:"20" itemMax:"500" line:"true" plain:"true" doc:"Without seeks and brings, an ask seeks its terms"`
	Brings              []string    `json:"brings" max:"20" itemMax:"500" line:"true" plain:"true"`
	MatchingMode        string      `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal" default:"fulfillment"`
	OpenToCollaborators bool        `json:"openToCollaborators"`
	Audience            *Audience   `json:"audience" doc:"Match with these only; left out for everybody"`
	CloseOnConnect      *bool       `json:"closeOnConnect" doc:"By default true"`

	Replaces string `json:"-"` // for pages: an intent of the caller that this one replaces or repeats
}

// createIntent matches the intent before it returns. An open intent that is replaced by an equal one lasts longer
// instead.
func (s *Service) createIntent(ctx context.Context, by store.Viewer, in CreateIntentIn) (out IntentOut, err error) {
	if !*in.Confirm {
		return out, core.InvalidField("confirm", "confirm must be true. Set it once the owner has approved exactly these terms.")
	}
	i, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.Intent, error) { return newIntent(r, by, &in) })
	if err == nil {
		err = s.publishing(ctx, &i, func(f *found) error {
			return s.DB.Write(ctx, func(tx *store.Tx) error { return insert(tx, by, &i, in.Replaces, f) })
		})
	}
	return IntentOut{intentOf(i)}, err
}

func previewIntent(r *store.Reader, by store.Viewer, in CreateIntentIn) (out IntentOut, err error) {
	i, err := newIntent(r, by, &in)
	if err == nil {
		_, _, err = mayPublish(r, by, &i, in.Replaces)
	}
	return IntentOut{intentOf(i)}, err
}

// newIntent returns the intent of in. If it replaces one with the same words, it has also what no form shows of that
// one but matching uses.
func newIntent(r *store.Reader, by store.Viewer, in *CreateIntentIn) (i store.Intent, err error) {
	i = store.Intent{
		ID: store.NewID(), OwnerID: by.UserID, Kind: in.Kind, Terms: in.Terms, Details: in.Details, Goal: in.Goal,
		MatchingMode: in.MatchingMode, Collaborators: in.OpenToCollaborators, CloseOnConnect: in.CloseOnConnect == nil || *in.CloseOnConnect,
		Status: "active",
	}
	i.Seeks, i.Brings = normalised(in.Kind, in.Terms, in.Seeks, in.Brings)
	if i.ExpiresAt, err = future(r.Now(), "expiresAt", in.ExpiresAt); err != nil {
		return i, err
	}
	if in.Audience != nil {
		if i.Audience, err = in.Audience.chosen("audience"); err != nil {
			return i, err
		}
	}
	old, err := r.Intent(by, in.Replaces)
	if err != nil || old.Kind != i.Kind || strings.TrimSpace(old.Terms) != i.Terms {
		return i, store.Optional(err)
	}
	i.Terms, i.Goal, i.MatchingMode, i.Collaborators = old.Terms, old.Goal, old.MatchingMode, old.Collaborators
	if len(old.Seeks)+len(old.Brings) > 0 {
		i.Seeks, i.Brings = old.Seeks, old.Brings
	}
	return i, nil
}

// mayPublish also returns the intent that i replaces, and whether it is open: replacing one that has ended changes
// nothing, since it is history.
func mayPublish(r *store.Reader, by store.Viewer, i *store.Intent, replaces string) (old store.Intent, open bool, err error) {
	if err := mustName(r, by, "audience", i.Audience); err != nil {
		return old, false, err
	}
	old, err = r.Intent(by, replaces)
	if errors.Is(err, store.ErrNoRow) || err == nil && !old.Listed(r.Now()) {
		return old, false, mayBeActive(r, by)
	}
	if err == nil {
		old.Audience, err = r.IntentAudience(by, old.Seq)
	}
	return old, err == nil, err
}

func normalised(kind, terms string, seeks, brings []string) ([]string, []string) {
	switch {
	case len(seeks)+len(brings) > 0:
	case kind == "ask":
		seeks = []string{terms}
	default:
		brings = []string{terms}
	}
	return seeks, brings
}

func future(now store.Time, field string, at *store.Time) (store.Time, error) {
	switch {
	case at == nil:
		return 0, nil
	case *at <= now:
		return 0, core.InvalidField(field, "%s must be in the future.", field)
	case at.Go().Year() > 9999: // it could not be written as text
		return 0, core.InvalidField(field, "%s must be before the year 10000.", field)
	}
	return *at, nil
}

const maxActive = 50

func insert(tx *store.Tx, by store.Viewer, i *store.Intent, replaces string, f *found) error {
	old, open, err := mayPublish(&tx.Reader, by, i, replaces)
	if err == nil && open {
		var kept bool
		if kept, err = replace(tx, by, &old, i); kept {
			return err
		}
	}
	if err == nil {
		err = tx.InsertIntent(i)
	}
	if err != nil {
		return err
	}
	return cmp.Or(decide(tx, i, f), core.InboxChanged(tx, by.UserID))
}

// replace extends old and its search if only the expiry differs, and sets i to old. Otherwise it withdraws old.
func replace(tx *store.Tx, by store.Viewer, old, i *store.Intent) (kept bool, err error) {
	story, err := tx.StoryOf(by, old.Seq)
	none := errors.Is(err, store.ErrNoRow)
	if err != nil && !none {
		return false, err
	}
	if !same(old, i) || !none && i.ExpiresAt == 0 { // an intent of a Story always expires
		return false, end(tx, old, "withdrawn")
	}
	at := i.ExpiresAt
	*i = *old
	err = tx.SetIntentExpiry(i, at)
	if err == nil && !none {
		story.SearchExpiresAt = at
		err = cmp.Or(tx.UpdateStory(&story), searchChanged(tx, i))
	}
	return true, cmp.Or(err, core.InboxChanged(tx, by.UserID))
}

// An intent whose audience is gone is still restricted.
func same(a, b *store.Intent) bool {
	terms := func(i *store.Intent) [5]string {
		return [...]string{i.Kind, i.Terms, i.Goal, i.MatchingMode, i.Details}
	}
	choices := func(i *store.Intent) [2]bool { return [...]bool{i.Collaborators, i.CloseOnConnect} }
	lists := func(i *store.Intent) [][]string {
		return [][]string{i.Seeks, i.Brings, i.Audience.UserIDs, i.Audience.ConversationIDs}
	}
	return terms(a) == terms(b) && choices(a) == choices(b) && a.Restricted == !b.Audience.Empty() &&
		slices.EqualFunc(lists(a), lists(b), slices.Equal[[]string])
}

func mayBeActive(r *store.Reader, by store.Viewer) error {
	n, err := r.ActiveIntents(by)
	if err == nil && n >= maxActive {
		err = core.New(core.Conflict, "too_many_intents", "You have %d active asks and offers, which is the most. Withdraw one first.", maxActive)
	}
	return err
}

// WithdrawIntentIn withdraws an intent. A body with any other member is refused.
type WithdrawIntentIn struct {
	_      struct{} `strict:"true"`
	ID     string   `path:"id" json:"-"`
	Status string   `json:"status" required:"true" enum:"withdrawn"`
}

func updateIntent(tx *store.Tx, by store.Viewer, in WithdrawIntentIn) (IntentOut, error) {
	i, err := tx.Intent(by, in.ID)
	if err == nil && i.Status != "withdrawn" {
		err = end(tx, &i, "withdrawn")
	}
	return IntentOut{intentOf(i)}, err
}

// end closes the intent's open matches for its owner only. Others see them open until they answer: a match that
// closed together with a Story, a post or a connection would reveal its owner.
func end(tx *store.Tx, i *store.Intent, status string) error {
	ended := i.Ended()
	err := cmp.Or(tx.SetIntentStatus(i, status), searchChanged(tx, i))
	if err == nil && !ended {
		var ids []string
		ids, err = tx.EndMatchesOf(i.Seq)
		for _, id := range ids {
			err = cmp.Or(err, matchChanged(tx, id, i.OwnerID))
		}
	}
	return cmp.Or(err, core.InboxChanged(tx, i.OwnerID))
}

// Close ends an intent of by's account unless it has ended. It is matched no more, and its Story is withdrawn.
func Close(tx *store.Tx, by store.Viewer, i *store.Intent) error {
	if !i.Ended() {
		if err := end(tx, i, "withdrawn"); err != nil {
			return err
		}
	}
	story, err := tx.StoryOf(by, i.Seq)
	if err != nil || story.Status == "withdrawn" {
		return store.Optional(err)
	}
	story.Status = "withdrawn"
	return cmp.Or(tx.UpdateStory(&story), storyChanged(tx, &story), storyVisibilityChanged(tx, &story), core.InboxChanged(tx, by.UserID))
}
