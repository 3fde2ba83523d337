package api

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/domain"
	"hearth/app/middleware"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// specOf generates the document for routes and validates it as OpenAPI 3.1.
func specOf(t *testing.T, routes []Route) []byte {
	t.Helper()
	b, err := OpenAPI(routes, "https://hearth.example")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "0.2.3" {
		t.Errorf("got versions %s, %s", doc.OpenAPI, doc.Info.Version)
	}
	ids := map[string]bool{}
	count := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			count++
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s: the operationId %q is not unique", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
	if count != len(routes) {
		t.Errorf("%d operations of %d routes", count, len(routes))
	}
	return b
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("%s differs; run go test ./app/api -update and read the diff: %s", file, d)
	}
}

func TestToySpec(t *testing.T) {
	s := &shelf{}
	b := specOf(t, s.table())
	again, _ := OpenAPI(s.table(), "https://hearth.example")
	if !bytes.Equal(b, again) {
		t.Error("the document is not deterministic")
	}
	golden(t, "toy.json", b)
}

// The responses of the server match the schemas of the document.
func TestResponsesMatchSchema(t *testing.T) {
	y := newToy(t, nil)
	doc, err := openapi3.NewLoader().LoadFromData(specOf(t, y.routes))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ component, who, method, target, body string }{
		{"Book", "", "GET", "/api/books/" + someID, ""},
		{"Book", "human", "POST", "/api/books", `{"title":"new"}`},
		{"Error", "", "POST", "/api/books", `{"title":"new"}`},
		{"Error", "human", "POST", "/api/books", `{}`},
		{"Error", "", "GET", "/api/books/best?how=plain", ""},
	} {
		var v any
		if err := json.Unmarshal(y.do(tc.who, tc.method, tc.target, tc.body).Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		schema := doc.Components.Schemas[tc.component].Value
		if err := schema.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s %s: %v", tc.method, tc.target, err)
		}
		delete(v.(map[string]any), "title")
		delete(v.(map[string]any), "code")
		if schema.VisitJSON(v, openapi3.EnableJSONSchema2020()) == nil {
			t.Errorf("%s: the schema accepts anything", tc.component)
		}
	}
}

func TestOperationIDs(t *testing.T) {
	for name, want := range map[string]string{"OpenAPI": "openAPI", "CreateList": "createList", "ID": "id", "GetURLs": "getURLs", "": ""} {
		if got := lowerFirst(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestReference(t *testing.T) {
	stack, err := middleware.New(middleware.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Config{Services: domain.Described(), Auth: keyring{}, Stack: stack, Site: Site{BaseURL: "https://hearth.example"},
		Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	get := func(target string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", target, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if w := get("/health"); w.Code != 200 || w.Body.String() != `{"status":"ok","version":"1.2.3","storage":"ok"}`+"\n" {
		t.Errorf("health: %d %s", w.Code, w.Body)
	}
	spec := get("/api/openapi.json")
	if spec.Code != 200 || spec.Header().Get("Content-Type") != "application/json" ||
		!strings.HasPrefix(spec.Header().Get("Cache-Control"), "public") {
		t.Errorf("spec: %d %v", spec.Code, spec.Header())
	}
	if w := get("/api/openapi.json", "If-None-Match", spec.Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("spec again: %d", w.Code)
	}
	docs := referenceOf(t, h.Routes())
	if strings.Contains(docsPolicy, "script") || strings.Contains(docsPolicy, "unsafe") || strings.Contains(docs, "<script") {
		t.Errorf("the page has or allows scripts: %s", docsPolicy)
	}
	for _, row := range h.Routes() {
		if !strings.Contains(docs, row.Method+" "+row.Path) {
			t.Errorf("the page lacks %s %s", row.Method, row.Path)
		}
	}
}

// referenceOf returns the reference for routes in the look of a community without
// settings.
func referenceOf(t *testing.T, routes []Route) string {
	t.Helper()
	r := newReference(routes, "https://hearth.example")
	page, err := r.in(docsLook{})
	if err != nil {
		t.Fatal(err)
	}
	return string(page.body)
}

func TestToyReference(t *testing.T) {
	golden(t, "toy.html", []byte(referenceOf(t, (&shelf{}).table())))
}
