package op

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

type greetIn struct {
	Name  string `json:"name" required:"true" max:"5" line:"true"`
	Times int    `json:"times" default:"1" min:"1"`
}

// greeter counts how often its method runs.
type greeter struct{ runs int }

func (g *greeter) greet(_ context.Context, _ store.Viewer, in greetIn) (string, error) {
	g.runs++
	return strings.Repeat("Hello "+in.Name+"!", in.Times), nil
}

func human(id string) store.Viewer { return store.Viewer{Kind: store.Human, UserID: id} }

func code(err error) string {
	if err == nil {
		return ""
	}
	return core.As(err).Code
}

func TestCallChecksTheGuardThenTheInput(t *testing.T) {
	g := &greeter{}
	greet := New(nil, g.greet, Spec{Summary: "Greet", Guard: Member})
	for _, tc := range []struct {
		by   store.Viewer
		in   greetIn
		want string
	}{
		{store.Viewer{}, greetIn{}, "unauthenticated"},
		{store.Viewer{Kind: store.Agent, UserID: "u", CanRead: true}, greetIn{}, "missing_scope"},
		{human("u"), greetIn{}, "invalid_input"},
		{human("u"), greetIn{Name: "too long"}, "invalid_input"},
	} {
		if _, err := greet.Call(t.Context(), tc.by, tc.in); code(err) != tc.want || g.runs != 0 {
			t.Errorf("%+v: %v, %d runs", tc.in, err, g.runs)
		}
	}
	out, err := greet.Call(t.Context(), human("u"), greetIn{Name: " Ada\n"})
	if err != nil || out != "Hello Ada!" || g.runs != 1 {
		t.Errorf("%q, %v, %d runs", out, err, g.runs)
	}
	if info := greet.Op.Info(); info.Name != "Greet" || info.Summary != "Greet" || len(info.Plan.Fields) != 2 {
		t.Errorf("%+v", info)
	}
}

// An operation that this server does not have is called by nobody, and whoever may not
// call it is told just that.
func TestAbsent(t *testing.T) {
	g := &greeter{}
	for _, tc := range []struct {
		by    store.Viewer
		hints Hints
		want  string
	}{
		{human("u"), 0, ""},
		{human("u"), Absent, "not_found"},
		{store.Viewer{}, Absent, "unauthenticated"},
		{store.Viewer{}, 0, "unauthenticated"},
	} {
		greet := New(nil, g.greet, Spec{Summary: "Greet", Guard: Member, Hints: tc.hints})
		if _, err := greet.Call(t.Context(), tc.by, greetIn{Name: "Ada"}); code(err) != tc.want {
			t.Errorf("%v, %v: %v, want %q", tc.by.Kind, tc.hints, err, tc.want)
		}
	}
	if g.runs != 1 {
		t.Errorf("%d runs", g.runs)
	}
}

// A caller who may not call learns nothing about the input: it is not even
// decoded.
func TestInvokeChecksTheGuardBeforeTheInputIsRead(t *testing.T) {
	g := &greeter{}
	greet := New(nil, g.greet, Spec{Summary: "Greet", Guard: HumanOnly}).Op
	read := 0
	fill := func(in any) error {
		read++
		in.(*greetIn).Name = "Ada"
		return nil
	}
	if _, err := greet.Invoke(t.Context(), store.Viewer{Kind: store.Agent, UserID: "u"}, nil, fill); code(err) != "human_only" || read != 0 {
		t.Errorf("%v, read %d times", err, read)
	}
	out, err := greet.Invoke(t.Context(), human("u"), nil, fill)
	if s, ok := out.(*string); err != nil || !ok || *s != "Hello Ada!" {
		t.Errorf("%v, %v", out, err)
	}
	broken := errors.New("cut off")
	if _, err := greet.Invoke(t.Context(), human("u"), nil, func(any) error { return broken }); err != broken || g.runs != 1 {
		t.Errorf("%v, %d runs", err, g.runs)
	}
}

