package social_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// The list of intents has the newest 500, and those that are active however old they
// are, the newest first.
func TestActiveIntentsAreListed(t *testing.T) {
	w := newWorld(t)
	w.intent(w.Ben, "ask", terms)
	active := w.intent(w.Ada, "ask", terms)
	expired := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Minute) })
	withdrawn := w.intent(w.Ada, "ask", terms)
	if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: withdrawn.ID, Status: "withdrawn"}); err != nil {
		t.Fatal(err)
	}
	w.db.Clock.Advance(time.Minute)
	w.write(func(tx *store.Tx) (err error) {
		for n := range 500 {
			i := store.Intent{OwnerID: w.Ada.ID, Kind: "ask", Terms: fmt.Sprint(n), Seeks: []string{}, Brings: []string{},
				MatchingMode: "fulfillment", Status: "withdrawn"}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertIntent(&i)
			}
		}
		return err
	})
	last := w.intent(w.Ada, "offer", "a spade")
	out, err := w.s.ListIntents.Call(w.ctx, as(w.Ada), social.ListIntentsIn{})
	if err != nil {
		t.Fatal(err)
	}
	ids := core.Map(out.Intents, func(i social.AgentIntent) string { return i.ID })
	if n := len(ids); n != 501 || ids[0] != last.ID || ids[500] != active.ID || slices.Contains(ids, expired.ID) ||
		slices.Contains(ids, withdrawn.ID) {
		t.Errorf("%d are listed", n)
	}
	if !slices.IsSortedFunc(out.Intents, func(a, b social.AgentIntent) int { return int(b.CreatedAt - a.CreatedAt) }) {
		t.Error("they are not in order")
	}
}

// Without a state the list of drafts has drafts of all states, the newest first: the
// newest 500, and all that are pending.
func TestDraftsOfAllStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.draft(w.Ben, social.CreateDraftIn{Goal: "Of somebody else"})
	pending := w.draft(w.Ada, social.CreateDraftIn{Goal: "pending"})
	old := w.draft(w.Ada, social.CreateDraftIn{Goal: "dismissed"})
	dismiss := func(id string) {
		t.Helper()
		if _, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: id, State: core.Some("dismissed")}); err != nil {
			t.Fatal(err)
		}
	}
	dismiss(old.ID)
	list := func(state string) []string {
		t.Helper()
		out, err := w.s.ListDrafts.Call(w.ctx, as(w.Ada), social.ListDraftsIn{State: state})
		if err != nil {
			t.Fatal(err)
		}
		return core.Map(out.Drafts, func(d social.IntentDraft) string { return d.ID })
	}
	activated := w.draft(w.Ada, social.CreateDraftIn{Goal: "activated"})
	w.activate(w.Ada, social.ActivateDraftIn{ID: activated.ID, QuietSearch: hour(w)})
	for state, want := range map[string][]string{
		"": {activated.ID, old.ID, pending.ID}, "pending": {pending.ID}, "dismissed": {old.ID}, "activated": {activated.ID},
	} {
		if got := list(state); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
	w.write(func(tx *store.Tx) (err error) {
		for range 499 {
			d := store.Draft{OwnerID: w.Ada.ID, Goal: "More", MatchingMode: "fulfillment"}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertDraft(&d)
			}
			if d.State = "dismissed"; err == nil {
				err = tx.UpdateDraft(&d)
			}
		}
		return err
	})
	if got := list(""); len(got) != 501 || got[499] != activated.ID || got[500] != pending.ID {
		t.Errorf("%d are listed", len(got))
	}
}

