package core

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// All texts of the body of an input count, wherever they stand, in bytes. Ids and one of
// several words do not.
func TestTextSize(t *testing.T) {
	type inner struct {
		Text string `json:"text"`
		N    int    `json:"n"`
	}
	type input struct {
		Path  string         `path:"path" json:"-"`
		Text  string         `json:"text"`
		Opt   Opt[string]    `json:"opt,omitzero"`
		Ptr   *string        `json:"ptr"`
		Value jsontext.Value `json:"value"`
		Texts []string       `json:"texts"`
		Inner inner          `json:"inner"`
		Items []inner        `json:"items"`
		Times int            `json:"times"`
		Kind  string         `json:"kind" enum:"aa|bb"`
		ID    string         `json:"id" format:"uuid"`
		Match string         `header:"If-Match" json:"-"`
	}
	p, err := PlanOf(reflect.TypeFor[input]())
	if err != nil {
		t.Fatal(err)
	}
	for want, in := range map[int]*input{
		0:  {Times: 9, Path: "1", Kind: "aa", ID: "0198c0de-0000-7000-8000-00000000f011", Match: "1"},
		4:  {Text: "12é"},
		2:  {Opt: Some("12")},
		3:  {Ptr: new("123")},
		11: {Value: jsontext.Value(`{"a":"bcd"}`)},
		5:  {Texts: []string{"12", "", "345"}},
		6:  {Inner: inner{Text: "123456", N: 7}},
		7:  {Items: []inner{{Text: "123"}, {Text: "4567"}}},
		9:  {Path: "1", Text: "1", Opt: Some("1"), Ptr: new("1"), Value: jsontext.Value("1"), Texts: []string{"1"}, Inner: inner{Text: "1"}, Items: []inner{{Text: "1"}, {Text: "12"}}},
	} {
		if got := p.TextSize(in); got != want {
			t.Errorf("%+v has %d bytes of text, want %d", in, got, want)
		}
	}
}
