package embed_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
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
	w.start("m")
	ask := w.publish(w.Ada, "ask", sought)
	w.done(1)
	w.publish(w.Cleo, "offer", "a tent for four")
	w.publish(w.Ben, "offer", brought)
	w.done(3)
	ada, ben := w.matches(w.Ada), w.matches(w.Ben)
	if len(ada) != 1 || len(ben) != 1 || len(w.matches(w.Cleo)) != 0 {
		t.Fatalf("ada has %+v, ben has %+v", ada, ben)
	}
	if m := ada[0]; m.OtherTerms != brought || m.MatchType != "complementary" || m.Score != 0.6 || m.Status != "pending" || !w.stored(w.Ada, ask.ID, idOf("m")) {
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
	w.start("m")
	people := make([][2]store.User, len(cases))
	for n, c := range cases {
		people[n] = [2]store.User{w.person(fmt.Sprint("a", n)), w.person(fmt.Sprint("b", n))}
		w.publish(people[n][0], "ask", c.one)
	}
	w.done(len(cases))
	for n, c := range cases {
		if c.against != nil {
			c.against(w, people[n][0], people[n][1])
		}
		w.publish(people[n][1], c.kind, c.other)
	}
	// An audience is kept, too: vectors match those for whom both intents are.
	w.publish(w.Cleo, "offer", brought)
	w.publish(w.Ben, "offer", brought)
	w.publish(w.Ada, "ask", sought, func(in *social.CreateIntentIn) {
		in.Audience = &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}
	})
	w.done(2*len(cases) + 3)
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
	w.start("m")
	w.publish(w.Ben, "offer", brought)
	w.done(1)
	w.sent(brought)
	w.pause(w.Ada, false)
	w.done(2)
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Fatalf("%d matches after the pause", n)
	}
	// What is stored is compared again without the service.
	w.pause(w.Ada, true)
	w.publish(w.Cleo, "offer", brought)
	w.done(3)
	if n := len(w.matches(w.Cleo)); n != 0 {
		t.Fatalf("%d matches while paused", n)
	}
	w.pause(w.Ada, false)
	w.done(4)
	w.sent(brought, sought, brought)
}

// While the service fails, intents are matched by their words as without it, and
// what is missing is made good later. The log says so once.
func TestServiceFails(t *testing.T) {
	for name, c := range map[string]struct {
		started bool // the measure of the model is known when it begins to fail
		answer  http.HandlerFunc
	}{
		"500":  {false, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, sought, http.StatusInternalServerError) }},
		"text": {true, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>", sought) }},
		"short": {true, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[{"embedding":[1,0,0,0,0,0,0,0]}]}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if c.started {
				w.start("m")
				w.until("the measure", func() bool { return w.setting("embed_measure") != "" })
			}
			w.service.Answer(c.answer)
			if !c.started {
				w.start("m")
			}
			before := len(w.service.Requests())
			w.publish(w.Ada, "ask", sought)
			w.publish(w.Ben, "offer", brought)
			w.publish(w.Cleo, "ask", "a long ladder for the gutters")
			w.publish(w.Stranger, "offer", "a long ladder for the gutters")
			if len(w.matches(w.Cleo)) != 1 || len(w.matches(w.Ada)) != 0 {
				t.Errorf("by words cleo has %+v and ada %+v", w.matches(w.Cleo), w.matches(w.Ada))
			}
			w.until("a failure", func() bool { return w.logged("WARN") > 0 && len(w.service.Requests()) > before })
			w.service.Answer(nil)
			w.until("matches by vectors", func() bool {
				w.db.Clock.Advance(time.Hour) // those that failed are due again
				w.workers[0].Wake()
				return len(w.matches(w.Ada)) == 1 && w.logged("INFO") > 0
			})
			if w.logged("WARN") != 1 || w.logged("INFO") != 1 || strings.Contains(w.log.String(), "qarvel") || strings.Contains(w.log.String(), "the-key") {
				t.Errorf("the log is %s", w.log)
			}
		})
	}
}

func (w *world) setting(name string) (value string) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		value, err = r.Setting(name)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return value
}

