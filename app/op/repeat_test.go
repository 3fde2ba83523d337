package op

import (
	"context"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// quoter is an operation that answers with the words of another, or fails.
type quoter struct {
	runs int
	fail error
}

func (q *quoter) quote(_ context.Context, _ store.Viewer, in noteIn) (noteOut, error) {
	q.runs++
	words := "of another"
	return noteOut{ID: "1", Text: in.Text.V, Quote: &words}, q.fail
}

// A request that was carried out is answered as before, without the words of others. It
// is another one with another caller, key or transport. What was refused is carried out
// again, and what may have been carried out is not.
func TestRepeat(t *testing.T) {
	agent := func(key string, read bool) store.Viewer {
		return store.Viewer{Kind: store.Agent, UserID: "u", KeyID: key, CanRead: read, CanWrite: true}
	}
	type send struct {
		by             store.Viewer
		transport, key string
		text           string
	}
	first := send{human("u"), "api", "k", "a"}
	for name, tc := range map[string]struct {
		again  send
		fail   error
		lost   bool // the first answer is not stored
		want   string
		before send
	}{
		"the same":                {again: first, want: "replayed"},
		"another account":         {again: send{human("v"), "api", "k", "a"}, want: "runs"},
		"another transport":       {again: send{human("u"), "page", "k", "a"}, want: "runs"},
		"another key":             {again: send{human("u"), "api", "l", "a"}, want: "runs"},
		"another input":           {again: send{human("u"), "api", "k", "b"}, want: "idempotency_key_reused"},
		"an agent of the account": {again: send{agent("k", true), "api", "k", "a"}, want: "runs"},
		"an address": {before: send{store.Viewer{IP: "192.0.2.1"}, "api", "k", "a"},
			again: send{store.Viewer{IP: "192.0.2.1"}, "api", "k", "a"}, want: "replayed"},
		"another address": {before: send{store.Viewer{IP: "192.0.2.1"}, "api", "k", "a"},
			again: send{store.Viewer{IP: "192.0.2.2"}, "api", "k", "a"}, want: "runs"},
		"an agent that lost read": {before: send{agent("k", true), "api", "k", "a"}, again: send{agent("k", false), "api", "k", "a"},
			want: "runs"},
		"refused":                     {again: first, fail: core.New(core.Conflict, "refused", "Refused."), want: "runs"},
		"failed":                      {again: first, fail: errors.New("broken"), want: "request_running"},
		"carried out, never answered": {again: first, lost: true, want: "request_running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t)
			q := &quoter{fail: tc.fail}
			limits := NewLimits(db.Clock.Now, true)
			limits.Answers = db.DB
			f := New(limits, q.quote, Spec{Summary: "Quote", Guard: Public})
			call := func(s send, finish bool) error {
				r, err := NewRepeat(s.transport, s.key)
				if err != nil {
					t.Fatal(err)
				}
				gone, leave := context.WithCancel(t.Context())
				out, err := f.Invoke(gone, s.by, r, func(in any) error {
					in.(*noteIn).Text = core.Some(s.text)
					return nil
				})
				if leave(); err == nil && finish {
					body, _ := json.Marshal(r.Kept(out))
					if err := r.Finish(gone, 201, body); err != nil {
						t.Error(err)
					}
				}
				return err
			}
			if tc.before.key == "" {
				tc.before = first
			}
			if err := call(tc.before, !tc.lost); !errors.Is(err, tc.fail) {
				t.Fatal(err)
			}
			q.fail = nil
			err := call(tc.again, false)
			var before *Replayed
			got := code(err)
			switch {
			case errors.As(err, &before):
				got = "replayed"
				if string(before.Body) != `{"id":"1","text":"a","quote":null,"status":"offline","list":[]}` || before.Status != 201 {
					t.Errorf("%d %s", before.Status, before.Body)
				}
			case err == nil && q.runs == 2:
				got = "runs"
			}
			if got != tc.want {
				t.Errorf("%s after %d runs, want %s", got, q.runs, tc.want)
			}
		})
	}
}
