package social

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// IntentDraft is an unpublished intent. Only its owner sees it, and it is not matched.
type IntentDraft struct {
	ID                  string         `json:"id"`
	OwnerUserID         string         `json:"ownerUserId"`
	Goal                string         `json:"goal" read:"own"`
	Seeks               []string       `json:"seeks" read:"own"`
	Brings              []string       `json:"brings" read:"own"`
	MatchingMode        string         `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal"`
	OpenToCollaborators bool           `json:"openToCollaborators"`
	Details             *string        `json:"details" read:"own"`
	Source              *string        `json:"source" read:"own" doc:"What it was captured from"`
	Provenance          jsontext.Value `json:"provenance" read:"own" format:"object" doc:"As it was sent, or null"`
	Confidence          *float64       `json:"confidence" read:"own" min:"0" max:"1"`
	State               string         `json:"state" enum:"pending|dismissed|activated"`
	ActivatedIntentID   *string        `json:"activatedIntentId"`
	ActivatedStoryID    *string        `json:"activatedStoryId"`
	CreatedAt           store.Time     `json:"createdAt"`
	UpdatedAt           store.Time     `json:"updatedAt"`

	AgentName string `json:"-" read:"own"` // for pages: the name of the key that wrote it, or changed it last
}

func draftOf(d store.Draft) IntentDraft {
	out := IntentDraft{
		ID: d.ID, OwnerUserID: d.OwnerID, Goal: d.Goal, Seeks: d.Seeks, Brings: d.Brings, MatchingMode: d.MatchingMode,
		OpenToCollaborators: d.Collaborators, Details: core.OrNil(d.Details), Source: core.OrNil(d.Source),
		Provenance: jsontext.Value("null"), Confidence: d.Confidence, State: d.State, ActivatedIntentID: core.OrNil(d.IntentID),
		ActivatedStoryID: core.OrNil(d.StoryID), CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, AgentName: d.AgentName,
	}
	if d.Provenance != "" {
		out.Provenance = jsontext.Value(d.Provenance)
	}
	return out
}

// DraftOut has a draft.
type DraftOut struct {
	Draft IntentDraft `json:"draft"`
}

// ListDraftsIn selects drafts.
type ListDraftsIn struct {
	State string `query:"state" json:"-" enum:"pending|dismissed|activated" doc:"By default all of them"`

	Before *store.Time `query:"before" json:"-" doc:"Only those with a createdAt before this moment; with a state"`
}

// ListDraftsOut has the caller's drafts, the newest first.
type ListDraftsOut struct {
	Drafts []IntentDraft `json:"drafts"`
}

func listDrafts(r *store.Reader, by store.Viewer, in ListDraftsIn) (out ListDraftsOut, err error) {
	states := []string{in.State}
	if in.State == "" {
		states = []string{"pending", "dismissed", "activated"}
		if in.Before != nil {
			return out, core.InvalidField("state", "before needs a state: send pending, dismissed or activated.")
		}
	}
	var rows []store.Draft
	room := maxListedSize
	for _, state := range states {
		more, _, err := r.DraftsWithin(by, state, core.Before(in.Before), maxListed, room)
		if err != nil {
			return out, err
		}
		for _, d := range more {
			room -= d.Size()
		}
		rows = append(rows, more...)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].CreatedAt > rows[j].CreatedAt })
	n := 0
	rows = slices.DeleteFunc(rows, func(d store.Draft) bool {
		n++
		return n > maxListed && d.State != "pending"
	})
	return ListDraftsOut{core.Map(rows, draftOf)}, nil
}

// CreateDraftIn is a new draft, with at least one of goal, seeks and brings.
type CreateDraftIn struct {
	Goal                string         `json:"goal" max:"500" line:"true" plain:"true"`
	Seeks               []string       `json:"seeks" max:"20" itemMax:"500" line:"true" plain:"true"`
	Brings              []string       `json:"brings" max:"20" itemMax:"500" line:"true" plain:"true"`
	MatchingMode        string         `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal" default:"fulfillment"`
	OpenToCollaborators bool           `json:"openToCollaborators"`
	Details             string         `json:"details" max:"4000" plain:"true" doc:"At most 2000 characters of it can be published"`
	Source              string         `json:"source" max:"1000" plain:"true"`
	Provenance          jsontext.Value `json:"provenance" format:"object" max:"10000"`
	Confidence          *float64       `json:"confidence" min:"0" max:"1"`
}

const maxPending = 500

func createDraft(tx *store.Tx, by store.Viewer, in CreateDraftIn) (out DraftOut, err error) {
	d := store.Draft{
		OwnerID: by.UserID, Goal: in.Goal, Seeks: in.Seeks, Brings: in.Brings, MatchingMode: in.MatchingMode,
		Collaborators: in.OpenToCollaborators, Details: in.Details, Source: in.Source, Confidence: in.Confidence,
	}
	if by.Kind == store.Agent {
		d.AgentName = by.AgentName
	}
	if d.Provenance, err = core.Compact("provenance", in.Provenance); err == nil {
		err = mustHaveTerms(&d)
	}
	if err != nil {
		return out, err
	}
	return insertDraft(tx, by, d)
}

func insertDraft(tx *store.Tx, by store.Viewer, d store.Draft) (DraftOut, error) {
	n, err := tx.PendingDrafts(by)
	if err == nil && n >= maxPending {
		err = core.New(core.Conflict, "too_many_drafts", "You have %d drafts, which is the most. Dismiss some first.", maxPending)
	}
	if err == nil {
		err = cmp.Or(tx.InsertDraft(&d), core.InboxChanged(tx, by.UserID))
	}
	return DraftOut{draftOf(d)}, err
}