// The list of matches has the newest 500, and older ones that wait for an answer of the
// account's, the newest first.
func TestOpenMatchesAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var waiting, answered string
	w.write(func(tx *store.Tx) error {
		intent := func(owner string, n int) store.Intent {
			tx.Now = tx.Tick()
			i := store.Intent{OwnerID: owner, Kind: "ask", Terms: fmt.Sprint(n), Seeks: []string{}, Brings: []string{}, MatchingMode: "fulfillment",
				Status: "active"}
			if err := tx.InsertIntent(&i); err != nil {
				t.Fatal(err)
			}
			return i
		}
		ada := intent(w.Ada.ID, -1)
		for n := range 502 {
			ben := intent(w.Ben.ID, n)
			id, err := tx.InsertMatch(&ada, &ben, "complementary", 50)
			switch {
			case err != nil:
				return err
			case n == 0:
				waiting = id
			case n == 1:
				answered = id
				err = tx.ApproveMatch(id, w.Ada.ID)
			default:
				err = tx.CloseMatch(id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	out, err := w.s.ListMatches.Call(w.ctx, as(w.Ada), core.None{})
	if err != nil {
		t.Fatal(err)
	}
	ids := core.Map(out.Matches, func(m social.AgentMatch) string { return m.ID })
	if n := len(ids); n != 501 || ids[500] != waiting || slices.Contains(ids, answered) {
		t.Errorf("%d are listed", n)
	}
}

// big is as much as an intent, a draft or a Story may say.
func big() (seeks []string) {
	for range 20 {
		seeks = append(seeks, strings.Repeat("漢", 500))
	}
	return seeks
}

// However much they say, asks and offers can be listed: all that are active, and the
// newest of the others. The older ones are listed with before.
func TestBigIntentsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []string
	w.write(func(tx *store.Tx) (err error) {
		all = nil
		for n := range 170 {
			i := store.Intent{OwnerID: w.Ada.ID, Kind: "ask", Terms: fmt.Sprint(n), Seeks: big(), Brings: big(),
				Details: strings.Repeat("漢", 2000), MatchingMode: "fulfillment", Status: "withdrawn"}
			if n < 10 {
				i.Status = "active"
			}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertIntent(&i)
			}
			all = append(all, i.ID)
		}
		return err
	})
	slices.Reverse(all)
	list := func(in social.ListIntentsIn) []social.AgentIntent {
		t.Helper()
		out, err := w.s.ListIntents.Call(t.Context(), as(w.Ada), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Intents
	}
	ids := func(rows []social.AgentIntent) []string {
		return core.Map(rows, func(i social.AgentIntent) string { return i.ID })
	}
	first := list(social.ListIntentsIn{})
	if n := len(first); n < 25 || !slices.Equal(ids(first), append(slices.Clone(all[:n-10]), all[160:]...)) || len(first[0].Seeks) != 20 {
		t.Errorf("%d of 170 are listed", n)
	}
	brief := list(social.ListIntentsIn{Brief: true})
	if len(brief) != 170 || len(brief[0].Seeks)+len(brief[0].Brings) != 0 || brief[0].Goal != nil || brief[0].Terms != "169" ||
		brief[0].Details == nil {
		t.Errorf("%d of 170 are listed without what a page does not show", len(brief))
	}
	var paged []string
	for before := w.db.Now().Add(time.Hour); ; {
		page := list(social.ListIntentsIn{Before: &before})
		if len(page) == 0 {
			break
		}
		paged, before = append(paged, ids(page)...), page[len(page)-1].CreatedAt
	}
	if !slices.Equal(paged, all) {
		t.Errorf("%d of 170 are listed in pages", len(paged))
	}
	if none := list(social.ListIntentsIn{Before: new(store.Time)}); len(none) != 0 {
		t.Errorf("%d are before 1970", len(none))
	}
}

// Likewise drafts, also in the review queue, which says that there are more.
func TestBigDraftsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []string
	w.write(func(tx *store.Tx) (err error) {
		all = nil
		for range 140 {
			d := store.Draft{
				OwnerID: w.Ada.ID, Goal: "x", Seeks: big(), Brings: big(), Details: strings.Repeat("漢", 4000), Source: strings.Repeat("漢", 1000),
				Provenance: `{"x":"` + strings.Repeat("x", 9000) + `"}`, MatchingMode: "fulfillment",
			}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertDraft(&d)
			}
			all = append(all, d.ID)
		}
		return err
	})
	slices.Reverse(all)
	list := func(in social.ListDraftsIn) []social.IntentDraft {
		t.Helper()
		out, err := w.s.ListDrafts.Call(t.Context(), as(w.Ada), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Drafts
	}
	ids := func(rows []social.IntentDraft) []string {
		return core.Map(rows, func(d social.IntentDraft) string { return d.ID })
	}
	for _, state := range []string{"", "pending"} {
		if got := ids(list(social.ListDraftsIn{State: state})); len(got) < 15 || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("%q: %d of 140 are listed", state, len(got))
		}
	}
	var paged []string
	for before := w.db.Now().Add(time.Hour); ; {
		page := list(social.ListDraftsIn{State: "pending", Before: &before})
		if len(page) == 0 {
			break
		}
		paged, before = append(paged, ids(page)...), page[len(page)-1].CreatedAt
	}
	if !slices.Equal(paged, all) {
		t.Errorf("%d of 140 are listed in pages", len(paged))
	}
	if _, err := w.s.ListDrafts.Call(w.ctx, as(w.Ada), social.ListDraftsIn{Before: new(w.db.Now())}); core.As(err).Field != "state" {
		t.Errorf("of all states: %v", err)
	}
	queue, err := w.s.GetReview.Call(t.Context(), as(w.Ada), core.None{})
	if n := len(queue.Items); err != nil || !queue.HasMore || n < 15 || n >= 50 || queue.Items[0].ID != "draft:"+all[0] {
		t.Errorf("%d are to be reviewed, more: %v, %v", n, queue.HasMore, err)
	}
}

// Requests of keys are listed, the oldest first, as far as they fit: whoever answers them
// sees the others.
func TestBigRequestsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payload := `{"seeks":["` + strings.Join(big(), `","`) + `"]}`
	w.write(func(tx *store.Tx) error {
		k, err := tx.InsertKey(store.Key{UserID: w.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: "k", CanRead: true, CanWrite: true})
		if err != nil {
			return err
		}
		for n := range 150 {
			g := store.Grant{Hash: []byte{byte(n)}, UserID: w.Ada.ID, KeyID: k.ID, Action: "publish_story", Payload: payload,
				ExpiresAt: *w.later(time.Hour)}
			tx.Now = tx.Tick()
			if err := tx.InsertGrant(&g, 1000); err != nil {
				return err
			}
		}
		return nil
	})
	for left, first := 150, 0; left > 0; {
		out, err := w.s.ListRequests.Call(t.Context(), as(w.Ada), core.None{})
		n := len(out.Requests)
		if err != nil || n == 0 || out.HasMore != (n < left) || n*len(payload) > 1<<20 || out.Requests[0].ID != fmt.Sprintf("%02x", first) {
			t.Fatalf("%d of %d are listed, more: %v, %v", n, left, out.HasMore, err)
		}
		for _, r := range out.Requests {
			if _, err := w.s.AnswerRequest.Call(w.ctx, as(w.Ada), social.AnswerRequestIn{ID: r.ID, Decision: "refuse"}); err != nil {
				t.Fatal(err)
			}
		}
		left, first = left-n, first+n
	}
}

