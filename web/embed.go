// Package web holds what the HTML door shows: templates, style sheets and
// scripts, all inside the binary.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed static
var static embed.FS

// Templates returns the html/template files, without a folder in their names.
func Templates() fs.FS {
	sub, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return sub
}

// Assets serves the files of web/static under /static/. One hash over all of
// them is part of every address, so that files may refer to each other by
// relative address, and a browser keeps them for good.
type Assets struct {
	hash  string
	files map[string]asset
}

type asset struct {
	body string
	kind string
	etag string
}

// NewAssets reads the embedded files.
func NewAssets() (*Assets, error) {
	a := &Assets{files: map[string]asset{}}
	all := sha256.New()
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := static.ReadFile(name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "static/")
		fmt.Fprintf(all, "%s %d\n", name, len(b))
		all.Write(b)
		sum := sha256.Sum256(b)
		a.files[name] = asset{body: string(b), kind: contentType(name), etag: `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
	a.hash = hex.EncodeToString(all.Sum(nil)[:6])
	return a, err
}

// contentType does not ask the operating system's table, which differs.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// URL returns the address of one file, which changes whenever any file does.
func (a *Assets) URL(name string) (string, error) {
	if _, ok := a.files[name]; !ok {
		return "", fmt.Errorf("web/static has no file %q", name)
	}
	return "/static/" + a.hash + "/" + name, nil
}

// ServeHTTP answers GET /static/<hash>/<name>, to be kept for a year, and
// /static/<name>, to be asked for again each time.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	cache := "no-cache"
	if rest, ok := strings.CutPrefix(name, a.hash+"/"); ok {
		name, cache = rest, "public, max-age=31536000, immutable"
	} else if first, rest, ok := strings.Cut(name, "/"); ok && len(first) == len(a.hash) {
		name = rest // an older page asks for its files: today's are the best there is
	}
	f, ok := a.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", cache)
	h.Set("ETag", f.etag)
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", fmt.Sprint(len(f.body)))
	if r.Method != http.MethodHead {
		fmt.Fprint(w, f.body)
	}
}
