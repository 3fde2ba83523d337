package social_test

import (
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
)

// A draft is published as what the request says, else as an ask if it seeks something,
// else as an offer, and the approval is for that.
func TestKindOfADraft(t *testing.T) {
	w := newWorld(t)
	goal, seeks, brings := social.CreateDraftIn{Goal: "A band"}, social.CreateDraftIn{Seeks: []string{"a drummer"}},
		social.CreateDraftIn{Goal: "A band", Brings: []string{"a room"}}
	both := social.CreateDraftIn{Seeks: seeks.Seeks, Brings: brings.Brings}
	for _, c := range []struct {
		draft                 social.CreateDraftIn
		kind, want            string
		wantSeeks, wantBrings string
	}{
		{goal, "", "offer", "", "A band"},
		{goal, "ask", "ask", "A band", ""},
		{goal, "offer", "offer", "", "A band"},
		{seeks, "", "ask", "a drummer", ""},
		{seeks, "offer", "offer", "a drummer", ""},
		{brings, "", "offer", "", "a room"},
		{brings, "ask", "ask", "", "a room"},
		{both, "", "ask", "a drummer", "a room"},
		{both, "offer", "offer", "a drummer", "a room"},
	} {
		d := w.draft(w.Ada, c.draft)
		in := social.ActivateDraftIn{ID: d.ID, Kind: c.kind, QuietSearch: hour(w), Confirm: new(false)}
		out, err := w.s.ActivateDraft.Call(w.ctx, as(w.Ada), in)
		if err != nil {
			t.Fatal(err)
		}
		_, preview := out.Bodies()
		in.Confirm, in.ApprovalGrant = new(true), preview.(*social.Preview).ApprovalGrant
		other := in
		other.Kind = map[string]string{"ask": "offer", "offer": "ask"}[c.want]
		if _, err := w.s.ActivateDraft.Call(w.ctx, as(w.Ada), other); code(err) != "approval_required" {
			t.Errorf("%+v: approved as an %s: %v", c, other.Kind, err)
		}
		if out, err = w.s.ActivateDraft.Call(w.ctx, as(w.Ada), in); err != nil {
			t.Fatal(err)
		}
		i := out.Intent
		if i.Kind != c.want || strings.Join(i.Seeks, " ") != c.wantSeeks || strings.Join(i.Brings, " ") != c.wantBrings {
			t.Errorf("%+v: got %+v", c, i)
		}
	}
	d := w.draft(w.Ada, goal)
	story := &social.StoryChannel{Enabled: new(true), Text: "Who plays?", ExpiresAt: w.later(time.Hour),
		Audience: &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}}
	if out := w.activate(w.Ada, social.ActivateDraftIn{ID: d.ID, Kind: "ask", Story: story}); out.Intent.Kind != "ask" ||
		len(out.Intent.Seeks) > 0 {
		t.Errorf("a Story alone: %+v", out.Intent)
	}
}

