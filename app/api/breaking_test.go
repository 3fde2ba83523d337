package api

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// factsFile has what clients rely on. Each line has an operation or a member of a
// schema, and its facts as words.
const factsFile = "../../testdata/openapi.txt"

// Clients that worked keep working: every fact of the file is in the document. Additions
// pass without a change of the file.
func TestOpenAPIBreaking(t *testing.T) {
	now := clientFacts(t, specOf(t, Described()))
	if *update {
		if err := os.WriteFile(factsFile, writeFacts(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(factsFile)
	if err != nil {
		t.Fatal(err)
	}
	then := readFacts(text)
	if len(then) < 1000 {
		t.Fatalf("%s has %d lines", factsFile, len(then))
	}
	for _, s := range broken(then, now) {
		t.Errorf("%s\nIf clients may break, run go test ./app/api -run Breaking -update.", s)
	}
}

// Every kind of breaking change is found, and additions are not.
func TestBreakingChanges(t *testing.T) {
	then := readFacts([]byte("GET /a: 200 404 query:limit:integer needs=\nGET /b: 200\nIn: needs=title\nIn.title: string\nOut.kind: always " +
		"enum \"ask\" \"offer\"\nOut.gone: always string\n"))
	now := readFacts([]byte("GET /a: 200 410 query:limit:string needs=q query:q:string\nGET /c: 200\nIn: needs=id,title\nIn.title: " +
		"string\nIn.id: string\nOut.kind: enum \"ask\"\nOut.more: string\n"))
	got := broken(then, now)
	want := []string{
		"GET /a: a client that relies on 404 breaks",
		"GET /a: a client that relies on needs= breaks: it is needs=q",
		"GET /a: a client that relies on query:limit:integer breaks",
		"GET /b: a client that calls it gets 404",
		"In: a client that relies on needs=title breaks: it is needs=id,title",
		"Out.gone: a client that sends or reads it finds it no more",
		"Out.kind: a client that relies on \"offer\" breaks",
		"Out.kind: a client that relies on always breaks",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if left := broken(then, then); len(left) > 0 {
		t.Errorf("a document breaks clients of its own: %v", left)
	}
}

// broken returns a sentence for each fact of then that is not in now.
func broken(then, now map[string][]string) (all []string) {
	for _, subject := range slices.Sorted(maps.Keys(then)) {
		words, known := now[subject]
		if !known {
			what := "sends or reads it finds it no more"
			if strings.Contains(subject, " ") {
				what = "calls it gets 404"
			}
			all = append(all, subject+": a client that "+what)
			continue
		}
		for _, w := range slices.Sorted(slices.Values(then[subject])) {
			if !slices.Contains(words, w) {
				all = append(all, fmt.Sprintf("%s: a client that relies on %s breaks: it is %s", subject, w, strings.Join(changedTo(w, words), " ")))
			}
		}
	}
	return all
}

// changedTo returns the words that may stand for w now: with the same name, or all.
func changedTo(w string, words []string) []string {
	name, _, named := strings.Cut(w, "=")
	for _, other := range words {
		if named && strings.HasPrefix(other, name+"=") {
			return []string{other}
		}
	}
	return words
}

func readFacts(text []byte) map[string][]string {
	facts := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		subject, words, _ := strings.Cut(line, ": ")
		facts[subject] = strings.Fields(words)
	}
	return facts
}

func writeFacts(facts map[string][]string) []byte {
	var b bytes.Buffer
	for _, subject := range slices.Sorted(maps.Keys(facts)) {
		fmt.Fprintf(&b, "%s: %s\n", subject, strings.Join(facts[subject], " "))
	}
	return b.Bytes()
}

type (
	factDoc struct {
		Paths, Webhooks map[string]map[string]factOp
		Components      struct{ Schemas map[string]factSchema }
	}
	factOp struct {
		Security   []map[string][]string
		Parameters []struct {
			Name, In string
			Required bool
			Schema   factSchema
		}
		RequestBody struct {
			Required bool
			Content  map[string]factMedia
		}
		Responses map[string]struct {
			Headers map[string]any
			Content map[string]factMedia
		}
	}
	factMedia  struct{ Schema factSchema }
	factSchema struct {
		Ref        string `json:"$ref"`
		Type       any
		Format     string
		Enum       []any
		Items      *factSchema
		AnyOf      []factSchema
		Properties map[string]factSchema
		Required   []string
	}
)

// clientFacts returns the facts of an OpenAPI document. The words of an operation are its
// credentials, parameters, statuses and bodies. The words of a member are its type, the
// values of an enum, and always for a member that no response leaves out. The word needs
// has all that a request must have.
func clientFacts(t *testing.T, text []byte) map[string][]string {
	t.Helper()
	var doc factDoc
	if err := json.Unmarshal(text, &doc, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	facts := map[string][]string{}
	sent, received := map[string]bool{}, map[string]bool{}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			facts[strings.ToUpper(method)+" "+path] = op.facts()
			for _, m := range op.RequestBody.Content {
				doc.reach(m.Schema, sent)
			}
			for _, r := range op.Responses {
				for _, m := range r.Content {
					doc.reach(m.Schema, received)
				}
			}
		}
	}
	for event, ops := range doc.Webhooks {
		facts["webhook "+event] = ops["post"].facts()
		doc.reach(ops["post"].RequestBody.Content["application/json"].Schema, received)
	}
	for name, s := range doc.Components.Schemas {
		if sent[name] {
			facts[name] = []string{"needs=" + strings.Join(slices.Sorted(slices.Values(s.Required)), ",")}
		}
		for member, of := range s.Properties {
			words := of.words()
			if received[name] && slices.Contains(s.Required, member) {
				words = append([]string{"always"}, words...)
			}
			facts[name+"."+member] = words
		}
	}
	return facts
}

// reach adds the schemas that s is made of to seen.
func (d *factDoc) reach(s factSchema, seen map[string]bool) {
	if name := s.name(); name != "" && !seen[name] {
		seen[name] = true
		d.reach(d.Components.Schemas[name], seen)
	}
	if s.Items != nil {
		d.reach(*s.Items, seen)
	}
	for _, part := range slices.Concat(s.AnyOf, slices.Collect(maps.Values(s.Properties))) {
		d.reach(part, seen)
	}
}

func (o factOp) facts() (words []string) {
	for _, s := range o.Security {
		words = append(words, "credential="+cmp.Or(strings.Join(slices.Sorted(maps.Keys(s)), ","), "none"))
	}
	var needs []string
	for _, p := range o.Parameters {
		words = append(words, p.In+":"+p.Name+":"+strings.Join(p.Schema.words(), ","))
		if p.Required && p.In != "path" {
			needs = append(needs, p.Name)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		words = append(words, "body="+mediaFact(kind, o.RequestBody.Content[kind]))
		if o.RequestBody.Required {
			needs = append(needs, "body")
		}
	}
	words = append(words, "needs="+strings.Join(needs, ","))
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		words = append(words, status)
		r := o.Responses[status]
		for _, kind := range slices.Sorted(maps.Keys(r.Content)) {
			words = append(words, status+"="+mediaFact(kind, r.Content[kind]))
		}
		for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
			words = append(words, status+":"+name)
		}
	}
	return words
}

// mediaFact returns the type of a JSON body, or the content type of any other.
func mediaFact(kind string, m factMedia) string {
	if words := strings.Join(m.Schema.words(), ","); kind == "application/json" && words != "" {
		return words
	}
	return kind
}

func (s factSchema) name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// words returns the type of s and the values of its enum.
func (s factSchema) words() (all []string) {
	if s.Ref != "" {
		return []string{s.name()}
	}
	for _, part := range s.AnyOf {
		all = append(all, part.words()...)
	}
	types, _ := s.Type.([]any)
	if one, ok := s.Type.(string); ok {
		types = []any{one}
	}
	for _, kind := range types {
		switch {
		case kind == "array":
			all = append(all, "[]"+strings.Join(s.Items.words(), "|"))
		case kind == "string" && len(s.Enum) > 0:
			all = append(all, "enum")
		case kind == "string" && s.Format != "":
			all = append(all, s.Format)
		default:
			all = append(all, kind.(string))
		}
	}
	for _, v := range s.Enum {
		all = append(all, strings.ReplaceAll(fmt.Sprintf("%q", v), " ", "_"))
	}
	return all
}
