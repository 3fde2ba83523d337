package op

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
)

type inner struct {
	Inner string `json:"inner"`
}

type word string

// The members of a JSON object are the exported fields with a name, and the fields of
// embedded structs without a name.
func TestBodyFields(t *testing.T) {
	type embedded struct {
		inner
		Deep string `json:"deep,omitzero"`
	}
	type named struct {
		Hidden string `json:"hidden"`
	}
	var of struct {
		embedded
		named    `json:"named"`
		word     `json:"-"`
		Plain    inner  `json:"plain"`
		Tagless  string // without a name
		Left     string `json:"-"`
		internal string
		Last     int `json:"last,omitempty"`
	}
	_ = of.internal
	var got []string
	for _, f := range bodyFields(reflect.TypeOf(of)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		got = append(got, name)
	}
	if want := []string{"inner", "deep", "plain", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// shown and parsed are structs that are texts on the wire: one in results, one in inputs.
type shown struct {
	N int `json:"n"`
}

func (shown) MarshalText() ([]byte, error) { return []byte("1"), nil }

type parsed struct {
	N int `json:"n"`
}

func (*parsed) UnmarshalText([]byte) error { return nil }

// pair is a struct with type parameters.
type pair[A, B any] struct {
	First  A `json:"first"`
	Second B `json:"second"`
}

// Wrapped is embedded, and a member nevertheless.
type Wrapped struct {
	Text string `json:"text"`
}

type inside struct {
	List []string `json:"list"`
}

type optional struct {
	V core.Opt[Wrapped] `json:"v,omitzero"`
	T core.Opt[shown]   `json:"t,omitzero"`
	P *parsed           `json:"p"`
}

// A struct with members is a component. Its name has the names of its type and its type
// parameters, also if it is only a value that may be absent. A type that is a text on
// the wire, or has no name, is described where it is used.
func TestSchemaNames(t *testing.T) {
	type page = pair[inner, []inside]
	s := NewSchemas([]reflect.Type{reflect.TypeFor[optional]()}, []reflect.Type{reflect.TypeFor[page](), reflect.TypeFor[struct {
		A int `json:"a"`
	}]()})
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[optional](): "Optional",
		reflect.TypeFor[Wrapped]():  "Wrapped",
		reflect.TypeFor[page]():     "PairInnerInside",
		reflect.TypeFor[inner]():    "Inner",
		reflect.TypeFor[inside]():   "Inside",
		reflect.TypeFor[shown]():    "",
		reflect.TypeFor[parsed]():   "",
	} {
		if got := s.names[typ]; got != want {
			t.Errorf("%s is named %q, want %q", typ, got, want)
		}
	}
	if len(s.order) != 6 {
		t.Errorf("%d structs: %v", len(s.order), s.order)
	}
}

// The schema of a value says what its type and its rule are.
func TestValueSchemas(t *testing.T) {
	s := NewSchemas([]reflect.Type{reflect.TypeFor[inner]()}, nil)
	for _, tc := range []struct {
		v    any
		rule core.Rule
		want string
	}{
		{"", core.Rule{}, `{"type":"string"}`},
		{"", core.Rule{Required: true}, `{"type":"string","minLength":1}`},
		{"", core.Rule{Min: new(0.0)}, `{"type":"string"}`},
		{"", core.Rule{Required: true, Min: new(0.0)}, `{"type":"string","minLength":1}`},
		{"", core.Rule{Required: true, Min: new(2.0), Max: new(3.0)}, `{"type":"string","minLength":2,"maxLength":3}`},
		{"", core.Rule{Default: "a"}, `{"type":"string","default":"a"}`},
		{shown{}, core.Rule{Doc: "A text."}, `{"type":"string","description":"A text."}`},
		{parsed{}, core.Rule{}, `{"type":"string"}`},
		{int8(0), core.Rule{Default: "12"}, `{"type":"integer","default":12}`},
		{uint(0), core.Rule{Min: new(0.0)}, `{"type":"integer","minimum":0}`},
		{map[string]inner{}, core.Rule{Doc: "By name."},
			`{"type":"object","description":"By name.","additionalProperties":{"$ref":"#/components/schemas/Inner"}}`},
		{struct {
			A bool `json:"a"`
		}{}, core.Rule{Doc: "Whether."}, `{"type":"object","properties":{"a":{"type":"boolean"}},"description":"Whether."}`},
	} {
		schema := s.Value(reflect.TypeOf(tc.v), tc.rule)
		if got, err := json.Marshal(schema); err != nil || string(got) != tc.want {
			t.Errorf("%T with %+v: %s, %v; want %s", tc.v, tc.rule, got, err, tc.want)
		}
	}
}
