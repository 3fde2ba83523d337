package social

import (
	"cmp"
	"context"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/store"
)

// ActivateDraftIn is how a draft is published.
type ActivateDraftIn struct {
	_              struct{}      `strict:"true"`
	ID             string        `path:"id" json:"-"`
	Confirm        *bool         `json:"confirm" required:"true" doc:"False for a preview"`
	ApprovalGrant  string        `json:"approvalGrant" max:"100" doc:"Of the preview"`
	Kind           string        `json:"kind" enum:"ask|offer" doc:"By default ask for a draft that seeks something, else offer"`
	QuietSearch    *QuietSearch  `json:"quietSearch"`
	Story          *StoryChannel `json:"story"`
	CloseOnConnect *bool         `json:"closeOnConnect" doc:"By default true"`
}

// StoryChannel is the part of a draft that an audience sees.
type StoryChannel struct {
	Enabled   *bool       `json:"enabled" required:"true"`
	Text      string      `json:"text" max:"2000" plain:"true" doc:"Required if enabled"`
	Audience  *Audience   `json:"audience" doc:"Required if enabled"`
	ExpiresAt *store.Time `json:"expiresAt" doc:"Required if enabled; in the future"`
}

// ActivateOut is the result of a draft, or a preview of it.
type ActivateOut struct {
	Draft IntentDraft `json:"draft"`
	PublishOut
}

// Bodies implements op.Alternative.
func (o *ActivateOut) Bodies() (made, otherwise any) { return o, cmp.Or(o.Preview, &Preview{}) }

const maxDetails = 2000

// Without confirm, the preview has a grant that is bound to the draft as it is then.
func (s *Service) activateDraft(ctx context.Context, by store.Viewer, in ActivateDraftIn) (out ActivateOut, err error) {
	d, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.Draft, error) { return pendingDraft(r, by, in.ID) })
	if err != nil {
		return out, core.Found(err)
	}
	p, err := publicationOf(&d, &in, s.DB.Now())
	if err != nil {
		return out, err
	}
	return s.publishOrPreview(ctx, by, p, *in.Confirm, in.ApprovalGrant)
}

func publicationOf(d *store.Draft, in *ActivateDraftIn, now store.Time) (*publication, error) {
	p := &publication{
		DraftID: d.ID, Kind: in.Kind, Goal: d.Goal, Seeks: d.Seeks, Brings: d.Brings, MatchingMode: d.MatchingMode,
		OpenToCollaborators: d.Collaborators, Details: d.Details, CloseOnConnect: in.CloseOnConnect == nil || *in.CloseOnConnect,
	}
	if utf8.RuneCountInString(d.Details) > maxDetails {
		return nil, core.InvalidField("details", "The details of the draft have more than %d characters. Shorten them first.", maxDetails)
	}
	if c := in.Story; c != nil && *c.Enabled {
		if c.Text == "" || c.Audience == nil {
			return nil, core.InvalidField("story", "A Story needs text and an audience.")
		}
		if err := p.setStory(now, c.Text, c.Audience, c.ExpiresAt, "story.expiresAt"); err != nil {
			return nil, err
		}
	}
	if err := p.setSearch(now, in.QuietSearch); err != nil {
		return nil, err
	}
	if p.Kind == "" && len(p.Seeks) == 0 {
		p.Kind = "offer"
	}
	return p, p.complete()
}
