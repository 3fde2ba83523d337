package op

import (
	"reflect"
	"testing"
)

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
