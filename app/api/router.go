package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"
)

// router has one tree per number of parameters: httprouter allows no fixed segment beside a parameter. Trees with
// fewer parameters come first: /card/me before /card/{token}. Paths that end in {name...} come last.
type router struct {
	trees   [maxParams + 2]*httprouter.Router
	methods []string
}

const maxParams = 4

func newRouter() *router {
	r := &router{}
	for i := range r.trees {
		r.trees[i] = httprouter.New()
	}
	return r
}

// Parameters are registered by position: a tree requires one name per position, while both {id} and {postId} occur.
func (r *router) add(e *endpoint) (err error) {
	path, params, tree, err := translate(e.Path)
	if err != nil {
		return err
	}
	e.params = params
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s %s conflicts with another route: %v", e.Method, e.Path, p)
		}
	}()
	methods := []string{e.Method}
	if e.Method == http.MethodGet && !e.IsEventStream() {
		methods = append(methods, http.MethodHead)
	}
	for _, m := range methods {
		r.trees[tree].Handle(m, path, e.serve)
		if !slices.Contains(r.methods, m) {
			r.methods = append(r.methods, m)
		}
	}
	return nil
}

func (r *router) find(method, path string) (h httprouter.Handle, ps httprouter.Params, allow []string) {
	if !plainPath(path) {
		return nil, nil, nil
	}
	if h, ps := r.lookup(method, path); h != nil {
		return h, ps, nil
	}
	for _, other := range r.methods {
		if h, _ := r.lookup(other, path); h != nil {
			allow = append(allow, other)
		}
	}
	return nil, nil, allow
}

func (r *router) lookup(method, path string) (httprouter.Handle, httprouter.Params) {
	for _, t := range r.trees {
		if h, ps, _ := t.Lookup(method, path); h != nil {
			return h, ps
		}
	}
	return nil, nil
}

// translate converts /a/{id}/{rest...} to /a/:1/*2.
func translate(path string) (out string, params []string, tree int, err error) {
	if !strings.HasPrefix(path, "/") {
		return "", nil, 0, fmt.Errorf("the path %q must start with a slash", path)
	}
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		name, ok := strings.CutPrefix(s, "{")
		if !ok {
			if strings.ContainsAny(s, ":*{}") {
				return "", nil, 0, fmt.Errorf("the path %q: a parameter must be a whole segment, {name}", path)
			}
			continue
		}
		name, ok = strings.CutSuffix(name, "}")
		name, rest := strings.CutSuffix(name, "...")
		if !ok || name == "" || rest && i < len(segments)-1 {
			return "", nil, 0, fmt.Errorf("the path %q: a parameter must be {name}, and {name...} the last segment", path)
		}
		params = append(params, name)
		segments[i] = fmt.Sprintf(":%d", len(params))
		tree = len(params)
		if rest {
			segments[i] = fmt.Sprintf("*%d", len(params))
			tree = maxParams + 1
		}
	}
	if len(params) > maxParams {
		return "", nil, 0, fmt.Errorf("the path %q has more than %d parameters", path, maxParams)
	}
	return "/" + strings.Join(segments, "/"), params, tree, nil
}

// Other software could read such paths differently.
func plainPath(path string) bool {
	return utf8.ValidString(path) && !strings.Contains(path, "//") &&
		!strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

// An escaped slash would be taken for a separator after decoding.
func requestPath(r *http.Request) string {
	if raw := r.URL.RawPath; raw != "" && (strings.Contains(raw, "%2F") || strings.Contains(raw, "%2f")) {
		return ""
	}
	return r.URL.Path
}

func isID(name string) bool {
	return name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id")
}
