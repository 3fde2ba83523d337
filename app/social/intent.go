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
		ExpiresAt: i.ExpiresAt.Ptr(),
		Goal:      core.OrNil(i.Goal), Seeks: i.Seeks, Brings: i.Brings, MatchingMode: i.MatchingMode,
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
	Before *store.Time `query:"before" json:"-" doc:"Only those with a createdAt before this moment, also of those that are active. The next older ones are before the oldest one returned that is not active any more: active ones are returned whatever their age."`

	Brief bool `json:"-"` // for pages: without goal, seeks and brings
}

// ListIntentsOut has the caller's intents, the newest first.
type ListIntentsOut struct {
	Intents []AgentIntent `json:"intents"`
}

const maxListed = 500

const maxListedSize = 2 << 20 // bytes of text in a list of intents, drafts or Stories

func (s *Service) listIntents(ctx context.Context, by store.Viewer, in ListIntentsIn) (out ListIntentsOut, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
		var rows []store.Intent
		if in.Before != nil {
			rows, err = r.IntentsWithin(by, max(*in.Before, 1), maxListed, maxListedSize)
		} else {
			rows, err = r.IntentsWithListed(by, maxListed, maxListedSize, in.Brief)
		}
		out.Intents = core.Map(rows, intentOf)
		return err
	})
	return out, err
}

func (s *Service) getIntent(ctx context.Context, by store.Viewer, in IntentIn) (out IntentOut, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		i, err := r.Intent(by, in.ID)
		out.Intent = intentOf(i)
		return err
	})
	return out, core.Found(err)
}

// CreateIntentIn is an intent to publish.
type CreateIntentIn struct {
	Kind                string      `json:"kind" required:"true" enum:"ask|offer"`
	Terms               string      `json:"terms" required:"true" min:"1" max:"500" line:"true" plain:"true" doc:"What a match sees: no name, address or anything else that tells who it is"`
	Confirm             *bool       `json:"confirm" required:"true" doc:"True, once the owner has approved exactly these terms"`
	Details             string      `json:"details" max:"2000" plain:"true" doc:"For the owner alone"`
	ExpiresAt           *store.Time `json:"expiresAt" doc:"In the future; left out for never"`
	Goal                string      `json:"goal" max:"500" line:"true" plain:"true"`
	Seeks               []string    `json:"seeks" max:"20" itemMax:"500" line:"true" plain:"true" doc:"What is looked for. If seeks and brings are both empty, an ask seeks its terms, and an offer brings them"`
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
	i, err := s.newIntent(by, &in)
	if err == nil {
		err = s.DB.Read(ctx, func(r *store.Reader) error { return likeReplaced(r, by, &i, in.Replaces) })
	}
	if err == nil {
		err = s.list(ctx, by, &i, in.Replaces)
	}
	out.Intent = intentOf(i)
	return out, err
}

func (s *Service) previewIntent(ctx context.Context, by store.Viewer, in CreateIntentIn) (out IntentOut, err error) {
	i, err := s.newIntent(by, &in)
	if err != nil {
		return out, err
	}
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		if err := likeReplaced(r, by, &i, in.Replaces); err != nil {
			return err
		}
		_, open, err := replaced(r, by, in.Replaces)
		if err != nil {
			return err
		}
		return mayPublish(r, by, &i, open)
	})
	out.Intent = intentOf(i)
	return out, err
}

func (s *Service) newIntent(by store.Viewer, in *CreateIntentIn) (i store.Intent, err error) {
	i = store.Intent{
		ID: store.NewID(), OwnerID: by.UserID, Kind: in.Kind, Terms: in.Terms, Details: in.Details, Goal: in.Goal,
		MatchingMode: in.MatchingMode, Collaborators: in.OpenToCollaborators, CloseOnConnect: in.CloseOnConnect == nil || *in.CloseOnConnect,
		Status: "active",
	}
	i.Seeks, i.Brings = normalised(in.Kind, in.Terms, in.Seeks, in.Brings)
	if i.ExpiresAt, err = s.future("expiresAt", in.ExpiresAt); err != nil {
		return i, err
	}
	if in.Audience != nil {
		i.Audience, err = in.Audience.chosen("audience")
	}
	return i, err
}

func mayPublish(r *store.Reader, by store.Viewer, i *store.Intent, replaces bool) error {
	if err := mustName(r, by, "audience", i.Audience); err != nil || replaces {
		return err
	}
	return mayBeActive(r, by)
}

func normalised(kind, terms string, seeks, brings []string) ([]string, []string) {
	switch {
	case len(seeks)+len(brings) > 0:
	case kind == "ask":
		seeks = []string{terms}
	default:
		brings = []string{terms}
	}
	return append([]string{}, seeks...), append([]string{}, brings...)
}

func (s *Service) future(field string, at *store.Time) (store.Time, error) {
	if at == nil {
		return 0, nil
	}
	if *at <= s.DB.Now() {
		return 0, core.InvalidField(field, "%s must be in the future.", field)
	}
	if at.Go().Year() > 9999 { // it could not be written as text
		return 0, core.InvalidField(field, "%s must be before the year 10000.", field)
	}
	return *at, nil
}

