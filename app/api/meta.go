package api

import (
	"context"
	"net/http"
	"sync"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

type meta struct {
	Health  *op.Func[core.None, HealthOut]
	version string
	spec    func() document // set by describe, when the table is complete
	docs    func() *reference
	files   *file.Store
	site    Site    // set by describe
	routes  []Route // set by describe
}

func newMeta(version string) *meta {
	m := &meta{version: version}
	m.Health = op.New(nil, m.health, op.Public.Spec("", "Check the server's health").Hint(op.ReadOnly|op.Uncounted))
	return m
}

type document struct {
	kind, etag string
	body       []byte
}

func newDocument(kind string, body []byte) document {
	return document{kind: kind, etag: middleware.ETag("", body), body: body}
}

// Documents are generated when they are first read, because it takes longer than the rest of the start. An error
// means that the table is wrong, and panics.
func (m *meta) describe(routes []Route, site Site) {
	m.site, m.routes = site, routes
	m.spec = sync.OnceValue(func() document {
		spec, err := OpenAPI(routes, site.BaseURL)
		if err != nil {
			panic(err)
		}
		return newDocument("application/json", spec)
	})
	m.docs = sync.OnceValue(func() *reference { return newReference(routes, site.BaseURL) })
}

// HealthOut reports that the server is running.
type HealthOut struct {
	Status  string `json:"status" enum:"ok"`
	Version string `json:"version" doc:"Version of the program."`

	Storage file.State `json:"storage" enum:"ok|low|full" doc:"low: the operator should make room; full: only reading and deleting work."`
}

func (m *meta) health(ctx context.Context, _ store.Viewer, _ core.None) (HealthOut, error) {
	return HealthOut{Status: "ok", Version: m.version, Storage: m.files.State(ctx)}, nil
}

func (m *meta) OpenAPI(w http.ResponseWriter, r *http.Request, _ store.Viewer) {
	m.spec().serve(w, r)
}

func (d document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", d.etag)
	if middleware.HasTag(r, d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.kind)
	_, _ = w.Write(d.body)
}
