package social_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/match"
	"hearth/app/social"
	"hearth/store"
)

// policyTexts are what the people of the tests below publish. All but the offer
// are asks, which agree with it by different degrees.
var policyTexts = map[string]string{
	"offer":  "a long ladder for the gutters",
	"sure":   "a long ladder for the gutters",
	"weak":   "stepladder or tools for painting",
	"better": "tools to clean the gutters, a ladder would be fine",
	"none":   "piano lessons for my daughter",
}

// The rows of the tests rely on how well the texts agree.
func TestPolicyTexts(t *testing.T) {
	prepared := func(kind, text string) *match.Prepared {
		return match.PrepareIntent(match.Intent{Kind: kind, Terms: policyTexts[text]})
	}
	score := func(text string) float64 {
		return match.Compare(prepared("ask", text), prepared("offer", "offer")).Score
	}
	weak, better, sure := score("weak"), score("better"), score("sure")
	surely := match.Result{Type: match.Complementary, Score: sure}.Introduces(false, 1)
	weakly := match.Result{Type: match.Complementary, Score: better}.Introduces(false, 0)
	if !(0 < weak && weak < better && better < sure) || !surely || weakly || score("none") != 0 {
		t.Fatalf("weak %.2f, better %.2f, sure %.2f, none %.2f: choose other texts", weak, better, sure, score("none"))
	}
}

// town is people who each publish one ask or offer.
type town struct {
	*world
	people  map[string]store.User
	intents map[string]string // their ids
}

// do takes a step: "ann asks weak", "bob offers offer", "bob offers offer for
// hour", "bob offers offer kept" (open after it has connected), "ann declines", "ann
// approves", "ann withdraws", "ann joins", "ann blocks bob", "ann pauses", "ann
// resumes", "an hour passes".
func (w *town) do(step string) {
	w.Helper()
	words := strings.Fields(step)
	who := words[0]
	switch words[1] {
	case "asks", "offers":
		if _, joined := w.people[who]; !joined {
			w.people[who] = w.person(who)
		}
		i := w.intent(w.people[who], strings.TrimSuffix(words[1], "s"), policyTexts[words[2]], func(in *social.CreateIntentIn) {
			switch strings.Join(words[3:], " ") {
			case "for hour":
				in.ExpiresAt = w.later(time.Hour)
			case "kept":
				in.CloseOnConnect = new(false)
			}
		})
		w.intents[who] = i.ID
	case "declines", "approves":
		for _, m := range w.matches(w.people[who]) {
			in := social.RespondMatchIn{ID: m.ID, Decision: strings.TrimSuffix(words[1], "s")}
			if _, err := w.s.RespondMatch.Call(w.ctx, as(w.people[who]), in); err != nil {
				w.Fatal(err)
			}
		}
	case "withdraws":
		if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.people[who]), social.WithdrawIntentIn{ID: w.intents[who],
			Status: "withdrawn"}); err != nil {
			w.Fatal(err)
		}
	case "pauses", "resumes":
		w.pause(w.people[who], words[1] == "pauses")
	case "joins":
		w.people[who] = w.person(who)
	case "blocks":
		w.block(w.people[who], w.people[words[2]])
	case "hour":
		w.db.Clock.Advance(2 * time.Hour)
		if err := w.s.Tidy(w.ctx); err != nil {
			w.Fatal(err)
		}
	default:
		w.Fatalf("no such step: %q", step)
	}
}

// pairs returns the pairs that were ever matched, in the order of the alphabet.
func (w *town) pairs() []string {
	w.Helper()
	sides := map[string][]string{}
	for _, who := range slices.Sorted(maps.Keys(w.people)) {
		for _, m := range w.matches(w.people[who]) {
			sides[m.ID] = append(sides[m.ID], who)
		}
	}
	out := []string{}
	for _, s := range sides {
		out = append(out, strings.Join(s, "+"))
	}
	slices.Sort(out)
	return out
}

func newTown(t *testing.T, steps []string) *town {
	t.Helper()
	w := &town{world: newWorld(t), people: map[string]store.User{}, intents: map[string]string{}}
	for _, s := range steps {
		w.do(s)
	}
	return w
}

