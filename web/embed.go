// Package web has the embedded templates, style sheets, scripts and handbook.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed static
var static embed.FS

//go:embed docs/*.md
var docs embed.FS

// Docs returns the Markdown files of the handbook.
func Docs() fs.FS { return within(docs, "docs") }

// Templates returns the html/template files.
func Templates() fs.FS { return within(templates, "templates") }

func within(all embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(all, folder)
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return sub
}

// Assets serves web/static under /static/. One hash of all files is part of every address. So relative
// addresses work, and browsers cache forever.
type Assets struct {
	hash  string
	files map[string]asset
}

type asset struct {
	body   string
	zipped func() string // compressed body; "" if it is not smaller
	kind   string
	etag   string

	imports []string // imports of a script
}

// imported matches static imports. A dynamic import has a parenthesis.
var imported = regexp.MustCompile(`(?m)^import\s[^;(]*'\./([^']+)';`)

// NewAssets reads the embedded files. Each is compressed when it is first served.
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
		f := asset{body: string(b), kind: contentType(name), etag: `"` + hex.EncodeToString(sum[:8]) + `"`}
		f.zipped = sync.OnceValue(func() string { return zip(b) })
		for _, m := range imported.FindAllStringSubmatch(f.body, -1) {
			f.imports = append(f.imports, m[1])
		}
		a.files[name] = f
		return nil
	})
	a.hash = hex.EncodeToString(all.Sum(nil)[:6])
	return a, err
}

func zip(b []byte) string {
	var out bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	_, err := zw.Write(b)
	if err := errors.Join(err, zw.Close()); err != nil || out.Len() >= len(b) {
		return ""
	}
	return out.String()
}

func (f *asset) zippedFor(r *http.Request) string {
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return ""
	}
	return f.zipped()
}

// contentType does not use the operating system's table, which differs between machines.
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

// URL returns the address of a file. It changes whenever any file does.
func (a *Assets) URL(name string) (string, error) {
	if _, ok := a.files[name]; !ok {
		return "", fmt.Errorf("web/static has no file %q", name)
	}
	return "/static/" + a.hash + "/" + name, nil
}

// Modules returns the addresses of scripts and all their imports, so that the browser can load them at once.
func (a *Assets) Modules(names ...string) (addresses []string, err error) {
	seen := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		address, err := a.URL(name)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
		names = append(names, a.files[name].imports...)
	}
	return addresses, nil
}

// ServeHTTP answers GET /static/<hash>/<name>, which may be cached for a year, and /static/<name>, which is
// revalidated each time.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	cache := "no-cache"
	if rest, ok := strings.CutPrefix(name, a.hash+"/"); ok {
		name, cache = rest, "public, max-age=31536000, immutable"
	} else if first, rest, ok := strings.Cut(name, "/"); ok && len(first) == len(a.hash) {
		name = rest // an older page: it gets the current files
	}
	f, ok := a.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", cache)
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	if zipped := f.zippedFor(r); zipped != "" {
		f.body, f.etag = zipped, strings.TrimSuffix(f.etag, `"`)+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", f.etag)
	if r.Header.Get("If-None-Match") == f.etag {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", fmt.Sprint(len(f.body)))
	if r.Method != http.MethodHead {
		fmt.Fprint(w, f.body)
	}
}
