package page

import (
	"cmp"
	"math"
	"strings"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func (s *site) draftRoutes() []route {
	return []route{
		{"GET /drafts", person, s.drafts, "drafts"},
		{"GET /drafts/{id}", person, s.showDraft, "draft"},
		{"POST /drafts/{id}", person, s.posted(s.draftUpdate), "draft"},
		{"POST /drafts/{id}/dismiss", person, s.posted(s.draftDismiss), ""},
		{"POST /drafts/{id}/restore", person, s.posted(s.draftRestore), ""},
		{"GET /drafts/{id}/publish", person, s.draftPublish, "draft_publish"},
		{"POST /drafts/{id}/publish", person, s.draftActivate, "draft_publish"},
		{"POST /drafts/{id}/preview", person, s.draftPreview, "preview"},
	}
}

type draftView struct {
	social.IntentDraft
	Title      string
	Mode       string // its experience mode; "" for the default
	Open       bool   // it names neither what it seeks nor what it offers
	Provenance string // JSON, indented
	Sure       string // the agent's confidence
	backView
}

func draftOf(d social.IntentDraft) draftView {
	view := draftView{IntentDraft: d, Mode: modeText(d.MatchingMode, d.OpenToCollaborators, d.Goal, d.Seeks, d.Brings),
		Open: len(d.Seeks)+len(d.Brings) == 0, Title: cmp.Or(append(append([]string{d.Goal}, d.Seeks...), d.Brings...)...)}
	if len(d.Provenance) > 0 && d.Provenance.Kind() != 'n' {
		view.Provenance = indented(d.Provenance)
	}
	if d.Confidence != nil {
		view.Sure = sureText(*d.Confidence)
	}
	return view
}

func sureText(p float64) string {
	switch pct := math.Round(p * 100); {
	case pct >= 85:
		return "very sure"
	case pct >= 60:
		return "fairly sure"
	case pct >= 35:
		return "not sure"
	}
	return "a guess"
}

func (s *site) drafts(v *visit) error {
	out := get(v, s.Social.ListDrafts, social.ListDraftsIn{State: "pending"})
	return s.page(v, "Drafts", "asks/drafts", "", &rowsView[draftView]{Rows: core.Map(out.Drafts, draftOf)})
}

type draftPageView struct {
	Frame
	Draft draftView
	Form  Form
	Back  string
}

func (s *site) showDraft(v *visit) error {
	d := loaded(v, s.draft)
	view := draftPageView{Draft: draftOf(d), Form: v.filled(storedDraft(d)), Back: cmp.Or(v.form("back"), v.query("back"))}
	return s.page(v, "Draft", "asks", "", &view)
}

func storedDraft(d social.IntentDraft) Form {
	return newForm("goal", d.Goal, "seeks", strings.Join(d.Seeks, "\n"), "brings", strings.Join(d.Brings, "\n"),
		"matchingMode", d.MatchingMode, "openToCollaborators", yesIf(d.OpenToCollaborators), "details", core.OrZero(d.Details))
}

func (s *site) draft(v *visit) (social.IntentDraft, error) {
	out, err := send(v, s.Social.GetDraft)
	return out.Draft, err
}

const maxLines = 20

func (s *site) draftUpdate(v *visit) (string, error) {
	d, err := current(v, s.draft, storedDraft)
	if err != nil {
		return "", err
	}
	for _, field := range []string{"seeks", "brings"} {
		if n := len(lines(v.form(field))); n > maxLines {
			return "", core.InvalidField(field, "%s can have %d lines, and has %d. Leave some out, or write another draft.", field, maxLines, n)
		}
	}
	_, err = send(v, s.Social.UpdateDraft, func(in *social.UpdateDraftIn) { in.Version = d.UpdatedAt })
	switch {
	case v.form("step") != "publish":
		return v.backTo("/drafts", "draft", ""), err
	case v.form("back") == "inbox":
		return "/drafts/" + d.ID + "/publish?back=inbox", err
	}
	return "/drafts/" + d.ID + "/publish", err
}

func (s *site) draftDismiss(v *visit) (string, error) {
	in := social.UpdateDraftIn{ID: v.id("id"), State: core.Some("dismissed")}
	_, err := once(v, v.repeat(in.ID), s.Social.UpdateDraft, in) // a dismissed draft is not found
	return v.backTo("/drafts", "dismissed", in.ID), err
}

func (s *site) draftRestore(v *visit) (string, error) {
	_, err := send(v, s.Social.RestoreDraft)
	return v.backTo("/drafts", "restored-draft", ""), err
}

type draftPublishView struct {
	Frame
	Draft    draftView
	Form     Form
	Audience audienceView
}

func (s *site) draftPublish(v *visit) error {
	d := loaded(v, s.draft)
	form := v.filled(newForm("search", "yes", "who", "everybody", "until", "30d", "back", v.query("back")))
	view := draftPublishView{Draft: draftOf(d), Form: form, Audience: s.audience(v, form, "/drafts/"+d.ID+"/publish")}
	return s.page(v, "Publish a draft", "asks", "", &view)
}

// activateIn reads the form that publishes a draft, which expires at at.
func (s *site) activateIn(v *visit, id string, at *store.Time) (in social.ActivateDraftIn, err error) {
	in = social.ActivateDraftIn{ID: id, Confirm: new(v.form("step") == "publish"), ApprovalGrant: v.form("grant"), Kind: v.form("kind"),
		CloseOnConnect: new(v.form("keep") != "yes")}
	search, story := v.form("search") == "yes", v.form("story") == "yes"
	a := audienceOf(v.r.PostForm)
	if !search && !story {
		return in, core.InvalidField("search", "Choose at least one of the two.")
	}
	if story || v.form("who") == "chosen" {
		err = needAudience(a)
	}
	if story && err == nil && strings.TrimSpace(v.form("text")) == "" {
		err = core.InvalidField("text", "Write what the Story says.")
	}
	if search {
		in.QuietSearch = &social.QuietSearch{Enabled: &search, ExpiresAt: at}
		if v.form("who") == "chosen" {
			in.QuietSearch.Audience = &a
		}
	}
	if story {
		in.Story = &social.StoryChannel{Enabled: &story, Text: v.form("text"), Audience: &a, ExpiresAt: at}
	}
	return in, err
}

var draftFields = []string{"kind", "search", "text", "audience"}

func (s *site) draftPreview(v *visit) error {
	v.template = "draft_publish"
	id := v.id("id")
	at := s.until(v)
	in, err := s.activateIn(v, id, at)
	var d social.IntentDraft
	if err == nil {
		d, err = s.draft(v)
	}
	if err == nil && in.Kind == "" && draftOf(d).Open {
		err = core.InvalidField("kind", "Choose whether you look for this or offer it.")
	}
	var out social.ActivateOut
	if err == nil {
		out, err = s.Social.ActivateDraft.Call(v.ctx(), v.by, in)
	}
	if err != nil {
		return s.refuse(v, storyText(err), draftFields...)
	}
	view := previewView{Heading: "Preview", Lede: "This is all that others see of it. Nothing is published yet.",
		Action: "/drafts/" + id + "/publish", Confirm: "Publish", Back: "/drafts", BackLabel: "Drafts"}
	return s.showPublication(v, "asks", core.OrZero(out.Preview), at, view)
}

func (s *site) draftActivate(v *visit) error {
	if v.form("step") != "publish" {
		return s.showAgain(v)
	}
	return s.submit(v, func() (string, error) {
		in, err := s.activateIn(v, v.id("id"), s.until(v))
		if err == nil {
			_, err = once(v, v.repeat(in.ApprovalGrant), s.Social.ActivateDraft, in)
		}
		if in.Story != nil {
			return v.backTo("/stories", "story-shown", ""), stale(storyText(err))
		}
		if err = stale(err); err != nil {
			return "", err
		}
		return s.published(v)
	}, draftFields...)
}
