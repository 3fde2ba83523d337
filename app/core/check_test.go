package core

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"hearth/store"
)

type colour string

type checked struct {
	ID      string         `path:"id" json:"-"`
	Limit   int            `query:"limit" json:"-" min:"1" max:"100" clamp:"true" default:"50"`
	Title   string         `json:"title" required:"true" min:"2" max:"5" line:"true"`
	Colour  colour         `json:"colour" enum:"red|green" default:"green"`
	Mail    string         `json:"mail" format:"email" max:"50"`
	Link    Opt[string]    `json:"link" format:"url" max:"40"`
	When    store.Time     `json:"when"`
	On      *bool          `json:"on" required:"true"`
	Ratio   *float64       `json:"ratio" min:"0" max:"1"`
	Rev     int            `json:"rev" min:"1" required:"true"`
	Tags    []string       `json:"tags" max:"2" itemMax:"3"`
	IDs     []string       `json:"ids" format:"uuid"`
	Scopes  []string       `json:"scopes" enum:"read|write"`
	Meta    jsontext.Value `json:"meta" format:"object" max:"20"`
	Items   []item         `json:"items" max:"2"`
	Nested  *nested        `json:"nested"`
	Secret  string         `json:"secret" raw:"true"`
	Query   string         `json:"query" any:"true"`
	Patched Opt[string]    `json:"patched" min:"1"`
	Kept    Opt[string]    `json:"kept" notnull:"true"`
	Group   Opt[struct {
		Name string `json:"name" required:"true"`
	}] `json:"group"`
	Internal int `json:"-"`
}

type item struct {
	Content string `json:"content" required:"true" max:"4"`
}

type nested struct {
	On   *bool  `json:"on" required:"true"`
	Name string `json:"name" max:"2"`
}

func valid() checked {
	return checked{Title: "abc", On: new(false), Rev: 1}
}

func TestCheck(t *testing.T) {
	uuid := "9f1c2d34-0000-4000-8000-00000000000a"
	for _, tc := range []struct {
		name     string
		set      func(*checked)
		field    string // "" means valid
		contains string
	}{
		{"valid", func(c *checked) {}, "", ""},
		{"no title", func(c *checked) { c.Title = "" }, "title", "title is required: send text of 2 to 5 characters."},
		{"blank title", func(c *checked) { c.Title = " \n\t " }, "title", "is required"},
		{"short title", func(c *checked) { c.Title = " a " }, "title", "title must be text of 2 to 5 characters; this one has 1."},
		{"five code points of ten bytes", func(c *checked) { c.Title = "ééééé" }, "", ""},
		{"six code points", func(c *checked) { c.Title = "éééééé" }, "title", "this one has 6"},
		{"NUL", func(c *checked) { c.Title = "a\x00b" }, "title", "NUL"},
		{"NUL in a search", func(c *checked) { c.Query = "a\x00b\x00" }, "", ""},
		{"NUL in a secret", func(c *checked) { c.Secret = "a\x00b" }, "secret", "NUL"},
		{"invalid UTF-8", func(c *checked) { c.Title = "a\xffb" }, "title", "UTF-8"},
		{"enum", func(c *checked) { c.Colour = "blue" }, "colour", "colour must be red or green."},
		{"e-mail", func(c *checked) { c.Mail = " a@b.example " }, "", ""},
		{"e-mail with a name", func(c *checked) { c.Mail = "A <a@b.example>" }, "mail", "e-mail address"},
		{"e-mail with a break", func(c *checked) { c.Mail = "a@b.example\r\nBcc: x@y.z" }, "mail", "e-mail address"},
		{"e-mail without a domain", func(c *checked) { c.Mail = "a@" }, "mail", "e-mail address"},
		{"web address", func(c *checked) { c.Link = Some("https://a.example/x?y#z") }, "", ""},
		{"script address", func(c *checked) { c.Link = Some("javascript:alert(1)") }, "link", "http://"},
		{"address without host", func(c *checked) { c.Link = Some("https:///x") }, "link", "http://"},
		{"address with a space", func(c *checked) { c.Link = Some("https://a.example/ x") }, "link", "http://"},
		{"address cleared", func(c *checked) { c.Link = Opt[string]{Set: true, Null: true} }, "", ""},
		{"address cleared by the empty text", func(c *checked) { c.Link = Some("") }, "", ""},
		{"truth missing", func(c *checked) { c.On = nil }, "on", "on is required: send true or false."},
		{"number above", func(c *checked) { c.Ratio = new(1.01) }, "ratio", "ratio must be a number from 0 to 1."},
		{"number at the edge", func(c *checked) { c.Ratio = new(0.0) }, "", ""},
		{"revision missing", func(c *checked) { c.Rev = 0 }, "rev", "rev must be a whole number of at least 1."},
		{"negative limit", func(c *checked) { c.Limit = -1 }, "limit", "of at least 1"},
		{"too many elements", func(c *checked) { c.Tags = []string{"a", "b", "c"} }, "tags", "this one has 3"},
		{"blank element", func(c *checked) { c.Tags = []string{"a", " "} }, "tags[1]", "must not be blank"},
		{"long element", func(c *checked) { c.Tags = []string{"abcd"} }, "tags[0]", "at most 3 characters"},
		{"element that is no id", func(c *checked) { c.IDs = []string{uuid, strings.ToUpper(uuid)} }, "ids[1]", "lower case"},
		{"elements that are ids", func(c *checked) { c.IDs = []string{uuid} }, "", ""},
		{"element outside the enum", func(c *checked) { c.Scopes = []string{"read", "admin"} }, "scopes[1]", "read or write"},
		{"free-form object", func(c *checked) { c.Meta = jsontext.Value(`{"a":[1]}`) }, "", ""},
		{"free-form number", func(c *checked) { c.Meta = jsontext.Value(`1`) }, "meta", "an object"},
		{"free-form broken", func(c *checked) { c.Meta = jsontext.Value(`{"a":`) }, "meta", "an object"},
		{"free-form long", func(c *checked) { c.Meta = jsontext.Value(`{"a":"0123456789012345"}`) }, "meta", "at most 20"},
		{"free-form NUL", func(c *checked) { c.Meta = jsontext.Value(`{"a":"\u0000"}`) }, "meta", "NUL"},
		{"second struct element", func(c *checked) { c.Items = []item{{"a"}, {"abcde"}} }, "items[1].content", "at most 4"},
		{"struct element without content", func(c *checked) { c.Items = []item{{}} }, "items[0].content", "is required"},
		{"nested missing", func(c *checked) { c.Nested = &nested{} }, "nested.on", "is required"},
		{"nested long", func(c *checked) { c.Nested = &nested{On: new(true), Name: "abc"} }, "nested.name", "at most 2"},
		{"optional member emptied below its min", func(c *checked) { c.Patched = Some(" ") }, "patched", "at least 1"},
		{"optional member cleared", func(c *checked) { c.Patched = Opt[string]{Set: true, Null: true} }, "", ""},
		{"optional member that is not null", func(c *checked) { c.Kept = Opt[string]{Set: true, Null: true} }, "kept",
			"kept cannot be null. Omit it"},
		{"optional member emptied", func(c *checked) { c.Kept = Some("") }, "", ""},
		{"optional object", func(c *checked) { c.Group.Set = true }, "group.name", "is required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := valid()
			tc.set(&in)
			err := Check(&in)
			if tc.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e := As(err)
			if err == nil || e.Kind != Invalid || e.Field != tc.field || !strings.Contains(e.Msg, tc.contains) {
				t.Fatalf("got %+v; want the field %s and a message with %q", err, tc.field, tc.contains)
			}
		})
	}
}