// Likewise Stories: those that are shown, and the newest of the others. People receive
// all Stories that are for them, and agents the newest that fit.
func TestBigStoriesAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []string
	for n := range 60 {
		w.write(func(tx *store.Tx) error {
			st := store.Story{
				OwnerID: w.Ada.ID, Text: fmt.Sprint(n), Status: "withdrawn", StoryExpiresAt: *w.later(time.Hour), SearchExpiresAt: *w.later(time.Hour),
				QuietSearch: true,
				Audience:    store.Audience{UserIDs: []string{w.Ben.ID}},
				Intent: store.Intent{OwnerID: w.Ada.ID, Kind: "ask", Terms: "x", Seeks: big(), Brings: big(), MatchingMode: "fulfillment",
					Status: "active"},
			}
			if n%12 == 0 {
				st.Status = "active"
			}
			if err := tx.InsertIntent(&st.Intent); err != nil {
				return err
			}
			return tx.InsertStory(&st)
		})
		all = append(all, fmt.Sprint(n))
	}
	slices.Reverse(all)
	list := func(in social.ListStoriesIn) []social.OwnedStory {
		t.Helper()
		out, err := w.s.ListStories.Call(t.Context(), as(w.Ada), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Stories
	}
	texts := core.Map(list(social.ListStoriesIn{}), func(s social.OwnedStory) string { return core.OrZero(s.Text) })
	if n := len(texts); n < 20 || n == 60 || !slices.Equal(texts[:20], all[:20]) || !slices.Equal(texts[n-2:], []string{"12", "0"}) {
		t.Errorf("%q are listed", texts)
	}
	if brief := list(social.ListStoriesIn{Brief: true}); len(brief) != 60 || *brief[0].Text != "59" || len(brief[0].Seeks) != 0 {
		t.Errorf("%d of 60 are listed without what a page does not show", len(brief))
	}
	dan := w.person("dan")
	w.write(func(tx *store.Tx) error {
		for n := range 38 {
			owner := []string{w.Cleo.ID, dan.ID}[n%2]
			i := store.Intent{OwnerID: owner, Kind: "ask", Terms: fmt.Sprint(n), Seeks: big(), Brings: big(), MatchingMode: "fulfillment",
				Status: "active"}
			st := store.Story{
				OwnerID: owner, Text: "x", Status: "active", StoryExpiresAt: *w.later(time.Hour), SearchExpiresAt: *w.later(time.Hour),
				QuietSearch: true,
				Audience:    store.Audience{UserIDs: []string{w.Ben.ID}}, Intent: i,
			}
			tx.Now = tx.Tick()
			if err := tx.InsertIntent(&st.Intent); err != nil {
				return err
			}
			if err := tx.InsertStory(&st); err != nil {
				return err
			}
		}
		return nil
	})
	agent := as(w.Ben)
	agent.Kind, agent.CanRead = store.Agent, true
	for name, c := range map[string]struct {
		by          store.Viewer
		least, most int
	}{"a person": {as(w.Ben), 43, 43}, "an agent": {agent, 15, 42}} {
		out, err := w.s.ListFeed.Call(t.Context(), c.by, core.None{})
		if n := len(out.Stories); err != nil || n < c.least || n > c.most {
			t.Errorf("%s receives %d Stories: %v", name, n, err)
		}
	}
}