// A match that is not sure is made only if it is the best for both sides.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []string
		want  []string
	}{
		{"nothing agrees", []string{"bob offers offer", "ann asks none"}, nil},
		{"a sure one", []string{"bob offers offer", "ann asks sure"}, []string{"ann+bob"}},
		{"a weak one alone", []string{"bob offers offer", "ann asks weak"}, []string{"ann+bob"}},
		{"a weak one, the offer last", []string{"ann asks weak", "bob offers offer"}, []string{"ann+bob"}},
		{"all sure ones", []string{"ann asks sure", "cid asks sure", "bob offers offer"}, []string{"ann+bob", "bob+cid"}},
		{"the best of two weak ones", []string{"ann asks weak", "cid asks better", "bob offers offer"}, []string{"bob+cid"}},
		{"a weak one beside a sure one", []string{"ann asks weak", "cid asks sure", "bob offers offer"}, []string{"bob+cid"}},
		{"a weak one when the other has a sure one", []string{"cid asks sure", "bob offers offer", "ann asks weak"}, []string{"bob+cid"}},
		{"a weak one when the other has a better one", []string{"cid asks better", "bob offers offer", "ann asks weak"}, []string{"bob+cid"}},
		{"a better one when the other has a weak one", []string{"ann asks weak", "bob offers offer", "cid asks better"},
			[]string{"ann+bob", "bob+cid"}},
		{"a weak one that is as good", []string{"bob offers offer", "ann asks weak", "cid asks weak"}, []string{"ann+bob", "bob+cid"}},
		{"a sure one when the other has a sure one", []string{"cid asks sure", "bob offers offer", "ann asks sure"},
			[]string{"ann+bob", "bob+cid"}},
		{"a weak one after the better was declined", []string{"cid asks better", "bob offers offer", "bob declines", "ann asks weak"},
			[]string{"ann+bob", "bob+cid"}},
		{"a weak one after the better declined", []string{"cid asks better", "bob offers offer", "cid declines", "ann asks weak"},
			[]string{"ann+bob", "bob+cid"}},
		{"a weak one after the better withdrew", []string{"cid asks better", "bob offers offer", "cid withdraws", "ann asks weak"},
			[]string{"bob+cid"}},
		{"a weak one after the better expired", []string{"cid asks better for hour", "bob offers offer", "an hour passes", "ann asks weak"},
			[]string{"bob+cid"}},
		{"a weak one after the better withdrew and was answered", []string{"cid asks better", "bob offers offer", "cid withdraws", "bob declines",
			"ann asks weak"}, []string{"ann+bob", "bob+cid"}},
		{"a weak one after a connection that ended the offer", []string{"cid asks better", "bob offers offer", "cid approves", "bob approves",
			"ann asks weak"}, []string{"bob+cid"}},
		{"a weak one, the better being blocked", []string{"cid asks better", "ann asks weak", "bob joins", "cid blocks bob", "bob offers offer"},
			[]string{"ann+bob"}},
		{"a weak one after a connection that left the offer open", []string{"cid asks better", "bob offers offer kept", "cid approves",
			"bob approves", "ann asks weak"}, []string{"ann+bob", "bob+cid"}},
		{"a weak one, the first having a better one", []string{"bob offers offer", "ann joins", "bob blocks ann", "dan offers offer",
			"ann asks better", "cid asks weak"}, []string{"ann+dan", "bob+cid"}},
		{"a weak one matched before", []string{"bob offers offer", "dan offers offer", "ann asks weak", "ann pauses", "ann resumes",
			"ann pauses", "ann resumes"}, []string{"ann+bob", "ann+dan"}},
		{"a worse one matched before", []string{"cid asks better", "bob offers offer", "ann asks weak", "bob pauses", "bob resumes"},
			[]string{"bob+cid"}},
		{"what was withdrawn", []string{"ann asks sure", "ann withdraws", "bob offers offer"}, nil},
		{"what expired", []string{"ann asks sure for hour", "an hour passes", "bob offers offer"}, nil},
		{"what was declined", []string{"ann asks sure", "bob offers offer", "bob declines", "dan offers offer"}, []string{"ann+bob", "ann+dan"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := newTown(t, c.steps).pairs(); !slices.Equal(got, c.want) {
				t.Errorf("matched: %v, want %v", got, c.want)
			}
		})
	}
}

// seen is what a person sees of their matches, without ids and times.
func (w *town) seen(who string) string {
	var out strings.Builder
	for _, m := range w.matches(w.people[who]) {
		fmt.Fprintf(&out, "%s %s %s %.2f %s %v\n", m.Status, m.MatchType, m.OtherTerms, m.Score, m.OtherKind, m.ConversationID != nil)
	}
	return out.String()
}

// What one side of a match does shows neither in the match of the other side, nor
// in which others that side is matched with meanwhile.
func TestPolicyTellsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		others []string // steps of the world that differs; "" stands for none
		then   []string
	}{
		{"withdrawn", []string{"cid withdraws"}, []string{"ann asks weak"}},
		{"withdrawn, and a sure one follows", []string{"cid withdraws"}, []string{"ann asks sure"}},
		{"approved", []string{"cid approves"}, []string{"ann asks weak"}},
		{"approved and withdrawn", []string{"cid approves", "cid withdraws"}, []string{"ann asks weak", "dan asks sure"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := []string{"cid asks better", "bob offers offer"}
			still := newTown(t, slices.Concat(before, c.then))
			other := newTown(t, slices.Concat(before, c.others, c.then))
			if a, b := still.seen("bob"), other.seen("bob"); a != b || a == "" {
				t.Errorf("bob sees\n%sand\n%s", a, b)
			}
		})
	}
	t.Run("expired", func(t *testing.T) {
		then := []string{"an hour passes", "ann asks weak"}
		still := newTown(t, slices.Concat([]string{"cid asks better", "bob offers offer"}, then))
		other := newTown(t, slices.Concat([]string{"cid asks better for hour", "bob offers offer"}, then))
		if a, b := still.seen("bob"), other.seen("bob"); a != b || a == "" {
			t.Errorf("bob sees\n%sand\n%s", a, b)
		}
	})
}

// A better match that is declined after the candidates were read and before the match is
// written keeps nobody from being matched.
func TestBetterMatchDeclinedMeanwhile(t *testing.T) {
	w := newTown(t, []string{"cid asks better", "bob offers offer"})
	w.people["ann"] = w.person("ann")
	better := w.matches(w.people["bob"])[0].ID
	asked := make(chan struct{})
	err := w.db.Write(w.ctx, func(tx *store.Tx) error {
		go func() {
			defer close(asked)
			w.do("ann asks weak")
		}()
		for deadline := time.Now().Add(20 * time.Second); w.db.Queued() == 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		return tx.CloseMatch(better)
	})
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	if got := w.pairs(); !slices.Equal(got, []string{"ann+bob", "bob+cid"}) {
		t.Errorf("matched: %v", got)
	}
}
