package op

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestIdempotencyKeyIsPrintable(t *testing.T) {
	for key, ok := range map[string]bool{
		"": false, "a": true, strings.Repeat("a", 255): true, strings.Repeat("a", 256): false,
		"\x1f": false, " ": true, "~": true, "\x7f": false, "a\nb": false, "é": false,
	} {
		ctx, r, err := WithIdempotencyKey(t.Context(), "http", key)
		if (err == nil) != ok || (r != nil) != ok || (ctx.Value(repeatKey{}) != nil) != ok {
			t.Errorf("%q: %v, %v", key, r, err)
		}
	}
}

// noter is an operation that writes, or fails as it is told.
type noter struct {
	db   *storetest.DB
	runs int
	fail error
}

type noteIn struct {
	Text core.Opt[string] `json:"text,omitzero"`
	Late bool             `json:"late"` // it fails after its write
	Idle bool             `json:"idle"` // it writes nothing
}

func (n *noter) note(ctx context.Context, _ store.Viewer, in noteIn) (string, error) {
	n.runs++
	if n.fail != nil && !in.Late {
		return "", n.fail
	}
	if in.Idle {
		return "noted", nil
	}
	err := n.db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("note", in.Text.V) })
	if err == nil {
		err = n.fail
	}
	return "noted", err
}