func getDraft(r *store.Reader, by store.Viewer, in core.ByID) (DraftOut, error) {
	d, err := pendingDraft(r, by, in.ID)
	return DraftOut{draftOf(d)}, err
}

// A dismissed draft stays dismissed; a repeated call returns the same new draft.
func restoreDraft(tx *store.Tx, by store.Viewer, in core.ByID) (out DraftOut, err error) {
	old, err := tx.Draft(by, in.ID)
	if err == nil && old.State != "dismissed" {
		err = store.ErrNoRow
	}
	if err != nil {
		return out, err
	}
	pending, _, err := tx.DraftsWithin(by, "pending", 0, maxPending, maxListedSize)
	if err != nil {
		return out, err
	}
	for _, d := range pending {
		if d.CreatedAt > old.UpdatedAt && says(&d, &old) {
			return DraftOut{draftOf(d)}, nil
		}
	}
	old.ID = ""
	return insertDraft(tx, by, old)
}

func says(a, b *store.Draft) bool {
	return a.Goal == b.Goal && slices.Equal(a.Seeks, b.Seeks) && slices.Equal(a.Brings, b.Brings) && a.Details == b.Details &&
		a.Source == b.Source
}

func mustHaveTerms(d *store.Draft) error {
	if strings.TrimSpace(d.Goal) == "" && len(d.Seeks) == 0 && len(d.Brings) == 0 {
		return core.InvalidField("goal", "A draft needs a goal, or something that it seeks or brings.")
	}
	return nil
}

// UpdateDraftIn has the members of a draft to change. Any other member is refused.
type UpdateDraftIn struct {
	_                   struct{}                 `strict:"true"`
	ID                  string                   `path:"id" json:"-"`
	Goal                core.Opt[string]         `json:"goal,omitzero" max:"500" line:"true" plain:"true"`
	Seeks               core.Opt[[]string]       `json:"seeks,omitzero" max:"20" itemMax:"500" line:"true" plain:"true"`
	Brings              core.Opt[[]string]       `json:"brings,omitzero" max:"20" itemMax:"500" line:"true" plain:"true"`
	MatchingMode        core.Opt[string]         `json:"matchingMode,omitzero" notnull:"true" enum:"fulfillment|reciprocal|shared_goal"`
	OpenToCollaborators core.Opt[bool]           `json:"openToCollaborators,omitzero" notnull:"true"`
	Details             core.Opt[string]         `json:"details,omitzero" max:"4000" plain:"true"`
	Source              core.Opt[string]         `json:"source,omitzero" max:"1000" plain:"true"`
	Provenance          core.Opt[jsontext.Value] `json:"provenance,omitzero" format:"object" max:"10000"`
	Confidence          core.Opt[float64]        `json:"confidence,omitzero" min:"0" max:"1"`
	State               core.Opt[string]         `json:"state,omitzero" notnull:"true" enum:"dismissed"`

	// Version is for pages: if it is not 0, a draft that was changed since then is not changed.
	Version store.Time `json:"-"`
}

func updateDraft(tx *store.Tx, by store.Viewer, in UpdateDraftIn) (out DraftOut, err error) {
	was, err := pendingDraft(&tx.Reader, by, in.ID)
	if err != nil {
		return out, err
	}
	d := was
	if err := in.apply(&d); err != nil {
		return out, err
	}
	if in.Version != 0 && in.Version != was.UpdatedAt && !reflect.DeepEqual(was, d) {
		return out, core.New(core.Conflict, "changed",
			"This draft was changed after you opened it, and what you typed was not saved. Save again to replace it, or open the draft again to "+
				"see what it says now.")
	}
	if was.State = d.State; by.Kind == store.Agent && !reflect.DeepEqual(was, d) {
		d.AgentName = by.AgentName
	}
	err = cmp.Or(changeDraft(tx, &d), core.InboxChanged(tx, by.UserID))
	return DraftOut{draftOf(d)}, err
}

// changeDraft also ends the approvals that were requested for the old content.
func changeDraft(tx *store.Tx, d *store.Draft) error {
	return cmp.Or(tx.UpdateDraft(d), tx.DeleteGrantsFor(d.OwnerID, d.ID))
}

func pendingDraft(r *store.Reader, by store.Viewer, id string) (store.Draft, error) {
	d, err := r.Draft(by, id)
	if err == nil && d.State != "pending" {
		err = store.ErrNoRow
	}
	return d, err
}

func (in *UpdateDraftIn) apply(d *store.Draft) (err error) {
	in.Goal.Into(&d.Goal)
	in.Seeks.Into(&d.Seeks)
	in.Brings.Into(&d.Brings)
	in.MatchingMode.Into(&d.MatchingMode)
	in.OpenToCollaborators.Into(&d.Collaborators)
	in.Details.Into(&d.Details)
	in.Source.Into(&d.Source)
	in.State.Into(&d.State)
	if in.Confidence.Set {
		d.Confidence = nil
		if !in.Confidence.Null {
			d.Confidence = &in.Confidence.V
		}
	}
	if in.Provenance.Set {
		if d.Provenance, err = core.Compact("provenance", in.Provenance.V); err != nil {
			return err
		}
	}
	return mustHaveTerms(d)
}
