package social

import (
	"cmp"
	"context"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// publication is the payload that a grant is bound to.
type publication struct {
	DraftID             string           `json:"draftId,omitzero"`
	Kind                string           `json:"kind"`
	Terms               string           `json:"terms"`
	Goal                string           `json:"goal"`
	Seeks               []string         `json:"seeks"`
	Brings              []string         `json:"brings"`
	MatchingMode        string           `json:"matchingMode"`
	OpenToCollaborators bool             `json:"openToCollaborators"`
	Details             string           `json:"details"`
	CloseOnConnect      bool             `json:"closeOnConnect"`
	Story               *publishedStory  `json:"story"`
	QuietSearch         *publishedSearch `json:"quietSearch"`
}

type publishedStory struct {
	Text      string     `json:"text"`
	Audience  Audience   `json:"audience"`
	ExpiresAt store.Time `json:"expiresAt"`
}

type publishedSearch struct {
	Audience  *Audience  `json:"audience"`
	ExpiresAt store.Time `json:"expiresAt"`
}

// The activation of a draft has the Story's members in an object of their own.
func (p *publication) storyField(name string) string {
	if p.DraftID != "" {
		return "story." + name
	}
	return name
}

func (p *publication) setStory(now store.Time, text string, to *Audience, expires *store.Time, field string) error {
	audience, err := to.chosen(p.storyField("audience"))
	if err != nil {
		return err
	}
	at, err := mustExpire(now, field, expires)
	p.Story = &publishedStory{Text: text, Audience: Audience(audience), ExpiresAt: at}
	return err
}

func (p *publication) setSearch(now store.Time, q *QuietSearch) error {
	if q == nil || !*q.Enabled {
		return nil
	}
	at, err := mustExpire(now, "quietSearch.expiresAt", q.ExpiresAt)
	p.QuietSearch = &publishedSearch{ExpiresAt: at}
	if err != nil || q.Audience == nil {
		return err
	}
	audience, err := q.Audience.chosen("quietSearch.audience")
	p.QuietSearch.Audience = new(Audience(audience))
	return err
}

func mustExpire(now store.Time, field string, at *store.Time) (store.Time, error) {
	if at == nil {
		return 0, core.InvalidField(field, "%s is required: everything that is published expires.", field)
	}
	return future(now, field, at)
}

func (p *publication) complete() error {
	if p.Story == nil && p.QuietSearch == nil {
		return core.New(core.Invalid, "invalid_input", "Nothing would be published: enable story, quietSearch or both.")
	}
	if p.Kind == "" {
		switch {
		case len(p.Seeks) > 0:
			p.Kind = "ask"
		case len(p.Brings) > 0 || p.QuietSearch == nil:
			p.Kind = "offer"
		default:
			return core.InvalidField("kind", "kind is required for a quiet search that neither seeks nor brings anything: send ask or offer.")
		}
	}
	p.Terms = p.terms()
	if len(p.Seeks)+len(p.Brings) == 0 && p.QuietSearch != nil {
		p.Seeks, p.Brings = normalised(p.Kind, p.Terms, nil, nil)
	}
	return nil
}

func (p *publication) terms() string {
	wanted := p.Seeks
	if p.Kind == "offer" && len(p.Brings) > 0 || len(wanted) == 0 {
		wanted = p.Brings
	}
	text := ""
	if p.Story != nil {
		text = strings.Join(strings.Fields(p.Story.Text), " ")
	}
	return core.FirstRunes(cmp.Or(p.Goal, strings.Join(wanted, ", "), text), 500)
}

func (p *publication) firstEnd() (at store.Time) {
	if p.Story != nil {
		at = p.Story.ExpiresAt
	}
	if p.QuietSearch != nil && (at == 0 || p.QuietSearch.ExpiresAt < at) {
		at = p.QuietSearch.ExpiresAt
	}
	return at
}

func (p *publication) rows(by store.Viewer) store.Story {
	s := store.Story{OwnerID: by.UserID, Status: "active", QuietSearch: p.QuietSearch != nil}
	s.Intent = store.Intent{
		ID: store.NewID(), OwnerID: by.UserID, Kind: p.Kind, Terms: p.Terms, Goal: p.Goal, Seeks: p.Seeks, Brings: p.Brings,
		MatchingMode: p.MatchingMode, Collaborators: p.OpenToCollaborators, CloseOnConnect: p.CloseOnConnect, Details: p.Details,
		Status: "paused",
	}
	if p.Story != nil {
		s.Text, s.StoryExpiresAt, s.SearchExpiresAt = p.Story.Text, p.Story.ExpiresAt, p.Story.ExpiresAt
		s.Audience = store.Audience(p.Story.Audience)
		s.Intent.Audience = s.Audience
	}
	if p.QuietSearch != nil {
		s.SearchExpiresAt, s.Intent.Status = p.QuietSearch.ExpiresAt, "active"
		s.Intent.Audience = store.Audience(core.OrZero(p.QuietSearch.Audience))
	}
	s.Intent.ExpiresAt = s.SearchExpiresAt
	return s
}

func (p *publication) check(r *store.Reader, by store.Viewer) (err error) {
	if p.Story != nil {
		err = cmp.Or(mustName(r, by, p.storyField("audience"), store.Audience(p.Story.Audience)), mayBeShown(r, by))
	}
	if q := p.QuietSearch; q != nil {
		err = cmp.Or(err, mustName(r, by, "quietSearch.audience", store.Audience(core.OrZero(q.Audience))), mayBeActive(r, by))
	}
	return err
}

// publishOrPreview publishes p with a grant, or previews that.
func (s *Service) publishOrPreview(ctx context.Context, by store.Viewer, p *publication, confirm bool, grant string) (out ActivateOut,
	err error) {
	a := approval{action: publishStory, objectID: p.DraftID, payload: *p}
	if p.DraftID != "" {
		a.action = activateDraft
	}
	if confirm {
		return s.publishApproved(ctx, by, p, a.using(by, grant))
	}
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		err := p.check(&tx.Reader, by)
		if err == nil {
			out.Preview, err = a.preview(tx, by, p.firstEnd())
		}
		return err
	})
	return out, err
}

