package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"hearth/app/api"
)

// spec is the OpenAPI document, for checking responses.
type spec struct {
	doc    *openapi3.T
	routes []api.Route

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by the pointer into the document
}

// loadSpec parses the document once for all tests.
var loadSpec = sync.OnceValues(func() (*spec, error) {
	routes := api.Described()
	b, err := api.OpenAPI(routes, "http://hearth.test")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		return nil, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(specURL, tree); err != nil {
		return nil, err
	}
	return &spec{doc: doc, routes: routes, compiler: c, schemas: map[string]*jsonschema.Schema{}}, doc.Validate(context.Background())
})

// escapePointer escapes a part of a pointer in the fragment of a URL.
var escapePointer = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace

// specURL is the name of the document for the compiler of schemas.
const specURL = "http://hearth.test/openapi.json"

// schema returns the schema of the JSON of a response, which is at a pointer into the
// document. It is compiled once for all tests.
func (s *spec) schema(response string) (*jsonschema.Schema, error) {
	at := response + "/content/application~1json/schema"
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.schemas[at]; known != nil {
		return known, nil
	}
	compiled, err := s.compiler.Compile(specURL + at)
	s.schemas[at] = compiled
	return compiled, err
}

// route returns the path pattern of a request: if several match, the one with
// the fewest parameters, like the router.
func (s *spec) route(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	best, fewest := "", 99
	for _, r := range s.routes {
		if n := strings.Count(r.Path, "{"); r.Method == method && n < fewest && fits(r.Path, path) {
			best, fewest = r.Path, n
		}
	}
	return best
}

func fits(pattern, path string) bool {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if !strings.HasPrefix(p[i], "{") && p[i] != q[i] || q[i] == "" && i > 0 {
			return false
		}
	}
	return true
}

// check returns an error if the document does not describe the response.
func (s *spec) check(method, path string, status int, header http.Header, body []byte) error {
	pattern := s.route(method, path)
	if pattern == "" {
		return nil // not in the table: 404, 405 or a page
	}
	responses := s.doc.Paths.Find(pattern).GetOperation(method).Responses
	res := responses.Status(status)
	if res == nil {
		return fmt.Errorf("%s %s: the document has no status %d", method, pattern, status)
	}
	media := res.Value.Content.Get("application/json")
	if media == nil || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		if (media == nil) != (len(body) == 0) && header.Get("Content-Type") == "application/json" {
			return fmt.Errorf("%s %s: status %d has a JSON body that the document does not describe", method, pattern, status)
		}
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := res.Ref
	if at == "" {
		at = fmt.Sprintf("#/paths/%s/%s/responses/%d", escapePointer(pattern), strings.ToLower(method), status)
	}
	schema, err := s.schema(at)
	if err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s %s: status %d does not fit its schema: %w", method, pattern, status, err)
	}
	return nil
}

// fitsSpec fails the test if the OpenAPI document does not describe the
// response.
func (w *world) fitsSpec(method, path string, res response) {
	w.t.Helper()
	s, err := loadSpec()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.check(method, path, res.status, res.header, res.body); err != nil {
		w.t.Error(err)
	}
}

// check detects a wrong type, a missing member and an undocumented status.
func TestSpecCheckFindsDifferences(t *testing.T) {
	s, err := loadSpec()
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	for body, good := range map[string]bool{
		`{"status":"ok","version":"1","storage":"ok"}`: true,
		`{"status":"ok"}`: false,
		`{"status":"ok","version":1,"storage":"ok"}`:   false,
		`{"status":"no","version":"1","storage":"ok"}`: false,
	} {
		if err := s.check("GET", "/health", 200, h, []byte(body)); (err == nil) != good {
			t.Errorf("%s: %v", body, err)
		}
	}
	if s.check("GET", "/health", 418, h, []byte(`{}`)) == nil {
		t.Error("a status that is not documented was accepted")
	}
}
