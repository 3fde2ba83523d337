package embed_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hearth/app/match"
	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// idOf is what vectors of a model are stored with.
func idOf(model string) string { return model + " 256" }

// Intents without a word in common are matched once both have vectors that agree,
// and both accounts are told.
func TestMatchedByVectors(t *testing.T) {
	w := newWorld(t, nil)
	ask := w.publish(w.Ada, "ask", sought)
	w.publish(w.Cleo, "offer", "a tent for four")
	w.publish(w.Ben, "offer", brought)
	ada, ben := w.matches(w.Ada), w.matches(w.Ben)
	if len(ada) != 1 || len(ben) != 1 || len(w.matches(w.Cleo)) != 0 {
		t.Fatalf("ada has %+v, ben has %+v", ada, ben)
	}
	if m := ada[0]; m.OtherTerms != brought || m.MatchType != "complementary" || m.Score != 0.6 || m.Status != "pending" ||
		!w.stored(w.Ada, ask.ID, idOf("m")) {
		t.Errorf("ada has %+v", m)
	}
	for _, u := range []store.User{w.Ada, w.Ben} {
		told := 0
		for _, ev := range w.db.Events(t, u.ID) {
			if ev.Kind == "match.updated" {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s is told of %d matches", u.Name, told)
		}
	}
	w.sent(sought, "a tent for four", brought)
}

// What excludes each other in words is not matched by vectors, nor are two who both
// ask, or are not eligible.
func TestExclusionsPrevail(t *testing.T) {
	cases := []struct {
		kind, one, other string
		against          func(w *world, a, b store.User)
	}{
		{"offer", "a qarvel in Berlin", "zubrin in Paris", nil},
		{"offer", "qarvel on Saturday", "zubrin on Tuesday mornings", nil},
		{"offer", "qarvel, but no tafgold", "zubrin", nil},
		{"ask", "quolb", "brimble", nil},
		{"offer", "trosk", "vintor", func(w *world, a, b store.User) {
			w.write(func(tx *store.Tx) error { _, err := tx.InsertBlock(b.ID, a.ID); return err })
		}},
		{"offer", "plunth", "gaspod", func(w *world, a, _ store.User) { w.withdraw(a, w.intents(a)[0].ID) }},
		{"offer", "skrell", "mundip", func(w *world, a, _ store.User) { w.pause(a, true) }},
	}
	topics := map[string]int{sought: 1, brought: 1}
	for n, c := range cases {
		topics[c.one], topics[c.other] = 10+n, 10+n
	}
	w := newWorld(t, topics)
	people := make([][2]store.User, len(cases))
	for n, c := range cases {
		people[n] = [2]store.User{w.person(fmt.Sprint("a", n)), w.person(fmt.Sprint("b", n))}
		w.publish(people[n][0], "ask", c.one)
	}
	for n, c := range cases {
		if c.against != nil {
			c.against(w, people[n][0], people[n][1])
		}
		w.publish(people[n][1], c.kind, c.other)
	}
	// An audience is kept, too: vectors match two accounts only if each intent is for the other.
	w.publish(w.Cleo, "offer", brought)
	w.publish(w.Ben, "offer", brought)
	w.publish(w.Ada, "ask", sought, func(in *social.CreateIntentIn) {
		in.Audience = &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}
	})
	for n, c := range cases {
		if m := w.matches(people[n][1]); len(m) != 0 {
			t.Errorf("%q and %q are matched: %+v", c.one, c.other, m)
		}
	}
	if len(w.matches(w.Ada)) != 1 || len(w.matches(w.Ben)) != 1 || len(w.matches(w.Cleo)) != 0 {
		t.Errorf("ada has %+v", w.matches(w.Ada))
	}
}

// person adds a person.
func (w *world) person(name string) (u store.User) {
	w.Helper()
	w.write(func(tx *store.Tx) (err error) {
		u, err = tx.InsertUser(store.User{Email: name + "@example.org", Name: name, SignupProvider: "magic-link", DiscoveryMode: "name"})
		return err
	})
	return u
}