// publishApproved calls approve first, in the write that publishes p. A grant for a draft ends when the draft changes.
func (s *Service) publishApproved(ctx context.Context, by store.Viewer, p *publication, approve func(*store.Tx) error) (out ActivateOut,
	err error) {
	story := p.rows(by)
	err = s.publishing(ctx, &story.Intent, func(f *found) error {
		return s.DB.Write(ctx, func(tx *store.Tx) error {
			err := approve(tx)
			if err == nil {
				err = p.check(&tx.Reader, by)
			}
			if err == nil {
				err = tx.InsertIntent(&story.Intent)
			}
			if err == nil {
				err = tx.InsertStory(&story)
			}
			if err == nil && p.DraftID != "" {
				out.Draft, err = activated(tx, by, p.DraftID, &story)
			}
			if err == nil {
				err = decide(tx, &story.Intent, f)
			}
			return cmp.Or(err, storyChanged(tx, &story), storyVisibilityChanged(tx, &story), core.InboxChanged(tx, by.UserID))
		})
	})
	out.Story, out.Intent = storyOf(story), intentOf(story.Intent)
	return out, core.Found(err)
}

func activated(tx *store.Tx, by store.Viewer, id string, story *store.Story) (IntentDraft, error) {
	d, err := pendingDraft(&tx.Reader, by, id)
	if err != nil {
		return IntentDraft{}, err
	}
	d.State, d.IntentID, d.StoryID = "activated", story.Intent.ID, story.ID
	err = changeDraft(tx, &d)
	return draftOf(d), err
}