// Nothing waits for a service that does not respond, and the server stops.
func TestServiceHangs(t *testing.T) {
	w := newWorld(t, nil)
	release := make(chan struct{})
	defer close(release)
	w.service.Answer(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	w.start("m")
	w.until("a request", func() bool { return len(w.service.Requests()) > 0 })
	w.publish(w.Ada, "ask", "a long ladder for the gutters")
	w.publish(w.Ben, "offer", "a long ladder for the gutters")
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Errorf("%d matches by words", n)
	}
	w.stop()
	if w.logged("WARN") != 0 {
		t.Errorf("stopping is logged as a failure: %s", w.log)
	}
}

// A text that the service does not take leaves the others be.
func TestOneTextFails(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 5 {
		w.publish(w.Cleo, "ask", fmt.Sprintf("the number %d of a tombola", i))
	}
	w.publish(w.Ada, "ask", sought)
	w.publish(w.Ben, "offer", brought)
	w.publish(w.Stranger, "ask", "poison")
	w.service.Answer(func(rw http.ResponseWriter, _ *http.Request) {
		all := w.service.Requests()
		last := all[len(all)-1]
		if strings.Contains(last.Body, "poison") {
			http.Error(rw, "not this", http.StatusBadRequest)
			return
		}
		w.service.Respond(rw, last.Input)
	})
	w.start("m")
	w.until("the others", func() bool {
		w.db.Clock.Advance(2 * time.Minute)
		w.workers[0].Wake()
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.compared) >= 7
	})
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Errorf("%d matches", n)
	}
}

// A model whose vectors are all alike matches nobody.
func TestUselessModel(t *testing.T) {
	w := newWorld(t, nil)
	w.service.Answer(func(rw http.ResponseWriter, _ *http.Request) {
		one := `{"embedding":[1,2,3,4,5,6,7,8]}`
		fmt.Fprint(rw, `{"data":[`, strings.TrimSuffix(strings.Repeat(one+",", len(match.ReferenceTexts())), ","), `]}`)
	})
	w.start("m")
	w.publish(w.Ada, "ask", sought)
	w.publish(w.Ben, "offer", brought)
	w.until("a few attempts", func() bool { return len(w.service.Requests()) > 3 })
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
		in.Details, in.ExpiresAt, in.Goal, in.MatchingMode, in.OpenToCollaborators = "canary details", &future, "a quiet street", "shared_goal", true
		in.Seeks, in.Brings = []string{"zebra crossing", "speed bumps"}, []string{"time"}
		in.Audience = &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}
	})
	_, err := w.social.CreateDraft.Call(w.ctx, storetest.Human(w.Ada), social.CreateDraftIn{Goal: "canary draft", Details: "canary details"})
	if err != nil {
		t.Fatal(err)
	}
	story := social.PublishStoryIn{Kind: "ask", Goal: "canary goal", Text: "canary story", Audience: &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}, StoryExpiresAt: &future, Confirm: new(false)}
	out, err := w.social.PublishStory.Call(w.ctx, storetest.Human(w.Ada), story)
	if err != nil {
		t.Fatal(err)
	}
	_, preview := out.Bodies()
	story.Confirm, story.ApprovalGrant = new(true), preview.(*social.Preview).ApprovalGrant
	if _, err := w.social.PublishStory.Call(w.ctx, storetest.Human(w.Ada), story); err != nil { // without a quiet search it is for its audience alone
		t.Fatal(err)
	}
	w.publish(w.Ben, "ask", "a lift")
	w.done(2)
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

// Of several processes one computes the vectors of an intent, and what one of them
// began and did not end, another one does.
func TestSeveralWorkers(t *testing.T) {
	w := newWorld(t, nil)
	var want []string
	publish := func(n int) {
		for range n {
			text := fmt.Sprintf("the number %d of a tombola", 1000+len(want))
			w.publish([]store.User{w.Ada, w.Ben}[len(want)%2], "ask", text)
			want = append(want, text)
		}
	}
	publish(20)
	for range 3 {
		w.start("m")
	}
	publish(20)
	w.done(40)
	w.sent(want...)
	w.stop()
	publish(1)
	intent := w.intents(w.Ada)[0]
	w.write(func(tx *store.Tx) error { // a process that ends with the claim
		if err := tx.WantVectors(idOf("m"), []store.ListedIntent{{Intent: intent.Seq}}); err != nil {
			return err
		}
		claims, err := tx.ClaimVectors(idOf("m"), 10, tx.Reader.Now().Add(time.Minute))
		if err == nil && len(claims) != 1 {
			t.Errorf("claims: %+v", claims)
		}
		return err
	})
	worker := w.start("m")
	w.publish(w.Cleo, "ask", "something else")
	w.done(41)
	w.sent(append([]string{"something else"}, want[:40]...)...)
	w.db.Clock.Advance(time.Minute)
	worker.Wake()
	w.done(42)
	w.sent(append([]string{"something else"}, want...)...)
}