func (w *world) intents(u store.User) (all []store.Intent) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		all, err = r.Intents(storetest.Human(u), 0, 100)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// While the network of an account is paused, nothing of it is sent and nobody is
// matched with it; afterwards it is.
func TestPausedNetwork(t *testing.T) {
	w := newWorld(t, nil)
	w.pause(w.Ada, true)
	w.publish(w.Ada, "ask", sought)
	w.publish(w.Ben, "offer", brought)
	w.fill()
	w.sent(brought)
	w.pause(w.Ada, false)
	w.fill()
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Fatalf("%d matches after the pause", n)
	}
	// What is stored is compared again without the service.
	w.pause(w.Ada, true)
	w.publish(w.Cleo, "offer", brought)
	if n := len(w.matches(w.Cleo)); n != 0 {
		t.Fatalf("%d matches while paused", n)
	}
	w.pause(w.Ada, false)
	if n := len(w.matches(w.Cleo)); n != 1 {
		t.Fatalf("%d matches after the second pause", n)
	}
	w.sent(brought, sought, brought)
}

// While the service fails, intents are matched by their words as without it, and
// what is missing is made good later. The log says so once.
func TestServiceFails(t *testing.T) {
	for name, c := range map[string]struct {
		started bool // the model is known when it begins to fail
		answer  http.HandlerFunc
	}{
		"500":  {false, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, sought, http.StatusInternalServerError) }},
		"text": {true, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>", sought) }},
		"short": {true, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[{"embedding":[1,0,0,0,0,0,0,0]}]}`)
		}},
		"hangs": {true, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if c.started {
				w.fill()
			}
			w.service.Answer(c.answer)
			w.publish(w.Ada, "ask", sought)
			w.publish(w.Ben, "offer", brought)
			w.publish(w.Cleo, "ask", "a long ladder for the gutters")
			w.publish(w.Stranger, "offer", "a long ladder for the gutters")
			if len(w.matches(w.Cleo)) != 1 || len(w.matches(w.Ada)) != 0 {
				t.Errorf("by words cleo has %+v and ada %+v", w.matches(w.Cleo), w.matches(w.Ada))
			}
			w.service.Answer(nil)
			for range 2 { // with vectors of another length the model is measured again
				w.fill()
			}
			if n := len(w.matches(w.Ada)); n != 1 {
				t.Errorf("%d matches by vectors", n)
			}
			if name != "short" && (w.logged("WARN") != 1 || w.logged("INFO") != 1) || strings.Contains(w.log.String(), "qarvel") ||
				strings.Contains(w.log.String(), "the-key") {
				t.Errorf("the log is %s", w.log)
			}
		})
	}
}

// A text that the service does not take leaves the others be.
func TestOneTextFails(t *testing.T) {
	w := newWorld(t, nil)
	w.service.Answer(func(rw http.ResponseWriter, _ *http.Request) {
		all := w.service.Requests()
		last := all[len(all)-1]
		if strings.Contains(last.Body, "poison") {
			http.Error(rw, "not this", http.StatusBadRequest)
			return
		}
		w.service.Respond(rw, last.Input)
	})
	w.publish(w.Stranger, "ask", "poison")
	w.publish(w.Ada, "ask", sought)
	w.publish(w.Ben, "offer", brought)
	w.fill()
	if n := len(w.matches(w.Ada)); n != 1 || w.logged("WARN") != 0 {
		t.Errorf("%d matches; the log is %s", n, w.log)
	}
}

// A model whose vectors are all alike matches nobody.
func TestUselessModel(t *testing.T) {
	w := newWorld(t, nil)
	w.service.Answer(func(rw http.ResponseWriter, _ *http.Request) {
		one := `{"embedding":[1,2,3,4,5,6,7,8]}`
		fmt.Fprint(rw, `{"data":[`, strings.TrimSuffix(strings.Repeat(one+",", len(match.ReferenceTexts())), ","), `]}`)
	})
	w.publish(w.Ada, "ask", sought)
	w.publish(w.Ben, "offer", brought)
	w.fill()
	w.sent()
	if !strings.Contains(w.log.String(), "--embed-model") || w.logged("WARN") != 1 {
		t.Errorf("the log is %s", w.log)
	}
}

// The service is sent the public fields of intents that are listed, and nothing
// else.
func TestOnlyPublicFieldsAreSent(t *testing.T) {
	w := newWorld(t, nil)
	w.start("the-model")
	future := w.db.Now().Add(time.Hour)
	intent := w.publish(w.Ada, "offer", "unused terms", func(in *social.CreateIntentIn) {
		in.Details, in.ExpiresAt, in.Goal, in.MatchingMode, in.OpenToCollaborators = "canary details", &future, "a quiet street", "shared_goal",
			true
		in.Seeks, in.Brings = []string{"zebra crossing", "speed bumps"}, []string{"time"}
		in.Audience = &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}
	})
	_, err := w.social.CreateDraft.Call(w.ctx, storetest.Human(w.Ada), social.CreateDraftIn{Goal: "canary draft", Details: "canary details"})
	if err != nil {
		t.Fatal(err)
	}
	story := social.PublishStoryIn{Kind: "ask", Goal: "canary goal", Text: "canary story",
		Audience: &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}, StoryExpiresAt: &future, Confirm: new(false)}
	out, err := w.social.PublishStory.Call(w.ctx, storetest.Human(w.Ada), story)
	if err != nil {
		t.Fatal(err)
	}
	_, preview := out.Bodies()
	story.Confirm, story.ApprovalGrant = new(true), preview.(*social.Preview).ApprovalGrant
	// without a quiet search it is for its audience alone
	if _, err := w.social.PublishStory.Call(w.ctx, storetest.Human(w.Ada), story); err != nil {
		t.Fatal(err)
	}
	w.publish(w.Ben, "ask", "a lift")
	w.sent("zebra crossing\nspeed bumps", "time", "a quiet street", "a lift")
	for _, r := range w.service.Requests() {
		for _, canary := range []string{"canary", "unused", "ada", "Ada", "example.org", w.Ada.ID, w.Ben.ID, intent.ID, "the-key", "2026"} {
			if strings.Contains(r.Body, canary) {
				t.Errorf("the service is sent %q: %s", canary, r.Body)
			}
		}
		if r.Model != "the-model" || r.Key != "Bearer the-key" || r.Path != "POST /v1/embeddings" {
			t.Errorf("sent %+v", r)
		}
	}
}

// When the model changes, all vectors are computed again with the new model's measure,
// and are not compared with vectors of the old model. The same model keeps its vectors.
func TestModelChanges(t *testing.T) {
	w := newWorld(t, nil)
	ask := w.publish(w.Ada, "ask", sought)
	w.start("m")
	w.publish(w.Ben, "offer", brought)
	w.fill()
	w.sent(sought, brought)
	w.start("second")
	w.fill()
	w.sent(sought, brought, sought, brought)
	if w.stored(w.Ada, ask.ID, idOf("m")) || !w.stored(w.Ada, ask.ID, idOf("second")) {
		t.Error("the vectors do not come from the second model")
	}
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Errorf("%d matches", n)
	}
	// The service has another model under the same name.
	w.service.SetDimensions(300)
	w.publish(w.Cleo, "offer", brought)
	w.fill()
	if !w.stored(w.Ada, ask.ID, "second 300") || len(w.matches(w.Ada)) != 2 {
		t.Errorf("%d matches with vectors of the other length", len(w.matches(w.Ada)))
	}
}

// When an intent is withdrawn, expired or deleted with its account, its vectors
// are, too.
func TestVectorsEndWithIntent(t *testing.T) {
	w := newWorld(t, nil)
	expires := w.db.Now().Add(time.Minute)
	withdrawn := w.publish(w.Ada, "ask", "one")
	expired := w.publish(w.Ada, "ask", "two", func(in *social.CreateIntentIn) { in.ExpiresAt = &expires })
	w.publish(w.Ben, "ask", "three")
	seq := w.intents(w.Ben)[0].Seq
	if !w.stored(w.Ada, withdrawn.ID, idOf("m")) || !w.stored(w.Ada, expired.ID, idOf("m")) {
		t.Fatal("no vectors are stored")
	}
	w.withdraw(w.Ada, withdrawn.ID)
	w.db.Clock.Advance(time.Minute)
	if err := w.social.Tidy(w.ctx); err != nil {
		t.Fatal(err)
	}
	if w.stored(w.Ada, withdrawn.ID, idOf("m")) || w.stored(w.Ada, expired.ID, idOf("m")) {
		t.Error("vectors of what has ended are stored")
	}
	has := func() bool {
		var vectors []byte
		err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
			vectors, err = r.Vectors(seq, idOf("m"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return vectors != nil
	}
	if !has() {
		t.Fatal("ben's intent has no vectors")
	}
	w.erase(w.Ben)
	if has() {
		t.Error("the vectors of a deleted account are stored")
	}
}

func (w *world) erase(u store.User) {
	w.write(func(tx *store.Tx) error { _, err := tx.EraseUser(u.ID); return err })
}