const maxActive = 50

func (s *Service) list(ctx context.Context, by store.Viewer, i *store.Intent, replaces string) error {
	return s.publishing(ctx, i, func(f *found) error {
		return s.DB.Write(ctx, func(tx *store.Tx) error { return insert(tx, by, i, replaces, f) })
	})
}

func insert(tx *store.Tx, by store.Viewer, i *store.Intent, replaces string, f *found) error {
	old, open, err := replaced(&tx.Reader, by, replaces)
	if err == nil {
		err = mayPublish(&tx.Reader, by, i, open)
	}
	if err != nil {
		return err
	}
	if open {
		kept, err := replace(tx, by, &old, i)
		if err != nil || kept {
			return err
		}
	}
	if err := tx.InsertIntent(i); err != nil {
		return err
	}
	return cmp.Or(decide(tx, i, f), reviewChanged(tx, by.UserID))
}

// An intent that has ended is history: replacing it changes nothing.
func replaced(r *store.Reader, by store.Viewer, id string) (i store.Intent, open bool, err error) {
	if id == "" {
		return i, false, nil
	}
	i, err = r.Intent(by, id)
	if errors.Is(err, store.ErrNoRow) {
		return i, false, nil
	}
	if err == nil {
		i.Audience, err = r.IntentAudience(by, i.Seq)
	}
	return i, err == nil && i.Listed(r.Now()), err
}

// likeReplaced copies what no form shows but matching uses, if the words are the same.
func likeReplaced(r *store.Reader, by store.Viewer, i *store.Intent, id string) error {
	if id == "" {
		return nil
	}
	old, err := r.Intent(by, id)
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	if err != nil || old.Kind != i.Kind || strings.TrimSpace(old.Terms) != i.Terms {
		return err
	}
	i.Terms, i.Goal, i.MatchingMode, i.Collaborators = old.Terms, old.Goal, old.MatchingMode, old.Collaborators
	if len(old.Seeks)+len(old.Brings) > 0 {
		i.Seeks, i.Brings = old.Seeks, old.Brings
	}
	return nil
}

// replace extends old and its search if only the expiry differs, and sets i to old. Otherwise it withdraws old.
func replace(tx *store.Tx, by store.Viewer, old, i *store.Intent) (kept bool, err error) {
	story, err := tx.StoryOf(by, old.Seq)
	none := errors.Is(err, store.ErrNoRow)
	if err != nil && !none {
		return false, err
	}
	if !same(old, i) || !none && i.ExpiresAt == 0 { // an intent of a Story always expires
		return false, withdraw(tx, old)
	}
	at := i.ExpiresAt
	*i = *old
	if err := tx.SetIntentExpiry(i, at); err != nil {
		return true, err
	}
	if !none {
		story.SearchExpiresAt = at
		if err := cmp.Or(tx.UpdateStory(&story), searchChanged(tx, i)); err != nil {
			return true, err
		}
	}
	return true, reviewChanged(tx, by.UserID)
}

// An intent whose audience is gone is still restricted.
func same(a, b *store.Intent) bool {
	terms := func(i *store.Intent) [5]string {
		return [...]string{i.Kind, i.Terms, i.Goal, i.MatchingMode, i.Details}
	}
	choices := func(i *store.Intent) [2]bool { return [...]bool{i.Collaborators, i.CloseOnConnect} }
	sides := slices.Equal(a.Seeks, b.Seeks) && slices.Equal(a.Brings, b.Brings)
	audience := a.Restricted == !b.Audience.Empty() && slices.Equal(a.Audience.UserIDs, b.Audience.UserIDs) &&
		slices.Equal(a.Audience.ConversationIDs, b.Audience.ConversationIDs)
	return terms(a) == terms(b) && choices(a) == choices(b) && sides && audience
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
	ID     string `path:"id" json:"-"`
	Status string `json:"status" required:"true" enum:"withdrawn"`
}

// RefuseUnknown implements core.Strict.
func (*WithdrawIntentIn) RefuseUnknown() {}

func (s *Service) updateIntent(ctx context.Context, by store.Viewer, in WithdrawIntentIn) (out IntentOut, err error) {
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Intent(by, in.ID)
		if err == nil && i.Status != "withdrawn" {
			err = withdraw(tx, &i)
		}
		out.Intent = intentOf(i)
		return err
	})
	return out, core.Found(err)
}

func withdraw(tx *store.Tx, i *store.Intent) error {
	return end(tx, i, "withdrawn")
}

// end closes the intent's open matches for its owner only. Others see them open until they answer: a match that
// closed together with a Story, a post or a connection would reveal its owner.
func end(tx *store.Tx, i *store.Intent, status string) error {
	ended := i.Ended()
	if err := tx.SetIntentStatus(i, status); err != nil {
		return err
	}
	if err := searchChanged(tx, i); err != nil {
		return err
	}
	if ended {
		return reviewChanged(tx, i.OwnerID)
	}
	ids, err := tx.EndMatchesOf(i.Seq)
	for _, id := range ids {
		err = cmp.Or(err, matchChanged(tx, id, i.OwnerID))
	}
	return cmp.Or(err, reviewChanged(tx, i.OwnerID))
}