// What failed is claimed after everything else, and of that what is due longest is
// first, however late each is due again.
func TestFailedAreLast(t *testing.T) {
	w := newWorld(t, nil)
	var intents [4]int64
	var listed []store.ListedIntent
	for n := range intents {
		w.publish(w.Ada, "ask", fmt.Sprintf("the number %d of a tombola", n))
		intents[n] = w.intents(w.Ada)[0].Seq
		listed = append(listed, store.ListedIntent{Intent: intents[n]})
		w.db.Clock.Advance(time.Second)
	}
	w.write(func(tx *store.Tx) error { return tx.WantVectors(idOf("m"), listed) })
	fails := func(limit int, retry time.Duration, want ...int) {
		t.Helper()
		w.write(func(tx *store.Tx) error {
			claims, err := tx.ClaimVectors(idOf("m"), limit, tx.Reader.Now().Add(time.Minute))
			var got []int
			for _, c := range claims {
				got = append(got, slices.Index(intents[:], c.Intent))
				err = errors.Join(err, tx.RetryVectors(c, tx.Reader.Now().Add(retry)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the intents %d are claimed, want %d", got, want)
			}
			return err
		})
		w.db.Clock.Advance(time.Minute)
	}
	fails(1, time.Minute, 3)
	fails(1, time.Second, 2)
	fails(3, 2*time.Second, 1, 0, 3)
	fails(3, time.Hour, 2, 0, 1)
	fails(3, time.Hour, 3)
}

// Vectors of another model are computed again, with a measure of its own, and not
// compared with those of the first. The same model's are kept.
func TestModelChanges(t *testing.T) {
	w := newWorld(t, nil)
	w.start("first")
	ask := w.publish(w.Ada, "ask", sought)
	w.done(1)
	w.stop()
	w.start("first")
	w.publish(w.Ben, "offer", brought)
	w.done(2)
	if n := len(w.service.Requests()); n != 3 {
		t.Errorf("%d requests, want one to measure the model and two", n)
	}
	w.stop()
	w.start("second")
	w.done(4)
	w.sent(sought, brought, sought, brought)
	if w.stored(w.Ada, ask.ID, idOf("first")) || !w.stored(w.Ada, ask.ID, idOf("second")) {
		t.Error("the vectors are not those of the second model")
	}
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Errorf("%d matches", n)
	}
	// The service has another model under the same name.
	w.service.SetDimensions(300)
	w.publish(w.Cleo, "offer", brought)
	w.until("vectors of the other length", func() bool {
		w.db.Clock.Advance(time.Hour)
		w.workers[0].Wake()
		return w.stored(w.Ada, ask.ID, "second 300") && len(w.matches(w.Ada)) == 2
	})
}

// When an intent is withdrawn, expired or deleted with its account, its vectors
// are, too.
func TestVectorsEndWithIntent(t *testing.T) {
	w := newWorld(t, nil)
	w.start("m")
	expires := w.db.Now().Add(time.Minute)
	withdrawn := w.publish(w.Ada, "ask", "one")
	expired := w.publish(w.Ada, "ask", "two", func(in *social.CreateIntentIn) { in.ExpiresAt = &expires })
	w.publish(w.Ben, "ask", "three")
	w.done(3)
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
	has := func() (n int) {
		err := w.db.Read(w.ctx, func(r *store.Reader) error {
			n = 0
			return r.EachVectors(idOf("m"), 10, func(intent int64, _ []byte) {
				if intent == seq {
					n++
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if has() != 1 {
		t.Fatal("ben's intent has no vectors")
	}
	w.erase(w.Ben)
	if has() != 0 {
		t.Error("the vectors of a deleted account are stored")
	}
}

func (w *world) erase(u store.User) {
	w.write(func(tx *store.Tx) error { _, err := tx.EraseUser(u.ID); return err })
}
