package op

import (
	"context"
	"reflect"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// A value counts as sent if it is what the caller sent, whole: a list that is longer,
// shorter or has other elements does not, nor does a value of another kind.
func TestIsSent(t *testing.T) {
	text, other := "a", "b"
	for name, tc := range map[string]struct {
		v, sent any
		want    bool
	}{
		"the same text":         {"a", "a", true},
		"another text":          {"a", "b", false},
		"the same number":       {1, int64(1), true},
		"another number":        {1, 2, false},
		"a text for a number":   {"1", 1, false},
		"yes for yes":           {true, true, true},
		"yes for no":            {true, false, false},
		"the same object":       {receiptPart{"a"}, receiptPart{"a"}, false},
		"the same list":         {[]string{"a", "b"}, []string{"a", "b"}, true},
		"a longer list":         {[]string{"a", "b"}, []string{"a"}, false},
		"a shorter list":        {[]string{"a"}, []string{"a", "b"}, false},
		"a list with another":   {[]string{"a", "b"}, []string{"a", "c"}, false},
		"a list of other kinds": {[]string{"1"}, []int{1}, false},
		"a list for a number":   {[]string{"a"}, 1, false},
		"nothing was sent":      {"a", nil, false},
		"a text behind another": {&text, "a", true},
		"another behind one":    {&other, "a", false},
		"no text behind one":    {(*string)(nil), "a", false},
		"nothing for nothing":   {(*string)(nil), core.Opt[string]{}, false},
		"an optional text":      {"a", core.Opt[string]{Set: true, V: "a"}, true},
		"another optional text": {"a", core.Opt[string]{Set: true, V: "b"}, false},
		"an optional null":      {"", core.Opt[string]{Set: true, Null: true}, false},
		"an optional left out":  {"", core.Opt[string]{}, false},
	} {
		if got := isSent(reflect.ValueOf(tc.v), reflect.ValueOf(tc.sent)); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// receiptOut has members of every kind.
type receiptOut struct {
	ID    string         `json:"id"`
	Title string         `json:"title"`
	At    store.Time     `json:"at"`
	Hid   store.Time     `json:"-"`
	Part  *receiptPart   `json:"part,omitzero"`
	Parts []receiptPart  `json:"parts"`
	Also  *receiptInside `json:"also,omitzero"`

	Own          receiptPart `json:"own"` // not where the caller sent it
	ReceiptNamed `json:"named"`
}

// ReceiptNamed is embedded, and a member nevertheless.
type ReceiptNamed struct {
	Text string `json:"text"`
}

type receiptPart struct {
	Text string `json:"text"`
}

type receiptInside struct {
	List []receiptPart `json:"list"`
}

// Bodies makes it an Alternative: a caller is told what was made, or what is there.
func (o *receiptOut) Created() bool { return false }
func (o *receiptOut) Bodies() (made, otherwise any) {
	return o, &receiptPart{Text: "of somebody else"}
}

func (o *receiptOut) make(context.Context, store.Viewer, receiptPart) (receiptOut, error) {
	return *o, nil
}

func (o *receiptOut) fail(context.Context, store.Viewer, receiptPart) (receiptOut, error) {
	e := core.New(core.Conflict, "changed", "It has changed.")
	e.Current = []byte(`{"title":"secret"}`)
	return *o, e
}

// Who may not read gets ids, times and what they sent, whichever body the result
// has, and an error without the object that it is about. Everybody else gets all.
func TestReceipts(t *testing.T) {
	full := &receiptOut{ID: "1", Title: "secret", At: 7, Hid: 8, Part: &receiptPart{"secret"}, Parts: []receiptPart{{"secret"}}, Also: &receiptInside{List: []receiptPart{{"secret"}}},
		Own: receiptPart{"sent"}, ReceiptNamed: ReceiptNamed{"sent"}}
	fill := func(in any) error { in.(*receiptPart).Text = "sent"; return nil }
	writes := store.Viewer{Kind: store.Agent, UserID: "u", CanWrite: true}
	reads := writes
	reads.CanRead = true

	made := New(nil, full.make, Spec{Summary: "Make", Guard: Member})
	short, err := made.Call(t.Context(), writes, receiptPart{"sent"})
	if want := (receiptOut{ID: "1", At: 7, Parts: []receiptPart{}}); err != nil || !reflect.DeepEqual(short, want) {
		t.Errorf("got %+v, %v; want %+v", short, err, want)
	}
	if all, err := made.Call(t.Context(), reads, receiptPart{"sent"}); err != nil || !reflect.DeepEqual(all, *full) {
		t.Errorf("who reads got %+v, %v", all, err)
	}
	out, err := made.Invoke(t.Context(), writes, fill)
	a, ok := out.(Alternative)
	if err != nil || !ok {
		t.Fatalf("got %+v, %v", out, err)
	}
	one, other := a.Bodies()
	if o, ok := one.(*receiptOut); !ok || o.Title != "" || o.ID != "1" || a.Created() {
		t.Errorf("the body of what was made: %+v", one)
	}
	if o, ok := other.(*receiptPart); !ok || o.Text != "" {
		t.Errorf("the other body: %+v", other)
	}

	failing := New(nil, full.fail, Spec{Summary: "Fail", Guard: Member, Errors: []core.Kind{core.Conflict}})
	for name, by := range map[string]store.Viewer{"writes": writes, "reads": reads} {
		_, called := failing.Call(t.Context(), by, receiptPart{"sent"})
		_, invoked := failing.Invoke(t.Context(), by, fill)
		for _, err := range []error{called, invoked} {
			if e := core.As(err); e.Code != "changed" || e.Msg != "It has changed." || (e.Current != nil) != (name == "reads") {
				t.Errorf("%s: got %+v", name, e)
			}
		}
	}
}

// receiptEntry is an element of a list in a result, and receiptWhole a result that
// wraps what it is about.
type (
	receiptEntry struct {
		ID          string `json:"id,omitzero"`
		Done        bool   `json:"done" receipt:"true"`
		Open        bool   `json:"open" receipt:"true"`
		receiptPart        // is Text
	}
	receiptWhole struct {
		List receiptOwner `json:"list"`
	}
	receiptOwner struct {
		ID    string       `json:"id"`
		Title string       `json:"title"`
		Part  receiptEntry `json:"part"`
	}
	receiptIDs struct {
		ParentID *string  `json:"parentId"`
		IDs      []string `json:"ids"`
		UserIDs  []string `json:"userIds,omitzero"`
		PostIDs  []string `json:"post_ids"`
		Ideas    []string `json:"ideas"`
	}
)

// Of a result, a receipt has the ids, what the call has decided, and what was sent at
// the same place. Elements of lists of which nothing is left are left out.
func TestReceiptMembers(t *testing.T) {
	type texts struct {
		Text  string `json:"text"`
		Title string `json:"title"`
	}
	type parts struct {
		Parts []receiptPart `json:"parts"`
	}
	type part struct {
		Part string `json:"part"`
	}
	type list struct {
		List string `json:"list"`
	}
	parent := "p"
	x, y, secret := receiptPart{"x"}, receiptPart{"y"}, receiptPart{"secret"}
	for name, tc := range map[string]struct{ out, sent, want any }{
		"elements that were sent":   {parts{[]receiptPart{x, secret, y}}, parts{[]receiptPart{x, y, y}}, parts{[]receiptPart{x, y}}},
		"elements in another order": {parts{[]receiptPart{x, y}}, parts{[]receiptPart{y, x}}, parts{[]receiptPart{}}},
		"more elements than sent":   {parts{[]receiptPart{x, y}}, parts{[]receiptPart{x}}, parts{[]receiptPart{}}},
		"fewer elements than sent":  {parts{[]receiptPart{x}}, parts{[]receiptPart{x, y}}, parts{[]receiptPart{}}},
		"an id before an embedded struct": {
			[]receiptEntry{{ID: "1", receiptPart: secret}}, texts{}, []receiptEntry{{ID: "1"}}},
		"only what was decided": {
			[]receiptEntry{{Done: true, receiptPart: secret}, {receiptPart: secret}, {Open: true}}, texts{}, []receiptEntry{{Done: true}, {Open: true}}},
		"an embedded member that was sent": {
			[]receiptEntry{{receiptPart: x}}, []texts{{Text: "x"}}, []receiptEntry{{receiptPart: x}}},
		"what a result is about": {
			receiptWhole{receiptOwner{ID: "1", Title: "x"}}, texts{Title: "x"}, receiptWhole{receiptOwner{ID: "1", Title: "x"}}},
		"what a result is about, as it was sent": {
			receiptWhole{receiptOwner{Title: "x"}}, receiptWhole{receiptOwner{Title: "x"}}, receiptWhole{receiptOwner{Title: "x"}}},
		"the same text in another object": {
			receiptOwner{Title: "x", Part: receiptEntry{receiptPart: x}}, texts{Text: "x"}, receiptOwner{}},
		"a text in an object with an id that embeds another": {
			receiptOwner{Part: receiptEntry{receiptPart: x}}, part{"x"}, receiptOwner{}},
		"an object for a text": {
			receiptWhole{receiptOwner{Title: "x"}}, list{"x"}, receiptWhole{}},
		"ids": {
			receiptIDs{&parent, []string{"a", ""}, nil, []string{"b"}, []string{"secret"}}, texts{},
			receiptIDs{&parent, []string{"a", ""}, nil, []string{"b"}, []string{}}},
	} {
		if got := receipt(tc.out, tc.sent); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