// send calls the operation with a key, and finishes with a status and a body, when the
// client has gone away already.
func (n *noter) send(t *testing.T, f *Func[noteIn, string], by store.Viewer, transport string, in noteIn, status int, body string) error {
	t.Helper()
	ctx, r, err := WithIdempotencyKey(t.Context(), transport, "key")
	if err != nil {
		t.Fatal(err)
	}
	_, callErr := f.Call(ctx, by, in)
	if status != 0 && code(callErr) != "request_running" {
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := r.Finish(gone, status, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	return callErr
}

func newNoter(t *testing.T) (*noter, *Func[noteIn, string]) {
	n := &noter{db: storetest.Open(t)}
	limits := NewLimits(n.db.Clock.Now, true)
	limits.Answers = n.db.DB
	return n, New(limits, n.note, Spec{Summary: "Note", Guard: Public})
}

// What is sent again is a repetition if it is from the same caller, with the same
// input, over the same transport.
func TestWhatIsARepetition(t *testing.T) {
	agent := func(key string, read bool) store.Viewer {
		return store.Viewer{Kind: store.Agent, UserID: "u", KeyID: key, CanRead: read, CanWrite: true}
	}
	in := noteIn{Text: core.Some("a")}
	for name, tc := range map[string]struct {
		first, again store.Viewer
		in           noteIn
		transport    string
		want         string // replayed, runs or a code
	}{
		"the same":                   {human("u"), human("u"), in, "http", "replayed"},
		"another account":            {human("u"), human("v"), in, "http", "runs"},
		"another transport":          {human("u"), human("u"), in, "mcp", "runs"},
		"another input":              {human("u"), human("u"), noteIn{Text: core.Some("b")}, "http", "idempotency_key_reused"},
		"null instead of a value":    {human("u"), human("u"), noteIn{Text: core.Opt[string]{Set: true, Null: true}}, "http", "idempotency_key_reused"},
		"nothing instead of a value": {human("u"), human("u"), noteIn{}, "http", "idempotency_key_reused"},
		"a key of the account":       {human("u"), agent("k", true), in, "http", "runs"},
		"another key":                {agent("k", true), agent("l", true), in, "http", "runs"},
		"a key":                      {agent("k", true), agent("k", true), in, "http", "replayed"},
		"a key that lost read":       {agent("k", true), agent("k", false), in, "http", "runs"},
		"a key without read":         {agent("k", false), agent("k", false), in, "http", "replayed"},
		"an address":                 {store.Viewer{IP: "192.0.2.1"}, store.Viewer{IP: "192.0.2.1"}, in, "http", "replayed"},
		"another address":            {store.Viewer{IP: "192.0.2.1"}, store.Viewer{IP: "192.0.2.2"}, in, "http", "runs"},
		"an account at other places": {store.Viewer{Kind: store.Human, UserID: "u", IP: "192.0.2.1"}, human("u"), in, "http", "replayed"},
		"an id that is an address":   {human("192.0.2.1"), store.Viewer{IP: "192.0.2.1"}, in, "http", "runs"},
	} {
		t.Run(name, func(t *testing.T) {
			n, f := newNoter(t)
			if err := n.send(t, f, tc.first, "http", in, 200, "the answer"); err != nil {
				t.Fatal(err)
			}
			err := n.send(t, f, tc.again, tc.transport, tc.in, 0, "")
			var r *Replayed
			got := code(err)
			switch {
			case errors.As(err, &r) && r.Status == 200 && string(r.Body) == "the answer":
				got = "replayed"
			case err == nil:
				got = "runs"
			}
			if got != tc.want || (n.runs == 2) != (tc.want == "runs") {
				t.Errorf("%q after %d runs, want %q", got, n.runs, tc.want)
			}
		})
	}
}

// An answer is kept unless the request changed nothing or the server failed, up to a
// size. Without one, what has written is not carried out again.
func TestWhichAnswersAreKept(t *testing.T) {
	refused := core.New(core.Conflict, "refused", "Refused.")
	long := strings.Repeat("a", maxAnswer)
	for name, tc := range map[string]struct {
		fail   error
		in     noteIn
		status int
		body   string
		want   string
	}{
		"done":                        {nil, noteIn{}, 200, "", "replayed"},
		"done, nothing written":       {nil, noteIn{Idle: true}, 200, "", "replayed"},
		"redirected":                  {nil, noteIn{}, 399, "", "replayed"},
		"refused, nothing written":    {refused, noteIn{}, 409, "", "refused"},
		"refused with the least code": {refused, noteIn{}, 400, "", "refused"},
		"refused, but written":        {refused, noteIn{Late: true}, 409, "", "replayed"},
		"failed, but written":         {refused, noteIn{Late: true}, 500, "", "request_running"},
		"failed, with a lesser code":  {refused, noteIn{Late: true}, 499, "", "replayed"},
		"never answered":              {nil, noteIn{}, 0, "", "request_running"},
		"as long as is kept":          {nil, noteIn{}, 200, long, "replayed"},
		"longer":                      {nil, noteIn{}, 200, long + "a", "request_running"},
	} {
		t.Run(name, func(t *testing.T) {
			n, f := newNoter(t)
			n.fail = tc.fail
			n.send(t, f, human("u"), "http", tc.in, tc.status, tc.body)
			err := n.send(t, f, human("u"), "http", tc.in, 0, "")
			var r *Replayed
			got := code(err)
			if errors.As(err, &r) && r.Status == tc.status && string(r.Body) == tc.body {
				got = "replayed"
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// Answers that are kept count as text, and none is once that is used up.
func TestAnswersCountAsText(t *testing.T) {
	n, f := newNoter(t)
	body := strings.Repeat("a", maxAnswer)
	send := func(by store.Viewer, key string) string {
		ctx, r, err := WithIdempotencyKey(t.Context(), "http", key)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Call(ctx, by, noteIn{Idle: strings.HasSuffix(key, "0")})
		if err == nil {
			if err := r.Finish(t.Context(), 200, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		var before *Replayed
		if errors.As(err, &before) {
			return "replayed"
		}
		return code(err)
	}
	for name, by := range map[string]store.Viewer{"an account": human("u"), "an address": {IP: "192.0.2.1"}} {
		kept := 0
		for i := range TextBurst / maxAnswer {
			n.db.Clock.Advance(time.Second) // for the rate of the operation
			key := fmt.Sprint(i)
			send(by, key)
			switch got := send(by, key); got {
			case "replayed":
				kept++
			case "request_running", "": // what wrote nothing is carried out again
			default:
				t.Fatalf("%s, request %d: %s", name, i, got)
			}
		}
		burst := TextBurst
		if !by.SignedIn() {
			burst = AddressTextBurst
		}
		if most := burst / maxAnswer; kept >= most || kept < most/2 {
			t.Errorf("%s: %d answers are kept, want at most %d", name, kept, most)
		}
	}
}

// Without storage left, no answer is kept that takes more than a little, nor that of a
// request which wrote nothing and can be carried out again. What has written is not.
func TestAnswersOfAFullServer(t *testing.T) {
	long := strings.Repeat("a", maxFullAnswer)
	for name, tc := range map[string]struct {
		full bool
		in   noteIn
		body string
		want string
	}{
		"written, short":             {true, noteIn{}, "the answer", "replayed"},
		"written, long":              {true, noteIn{}, long, "request_running"},
		"nothing written":            {true, noteIn{Idle: true}, "the answer", "runs"},
		"written, long, with room":   {false, noteIn{}, long, "replayed"},
		"nothing written, with room": {false, noteIn{Idle: true}, "the answer", "replayed"},
	} {
		t.Run(name, func(t *testing.T) {
			n, f := newNoter(t)
			f.limits.Space = func(context.Context) error {
				if tc.full {
					return core.New(core.StorageFull, "storage_full", "Full.")
				}
				return nil
			}
			if err := n.send(t, f, human("u"), "http", tc.in, 200, tc.body); err != nil {
				t.Fatal(err)
			}
			err := n.send(t, f, human("u"), "http", tc.in, 0, "")
			var r *Replayed
			got := code(err)
			switch {
			case errors.As(err, &r) && string(r.Body) == tc.body:
				got = "replayed"
			case err == nil:
				got = "runs"
			}
			if got != tc.want || (n.runs == 2) != (tc.want == "runs") {
				t.Errorf("%q after %d runs, want %q", got, n.runs, tc.want)
			}
		})
	}
}

// An answer is kept for exactly a day.
func TestAnswersAreKeptForADay(t *testing.T) {
	n, f := newNoter(t)
	n.db.Clock.Advance(time.Second)
	n.send(t, f, human("u"), "http", noteIn{}, 200, "")
	n.db.Clock.Advance(24*time.Hour - time.Microsecond)
	var r *Replayed
	if err := n.send(t, f, human("u"), "http", noteIn{}, 0, ""); !errors.As(err, &r) {
		t.Errorf("before a day is over: %v", err)
	}
	n.db.Clock.Advance(time.Microsecond)
	if err := n.send(t, f, human("u"), "http", noteIn{}, 0, ""); err != nil || n.runs != 2 {
		t.Errorf("exactly a day later: %v, %d runs", err, n.runs)
	}
}

// An answer that cannot be decoded is not known: the request is refused, not answered
// with less.
func TestAnswersThatCannotBeDecoded(t *testing.T) {
	n, f := newNoter(t)
	ctx, r, err := WithIdempotencyKey(t.Context(), "http", "key")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Call(ctx, human("u"), noteIn{}); err != nil {
		t.Fatal(err)
	}
	sealed := core.Seal(r.secret, r.once.Hash, []byte("of another version"))
	if err := n.db.Write(t.Context(), func(tx *store.Tx) error { return tx.PutAnswer(r.once, sealed) }); err != nil {
		t.Fatal(err)
	}
	if err := n.send(t, f, human("u"), "http", noteIn{}, 0, ""); code(err) != "request_running" || n.runs != 1 {
		t.Errorf("%v, %d runs", err, n.runs)
	}
}

// An idempotency key is for the operation that the request calls, not for those that
// it calls in turn.
func TestIdempotencyKeyIsForTheFirstOperation(t *testing.T) {
	n, note := newNoter(t)
	limits := note.limits
	outer := New(limits, func(ctx context.Context, by store.Viewer, in noteIn) (string, error) {
		for range 2 {
			if _, err := note.Call(ctx, by, in); err != nil {
				return "", err
			}
		}
		return "noted twice", nil
	}, Spec{Summary: "Note twice", Guard: Public})
	if err := n.send(t, outer, human("u"), "http", noteIn{}, 200, "the answer"); err != nil || n.runs != 2 {
		t.Fatalf("%v, %d runs", err, n.runs)
	}
	var r *Replayed
	if err := n.send(t, outer, human("u"), "http", noteIn{}, 0, ""); !errors.As(err, &r) || string(r.Body) != "the answer" || n.runs != 2 {
		t.Errorf("again: %v, %d runs", err, n.runs)
	}
	if err := n.send(t, note, human("u"), "http", noteIn{}, 0, ""); err != nil || n.runs != 3 {
		t.Errorf("the other operation with the same key: %v, %d runs", err, n.runs)
	}
}

// Where no answers are kept, an operation is carried out each time.
func TestIdempotencyKeyWithoutAnswers(t *testing.T) {
	for name, limits := range map[string]*Limits{"no limits": nil, "no answers": NewLimits(time.Now, true)} {
		n := &noter{db: storetest.OpenEmpty(t)}
		f := New(limits, n.note, Spec{Summary: "Note", Guard: Public})
		for i := range 2 {
			if err := n.send(t, f, human("u"), "http", noteIn{}, 200, "the answer"); err != nil || n.runs != i+1 {
				t.Errorf("%s, call %d: %v, %d runs", name, i, err, n.runs)
			}
		}
	}
}

// A request that fails because the same one was carried out while it ran is a
// repetition of it.
func TestRequestThatIsOvertaken(t *testing.T) {
	for name, tc := range map[string]struct {
		status int // of the answer of the first one; 0 while it is not known
		want   string
	}{"answered": {200, "replayed"}, "not answered yet": {0, "request_running"}} {
		t.Run(name, func(t *testing.T) {
			n, note := newNoter(t)
			overtaken := false
			var f *Func[noteIn, string]
			f = New(note.limits, func(ctx context.Context, by store.Viewer, in noteIn) (string, error) {
				if overtaken {
					return n.note(ctx, by, in)
				}
				overtaken = true
				if err := n.send(t, f, by, "http", in, tc.status, "the answer"); err != nil || Repeated(err) {
					t.Errorf("the first one: %v", err)
				}
				return "", core.ErrNotFound // it is gone
			}, Spec{Summary: "Note", Guard: Public})
			err := n.send(t, f, human("u"), "http", noteIn{}, 0, "")
			var r *Replayed
			got := code(err)
			if errors.As(err, &r) && string(r.Body) == "the answer" {
				got = "replayed"
			}
			if got != tc.want || !Repeated(err) || n.runs != 1 {
				t.Errorf("%q after %d runs, want %q", got, n.runs, tc.want)
			}
		})
	}
	if Repeated(core.ErrNotFound) {
		t.Error("another error counts as a repetition")
	}
}

// note is what somebody wrote, with the words of another.
type note struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Quote string `json:"quote"`
	Count int    `json:"count"`
}

type quoteIn struct {
	Text string `json:"text"`
}

// Of an answer all is kept if it has nothing of others, what it is about if that can be
// shown again, and otherwise what a receipt has.
func TestWhatIsKeptOfAnAnswer(t *testing.T) {
	db := storetest.Open(t)
	quote := "the words of another"
	notes := func(ctx context.Context, _ store.Viewer, in quoteIn) (note, error) {
		err := db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("note", in.Text) })
		return note{"n1", in.Text, quote, 7}, err
	}
	limits := NewLimits(db.Clock.Now, true)
	limits.Answers = db.DB
	f := func(own bool) *Func[quoteIn, note] {
		return New(limits, notes, Spec{Summary: "Quote", Guard: Member, Own: own})
	}
	shown := func(_ context.Context, by store.Viewer, id string) (note, error) {
		if quote == "" {
			return note{}, core.ErrNotFound
		}
		return note{id, "as it is", quote, 8}, nil
	}
	for name, tc := range map[string]struct {
		f           *Func[quoteIn, note]
		by          store.Viewer
		again, gone string
	}{
		"all":                    {f(true), human("u"), `{"id":"n1","text":"mine","quote":"the words of another","count":7}`, `{"id":"n1","text":"mine","quote":"the words of another","count":7}`},
		"a receipt":              {f(false), human("v"), `{"id":"n1","text":"mine","quote":"","count":0}`, `{"id":"n1","text":"mine","quote":"","count":0}`},
		"what is shown":          {f(false).WithShown(shown), human("w"), `{"id":"n1","text":"as it is","quote":"other words","count":8}`, "not_found"},
		"shown to who may write": {f(false).WithShown(shown), store.Viewer{Kind: store.Agent, UserID: "x", CanWrite: true}, `{"id":"n1","text":"","quote":"","count":0}`, "not_found"},
	} {
		quote = "the words of another"
		send := func() string {
			ctx, r, err := WithIdempotencyKey(t.Context(), "http", "key")
			if err != nil {
				t.Fatal(err)
			}
			out, err := tc.f.Invoke(ctx, tc.by, func(in any) error {
				in.(*quoteIn).Text = "mine"
				return nil
			})
			var before *Replayed
			switch {
			case errors.As(err, &before) && before.Shown == nil:
				return string(before.Body)
			case errors.As(err, &before):
				out = before.Shown
			case err != nil:
				return code(err)
			default:
				kept, _ := r.Kept(out)
				body, err := json.Marshal(kept)
				if err == nil {
					err = r.Finish(t.Context(), 200, body)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			body, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		send()
		quote = "other words"
		if got := send(); got != tc.again {
			t.Errorf("%s, repeated: %s, want %s", name, got, tc.again)
		}
		quote = ""
		if got := send(); got != tc.gone {
			t.Errorf("%s, once it is gone: %s, want %s", name, got, tc.gone)
		}
	}
}

// An error is kept without the object that it is about.
func TestErrorsAreKeptWithoutTheObject(t *testing.T) {
	e := core.New(core.Conflict, "changed", "It has changed.")
	e.Current = []byte(`{"text":"the words of another"}`)
	if kept := (&Repeat{}).KeptError(e); kept.Current != nil || kept.Code != "changed" || e.Current == nil {
		t.Errorf("%+v is kept of %+v", kept, e)
	}
}
