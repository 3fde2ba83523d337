package page

import (
	"math"
	"net/http"
	"strings"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func draftRoutes() []route {
	return []route{
		{"GET /drafts", person, drafts, "drafts"},
		{"GET /drafts/{id}", person, fresh((*site).showDraft), "draft"},
		{"POST /drafts/{id}", person, draftUpdate, "draft"},
		{"POST /drafts/{id}/dismiss", person, draftDismiss, ""},
		{"POST /drafts/{id}/restore", person, draftRestore, ""},
		{"GET /drafts/{id}/publish", person, draftPublish, "draft_publish"},
		{"POST /drafts/{id}/publish", person, draftActivate, "draft_publish"},
		{"POST /drafts/{id}/preview", person, draftPreview, "preview"},
	}
}

type draftView struct {
	ID, Title     string
	AgentName     string // the agent that wrote or last changed it; "" for the person's own draft
	Goal          string
	Seeks, Brings []string
	Mode          string // its experience mode; "" for the default
	Open          bool   // it names neither what it seeks nor what it offers
	Details       string
	Source        string
	Provenance    string // JSON, indented
	Sure          string // the agent's confidence
	CreatedAt     store.Time
	backView
}

type draftsView struct {
	Frame
	Tab    string
	Drafts []draftView
}

func draftOf(d social.IntentDraft) draftView {
	view := draftView{ID: d.ID, AgentName: d.AgentName, Goal: d.Goal, Seeks: d.Seeks, Brings: d.Brings,
		Mode:    modeText(d.MatchingMode, d.OpenToCollaborators, d.Goal, d.Seeks, d.Brings),
		Details: core.OrZero(d.Details), Source: core.OrZero(d.Source), CreatedAt: d.CreatedAt}
	view.Open = len(d.Seeks)+len(d.Brings) == 0
	view.Title = firstOf(append(append([]string{d.Goal}, d.Seeks...), d.Brings...)...)
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

func drafts(s *site, v *visit) error {
	out := get(v, s.Social.ListDrafts, social.ListDraftsIn{State: "pending"})
	view := draftsView{Tab: "drafts", Drafts: core.Map(out.Drafts, draftOf)}
	view.Frame = s.frame(v, "Drafts", "asks", "")
	return s.show(v, http.StatusOK, view)
}

type draftPageView struct {
	Frame
	Draft draftView
	Form  Form
	Back  string
}

func (s *site) showDraft(v *visit, form Form) error {
	d, err := s.draft(v)
	if err != nil {
		return err
	}
	view := draftPageView{Draft: draftOf(d), Form: form.Or(storedDraft(d)), Back: firstOf(v.form("back"), v.query("back"))}
	view.Frame = s.frame(v, "Draft", "asks", "")
	return s.show(v, form.status(), view)
}

func storedDraft(d social.IntentDraft) Form {
	return newForm("goal", d.Goal, "seeks", strings.Join(d.Seeks, "\n"), "brings", strings.Join(d.Brings, "\n"), "matchingMode",
		d.MatchingMode,
		"openToCollaborators", yesIf(d.OpenToCollaborators), "details", core.OrZero(d.Details))
}

func (s *site) draft(v *visit) (social.IntentDraft, error) {
	out, err := s.Social.GetDraft.Call(v.ctx(), v.by, social.DraftIn{ID: v.id("id")})
	return out.Draft, err
}

func lines(text string) []string {
	out := []string{}
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

const maxLines = 20

func draftUpdate(s *site, v *visit) error {
	load := func() (social.IntentDraft, error) { return s.draft(v) }
	fields := []string{"goal", "seeks", "brings", "matchingMode", "details"}
	return edit(s, v, fields, load, storedDraft, func(d social.IntentDraft, e edits) (string, error) {
		in := social.UpdateDraftIn{ID: d.ID, Goal: e.text("goal"), Seeks: e.lines("seeks"), Brings: e.lines("brings"),
			MatchingMode: e.text("matchingMode"), OpenToCollaborators: e.box("openToCollaborators"), Details: e.text("details"),
			Version: d.UpdatedAt}
		for _, field := range []string{"seeks", "brings"} {
			if n := len(lines(v.form(field))); n > maxLines {
				return "", core.InvalidField(field, "%s can have %d lines, and has %d. Leave some out, or write another draft.", field, maxLines, n)
			}
		}
		_, err := s.Social.UpdateDraft.Call(v.ctx(), v.by, in)
		if v.form("step") == "publish" {
			return "/drafts/" + d.ID + "/publish" + queryBack(v.form("back")), err
		}
		return v.backTo("/drafts", "draft", ""), err
	}, func(f Form) error { return s.showDraft(v, f) })
}

func draftDismiss(s *site, v *visit) error {
	id := v.id("id")
	in := social.UpdateDraftIn{ID: id, State: core.Some("dismissed")}
	if _, err := once(v, v.repeat(id), s.Social.UpdateDraft, in); err != nil { // a dismissed draft is not found
		return err
	}
	return v.back("/drafts", "dismissed", id)
}

func draftRestore(s *site, v *visit) error {
	if _, err := s.Social.RestoreDraft.Call(v.ctx(), v.by, social.DraftIn{ID: v.id("id")}); err != nil {
		return err
	}
	return v.back("/drafts", "restored-draft", "")
}

type draftPublishView struct {
	Frame
	Draft    draftView
	Form     Form
	Audience audienceView
}

func draftPublish(s *site, v *visit) error {
	return s.showDraftPublish(v, newForm("search", "yes", "who", "everybody", "until", "30d", "back", v.query("back")))
}

func (s *site) showDraftPublish(v *visit, form Form) error {
	v.template = "draft_publish"
	d, err := s.draft(v)
	if err != nil {
		return err
	}
	view := draftPublishView{Draft: draftOf(d), Form: form}
	view.Audience = s.audience(v, form, "/drafts/"+d.ID+"/publish")
	view.Frame = s.frame(v, "Publish a draft", "asks", "")
	return s.show(v, form.status(), view)
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

// needKind returns an error if neither the draft nor the form names an ask or an offer.
func (s *site) needKind(v *visit) error {
	d, err := s.draft(v)
	if err == nil && v.form("kind") == "" && draftOf(d).Open {
		err = core.InvalidField("kind", "Choose whether you look for this or offer it.")
	}
	return err
}

func draftPreview(s *site, v *visit) error {
	id := v.id("id")
	at := s.until(v)
	in, err := s.activateIn(v, id, at)
	var out social.ActivateOut
	if err == nil {
		err = s.needKind(v)
	}
	if err == nil {
		out, err = s.Social.ActivateDraft.Call(v.ctx(), v.by, in)
	}
	if err != nil {
		return s.refuse(v, draftFields, storyText(err), func(f Form) error { return s.showDraftPublish(v, f) })
	}
	p := previewOf(&out)
	view := previewView{Heading: "Preview", Lede: "This is all that others see of it. Nothing is published yet.", Action: "/drafts/" + id +
		"/publish",
		Confirm: "Publish", Step: "publish", Back: "/drafts", BackLabel: "Drafts",
		Hidden: hiddenOf(v.r.PostForm, "expiresAt", at.String(), "grant", p.ApprovalGrant)}
	view.publicationView = s.publication(v, p.Payload)
	view.Follows = followsOf(view.publicationView)
	return s.showPreview(v, "asks", view)
}

func draftActivate(s *site, v *visit) error {
	if v.form("step") != "publish" {
		return s.showDraftPublish(v, Form{Values: v.r.PostForm})
	}
	activate := func() (string, error) {
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
	}
	return s.submit(v, draftFields, activate, func(f Form) error { return s.showDraftPublish(v, f) })
}