// A draft is pending until it is dismissed or activated, which is final.
func TestDraftTransitions(t *testing.T) {
	for _, end := range []string{"dismissed", "activated"} {
		w := newWorld(t)
		d := w.draft(w.Ada, social.CreateDraftIn{Goal: "A band"})
		search := &social.QuietSearch{Enabled: new(true), ExpiresAt: w.later(time.Hour)}
		in := social.ActivateDraftIn{ID: d.ID, QuietSearch: search}
		if end == "activated" {
			out := w.activate(w.Ada, in)
			if *out.Draft.ActivatedIntentID != out.Intent.ID || *out.Draft.ActivatedStoryID != out.Story.ID || out.Story.HumanVisible ||
				out.Story.Text != nil {
				t.Errorf("got %+v", out)
			}
		} else if out, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: d.ID, State: core.Some("dismissed")}); err != nil ||
			out.Draft.State != end {
			t.Errorf("got %+v %v", out, err)
		}
		for name, err := range map[string]error{
			"edited":    second(w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: d.ID, Goal: core.Some("Another")})),
			"dismissed": second(w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: d.ID, State: core.Some("dismissed")})),
			"previewed": second(w.s.ActivateDraft.Call(w.ctx, as(w.Ada),
				social.ActivateDraftIn{ID: d.ID, Confirm: new(false), QuietSearch: search})),
			"activated": second(w.s.ActivateDraft.Call(w.ctx, as(w.Ada), social.ActivateDraftIn{ID: d.ID, Confirm: new(true), QuietSearch: search})),
		} {
			if code(err) != "not_found" {
				t.Errorf("%s, then %s: %v", end, name, err)
			}
		}
		for _, state := range []string{"pending", "dismissed", "activated"} {
			out, err := w.s.ListDrafts.Call(w.ctx, as(w.Ada), social.ListDraftsIn{State: state})
			if err != nil || (len(out.Drafts) == 1) != (state == end) {
				t.Errorf("%s: %d are %s, %v", end, len(out.Drafts), state, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// An edit keeps what it does not name, and a draft keeps something that it says.
func TestDraftMerge(t *testing.T) {
	w := newWorld(t)
	d := w.draft(w.Ada, social.CreateDraftIn{Goal: "A band", Details: "Loud", Source: "chat"})
	edit := func(in social.UpdateDraftIn) string {
		in.ID = d.ID
		out, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), in)
		if err == nil {
			d = out.Draft
		}
		return code(err)
	}
	none, some := core.Some([]string{}), core.Some([]string{"a drummer"})
	for i, c := range []struct {
		in   social.UpdateDraftIn
		want string
	}{
		{social.UpdateDraftIn{Goal: core.Some("")}, "invalid_input"},
		{social.UpdateDraftIn{Seeks: some}, ""},
		{social.UpdateDraftIn{Goal: core.Some("")}, ""},
		{social.UpdateDraftIn{Seeks: none}, "invalid_input"},
		{social.UpdateDraftIn{Seeks: none, Brings: some}, ""},
		{social.UpdateDraftIn{Brings: none}, "invalid_input"},
		{social.UpdateDraftIn{Brings: none, Goal: core.Some("A choir"), State: core.Some("dismissed")}, ""},
	} {
		if got := edit(c.in); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
	if d.Goal != "A choir" || len(d.Seeks)+len(d.Brings) != 0 || core.OrZero(d.Details) != "Loud" || core.OrZero(d.Source) != "chat" ||
		d.State != "dismissed" {
		t.Errorf("got %+v", d)
	}
}

// Pages say of a draft that an agent rewrote that the agent wrote it, and of none that an
// agent only dismissed, or sent again as it is.
func TestWhoWroteADraft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change social.UpdateDraftIn
		want   string
	}{
		"details":   {social.UpdateDraftIn{Details: core.Some("before the rain")}, "Crumb"},
		"seeks":     {social.UpdateDraftIn{Seeks: core.Some([]string{"two ladders"})}, "Crumb"},
		"the same":  {social.UpdateDraftIn{Goal: core.Some("Gutters")}, ""},
		"dismissed": {social.UpdateDraftIn{State: core.Some("dismissed")}, ""},
	} {
		w := newWorld(t)
		d := w.draft(w.Ada, social.CreateDraftIn{Goal: "Gutters", Seeks: []string{"a ladder"}})
		c.change.ID = d.ID
		if _, err := w.s.UpdateDraft.Call(w.ctx, w.agent(w.Ada, 0), c.change); err != nil {
			t.Fatal(err)
		}
		out, err := w.s.ListDrafts.Call(w.ctx, as(w.Ada), social.ListDraftsIn{})
		if err != nil || len(out.Drafts) != 1 || out.Drafts[0].AgentName != c.want {
			t.Errorf("%s: got %+v, %v", name, out.Drafts, err)
		}
	}
	w := newWorld(t)
	out, err := w.s.CreateDraft.Call(w.ctx, w.agent(w.Ada, 0), social.CreateDraftIn{Goal: "Gutters"})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: out.Draft.ID, Goal: core.Some("Clean the gutters")})
	if err != nil || changed.Draft.AgentName != "Crumb" {
		t.Errorf("what an agent wrote and its owner changed: %+v, %v", changed, err)
	}
}
