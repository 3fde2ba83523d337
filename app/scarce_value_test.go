package app_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

// longTexts are what long texts consist of: characters that are six bytes in JSON, those
// that other encodings make longer, and those that each member takes.
var longTexts = []string{"\x01\U0001f34e", "\u2028<\"&", "x"}

// largest makes the body of a call as large as the operation permits.
type largest struct {
	t      testing.TB
	base   map[string]any
	schema *openapi3.Schema
	kinds  map[string]int // by member: of longTexts; beyond them, it is that of the base
	sent   string
}

func newLargest(t testing.TB, base string, s *openapi3.Schema) *largest {
	t.Helper()
	l := &largest{t: t, base: map[string]any{}, schema: s, kinds: map[string]int{}}
	if base != "" {
		if err := json.Unmarshal([]byte(base), &l.base); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// body returns the body, of 256 KiB at most.
func (l *largest) body() string {
	for items := 100; ; items = items * 4 / 5 {
		object := maps.Clone(l.base)
		for _, name := range slices.Sorted(maps.Keys(l.schema.Properties)) {
			if l.kinds[name] >= len(longTexts) {
				continue
			}
			if v := l.value(l.schema.Properties[name].Value, name, longTexts[l.kinds[name]], items); v != nil {
				object[name] = v
			}
		}
		if l.sent = encoded(object); len(l.sent) <= 256<<10 {
			return l.sent
		}
	}
}

// value returns the largest value for a schema, or nil for one that is not larger than
// others.
func (l *largest) value(s *openapi3.Schema, name, text string, items int) any {
	s = schemaOf(s)
	switch {
	case s.Type.Includes("string"):
		switch {
		case len(s.Enum) > 0 || s.MaxLength == nil:
			return nil
		case s.Format == "uri":
			return "https://x.example/" + strings.Repeat("x", int(*s.MaxLength)-18)
		case s.Format != "":
			return nil
		}
		return longText(text, int(*s.MaxLength))
	case s.Type.Includes("array"):
		if s.MaxItems != nil {
			items = min(items, int(*s.MaxItems))
		}
		return l.array(s.Items.Value, name, text, items)
	case s.Type.Includes("object") && len(s.Properties) == 0:
		return map[string]any{"k": longText(text, 9900/len([]rune(encoded(text)))*len([]rune(text)))}
	case s.Type.Includes("object"):
		object := map[string]any{}
		for name, of := range s.Properties {
			if v := l.value(of.Value, name, text, items); v != nil {
				object[name] = v
			}
		}
		return object
	}
	return nil
}

// array returns items that differ.
func (l *largest) array(s *openapi3.Schema, name, text string, items int) any {
	var list []any
	for i := range items {
		v := l.value(s, name, text, items)
		switch is := v.(type) {
		case nil:
			return nil
		case string:
			n := len([]rune(is))
			if name == "tags" {
				n, text = 50, "x"
			}
			v = fmt.Sprint("a", 100+i) + longText(text, n-4)
		}
		list = append(list, v)
	}
	return list
}

func longText(text string, n int) string {
	runes := []rune(strings.Repeat(text, n))
	return "a" + string(runes[:max(0, n-1)])
}

var revisions = regexp.MustCompile(`"revision":(\d+)`)

// learn changes the next body by why one was refused, and reports whether it did.
func (l *largest) learn(res response) bool {
	var e struct {
		Field string `json:"field"`
	}
	if json.Unmarshal(res.body, &e) != nil || e.Field == "" {
		next := current(encoded(l.base), res)
		return next != encoded(l.base) && json.Unmarshal([]byte(next), &l.base) == nil
	}
	name := strings.FieldsFunc(e.Field, func(r rune) bool { return r == '.' || r == '[' })[0]
	l.kinds[name]++
	return res.status == http.StatusBadRequest && l.kinds[name] <= len(longTexts)
}

// confirm changes the body to one that publishes what was previewed, and reports whether
// there is nothing to publish.
func (l *largest) confirm(res response) bool {
	var preview struct {
		Grant string `json:"approvalGrant"`
	}
	if json.Unmarshal(res.body, &preview) != nil || preview.Grant == "" {
		return true
	}
	l.base["confirm"], l.base["approvalGrant"] = true, preview.Grant
	l.kinds["approvalGrant"] = len(longTexts)
	return false
}

// current returns a body with the revision that a conflict says is the current one.
func current(body string, res response) string {
	m := revisions.FindSubmatch(res.body)
	if m == nil || res.status != http.StatusConflict {
		return body
	}
	return regexp.MustCompile(`"(expectedRevision|sourceRevision)":\d+`).ReplaceAllString(body, `"$1":`+string(m[1]))
}
