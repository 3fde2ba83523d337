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

func (s *Service) setStory(p *publication, text string, to *Audience, expires *store.Time, field string) error {
	audience, err := to.chosen(p.storyField("audience"))
	if err != nil {
		return err
	}
	at, err := s.mustExpire(field, expires)
	p.Story = &publishedStory{Text: text, Audience: audienceOf(audience), ExpiresAt: at}
	return err
}

func (s *Service) setSearch(p *publication, q *QuietSearch) (err error) {
	if q == nil || !*q.Enabled {
		return nil
	}
	p.QuietSearch = &publishedSearch{}
	if p.QuietSearch.ExpiresAt, err = s.mustExpire("quietSearch.expiresAt", q.ExpiresAt); err != nil || q.Audience == nil {
		return err
	}
	audience, err := q.Audience.chosen("quietSearch.audience")
	p.QuietSearch.Audience = new(audienceOf(audience))
	return err
}

func (s *Service) mustExpire(field string, at *store.Time) (store.Time, error) {
	if at == nil {
		return 0, core.InvalidField(field, "%s is required: everything that is published expires.", field)
	}
	return s.future(field, at)
}

func (p *publication) complete() error {
	if p.Story == nil && p.QuietSearch == nil {
		return core.New(core.Invalid, "invalid_input", "Nothing would be published: enable story, quietSearch or both.")
	}
	p.Seeks, p.Brings = append([]string{}, p.Seeks...), append([]string{}, p.Brings...)
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
		MatchingMode:  p.MatchingMode,
		Collaborators: p.OpenToCollaborators, CloseOnConnect: p.CloseOnConnect, Details: p.Details, Status: "paused",
	}
	if p.Story != nil {
		s.Text, s.StoryExpiresAt, s.SearchExpiresAt = p.Story.Text, p.Story.ExpiresAt, p.Story.ExpiresAt
		s.Audience = p.Story.Audience.stored()
		s.Intent.Audience = s.Audience
	}
	if p.QuietSearch != nil {
		s.SearchExpiresAt, s.Intent.Status, s.Intent.Audience = p.QuietSearch.ExpiresAt, "active", store.Audience{}
		if a := p.QuietSearch.Audience; a != nil {
			s.Intent.Audience = a.stored()
		}
	}
	s.Intent.ExpiresAt = s.SearchExpiresAt
	return s
}

func (a Audience) stored() store.Audience {
	return store.Audience{UserIDs: a.UserIDs, ConversationIDs: a.ConversationIDs}
}

func (p *publication) check(tx *store.Tx, by store.Viewer) error {
	if p.Story != nil {
		if err := mustName(&tx.Reader, by, p.storyField("audience"), p.Story.Audience.stored()); err != nil {
			return err
		}
		if err := mayBeShown(&tx.Reader, by); err != nil {
			return err
		}
	}
	if p.QuietSearch == nil {
		return nil
	}
	if a := p.QuietSearch.Audience; a != nil {
		if err := mustName(&tx.Reader, by, "quietSearch.audience", a.stored()); err != nil {
			return err
		}
	}
	return mayBeActive(&tx.Reader, by)
}

func (s *Service) preview(ctx context.Context, by store.Viewer, a *approval, p *publication) (out *Preview, err error) {
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		if err := p.check(tx, by); err != nil {
			return err
		}
		out, err = a.preview(tx, by, p.firstEnd())
		return err
	})
	return out, err
}

func (s *Service) publishApproved(ctx context.Context, by store.Viewer, p *publication, approve func(*store.Tx) error,
	and func(*store.Tx, *store.Story) error) (store.Story, error) {
	story := p.rows(by)
	err := s.publishing(ctx, &story.Intent, func(f *found) error {
		return s.DB.Write(ctx, func(tx *store.Tx) error {
			if err := approve(tx); err != nil {
				return err
			}
			if err := p.check(tx, by); err != nil {
				return err
			}
			if err := tx.InsertIntent(&story.Intent); err != nil {
				return err
			}
			if err := tx.InsertStory(&story); err != nil {
				return err
			}
			if and != nil {
				if err := and(tx, &story); err != nil {
					return err
				}
			}
			return cmp.Or(decide(tx, &story.Intent, f), storyChanged(tx, &story), reviewChanged(tx, by.UserID))
		})
	})
	return story, err
}