func TestLimits(t *testing.T) {
	now := time.Unix(1e9, 0)
	limits := NewLimits(func() time.Time { return now }, false)
	g := &greeter{}
	greet := New(limits, g.greet, Spec{Summary: "Greet", Guard: Public, Limits: []limit.Rate{limit.LinkPreviews}})
	other := New(limits, g.greet, Spec{Summary: "Greet", Guard: Public, Limits: []limit.Rate{limit.LinkPreviews}})
	use := func(ip, name, want string) {
		t.Helper()
		if _, err := greet.Call(t.Context(), store.Viewer{IP: ip}, greetIn{Name: name}); code(err) != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for range 29 {
		use("1", "Ada", "")
	}
	use("1", "", "invalid_input") // is not counted
	if _, err := other.Call(t.Context(), store.Viewer{IP: "1"}, greetIn{Name: "Ada"}); err != nil {
		t.Error(err) // of the same bucket
	}
	use("1", "Ada", "too_many_previews")
	use("2", "Ada", "")
	now = now.Add(2 * time.Second)
	use("1", "Ada", "")
	_, err := greet.Call(t.Context(), store.Viewer{IP: "1"}, greetIn{Name: "Ada"})
	if e := core.As(err); e.Kind != core.TooMany || e.RetryAfter < time.Second || e.RetryAfter > time.Minute {
		t.Errorf("%+v", e)
	}
}

// Writes and reads of an account have general limits, which can be lifted.
func TestGeneralLimit(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, general := range []bool{true, false} {
		limits := NewLimits(func() time.Time { return now }, general)
		g := &greeter{}
		write := New(limits, g.greet, Spec{Summary: "Write", Guard: Member})
		read := New(limits, g.greet, Spec{Summary: "Read", Guard: Member, Hints: ReadOnly})
		refused := 0
		for n := range limit.Writes.Rule().N + 5 {
			if _, err := write.Call(t.Context(), human("u"), greetIn{Name: "x"}); core.IsKind(err, core.TooMany) {
				refused++
			}
			if _, err := read.Call(t.Context(), human("u"), greetIn{Name: "x"}); core.IsKind(err, core.TooMany) != (general &&
				n >= limit.Reads.Rule().N) {
				t.Fatal(err)
			}
		}
		if general && refused != 5 || !general && refused != 0 {
			t.Errorf("general %v: %d writes were refused", general, refused)
		}
		if _, err := write.Call(t.Context(), human("v"), greetIn{Name: "x"}); err != nil {
			t.Errorf("another account: %v", err)
		}
	}
}

func TestWithGuard(t *testing.T) {
	g := &greeter{}
	greet := New(nil, g.greet, Spec{Summary: "Greet", Guard: HumanOnly})
	open := greet.Op.WithGuard(Public)
	fill := func(in any) error {
		in.(*greetIn).Name = "x"
		return nil
	}
	if _, err := open.Invoke(t.Context(), store.Viewer{}, nil, fill); err != nil {
		t.Error(err)
	}
	if _, err := greet.Op.Invoke(t.Context(), store.Viewer{}, nil, fill); err == nil {
		t.Error("the first one changed, too")
	}
}

func TestNewPanicsForIncompleteSpecs(t *testing.T) {
	g := &greeter{}
	type bad struct {
		Name string `json:"name" required:"yes"`
	}
	for name, f := range map[string]func(){
		"no summary": func() { New(nil, g.greet, Spec{Guard: Public}) },
		"no guard":   func() { New(nil, g.greet, Spec{Summary: "x"}) },
		"bad guard":  func() { New(nil, g.greet, Spec{Summary: "x", Guard: Bridge + 1}) },
		"bad tags": func() {
			New(nil, func(context.Context, store.Viewer, bad) (string, error) { return "", nil }, Spec{Summary: "x", Guard: Public})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", name)
				}
			}()
			f()
		}()
	}
}