func TestCheckNormalizes(t *testing.T) {
	in := valid()
	in.Title, in.Secret, in.Limit = " a\r\n\t b\u2028 ", " pass ", 1000
	in.Link, in.Tags, in.Meta = Some("  http://a.example "), []string{" x "}, jsontext.Value("null")
	in.Mail = "  "
	if err := Check(&in); err != nil {
		t.Fatal(err)
	}
	want := valid()
	want.Title, want.Secret, want.Limit = "a b", " pass ", 100
	want.Link, want.Tags, want.Colour = Some("http://a.example"), []string{"x"}, "green"
	if d := cmp.Diff(want, in); d != "" {
		t.Error(d)
	}
}

func TestCheckDefaults(t *testing.T) {
	in := struct {
		N int   `query:"n" json:"-" default:"7" min:"1"`
		B *bool `json:"b" default:"true"`
	}{}
	if err := Check(&in); err != nil || in.N != 7 || in.B == nil || !*in.B {
		t.Fatalf("%+v, %v", in, err)
	}
}

func TestCheckAfterDecoding(t *testing.T) {
	var in checked
	body := `{"title":"abc","on":false,"rev":3,"link":null,"group":{"name":"g"},"when":"1970-01-01T00:00:00Z"}`
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	if err := Check(&in); err != nil || !in.Link.Null || in.Group.V.Name != "g" {
		t.Fatalf("%+v, %v", in, err)
	}
}

func TestRequiredTimeParameterEpoch(t *testing.T) {
	in := struct {
		Since store.Time `query:"since" json:"-" required:"true"`
	}{}
	if err := Check(&in); err != nil {
		t.Fatal(err)
	}
}

func TestPlanErrors(t *testing.T) {
	for name, in := range map[string]any{
		"no tag": &struct{ A string }{},
		"required bool": &struct {
			A bool `json:"a" required:"true"`
		}{},
		"required number": &struct {
			A int `json:"a" required:"true"`
		}{},
		"misspelt required": &struct {
			A string `json:"a" required:"yes"`
		}{},
		"misspelt format": &struct {
			A string `json:"a" format:"mail"`
		}{},
		"min that is no number": &struct {
			A string `json:"a" min:"x"`
		}{},
		"clamp without max": &struct {
			A int `json:"a" clamp:"true"`
		}{},
		"itemMax of a text": &struct {
			A string `json:"a" itemMax:"3"`
		}{},
		"pointer that is not null": &struct {
			A *bool `json:"a" notnull:"true"`
		}{},
		"any": &struct {
			A any `json:"a"`
		}{},
		"map": &struct {
			A map[string]int `json:"a"`
		}{},
		"list of lists": &struct {
			A [][]string `json:"a"`
		}{},
		"list in the query": &struct {
			A []string `query:"a" json:"-"`
		}{},
		"default outside its own": &struct {
			A int `query:"a" json:"-" default:"0" min:"1"`
		}{},
		"default that is no int": &struct {
			A int `query:"a" json:"-" default:"x"`
		}{},
		"default bool": &struct {
			A bool `json:"a" default:"true"`
		}{},
		"path that a body could set": &struct {
			A string `path:"a"`
		}{},
		"optional object with required members": &struct {
			A item `json:"a"`
		}{},
		"not a pointer": checked{},
	} {
		if err := Check(in); err == nil || As(err).Kind != Internal {
			t.Errorf("%s: got %v, want an error that is not an Error", name, err)
		}
	}
}

func TestPlanFlattensEmbedded(t *testing.T) {
	type Page struct {
		Limit int `query:"limit" json:"-" default:"5"`
	}
	in := struct {
		Page
		A string `json:"a"`
	}{}
	if err := Check(&in); err != nil || in.Limit != 5 {
		t.Fatalf("%+v, %v", in, err)
	}
}
