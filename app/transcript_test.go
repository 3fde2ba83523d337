package app_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected responses of the transcripts")

// TestTranscripts runs every file of testdata/transcripts against the handler on a
// database file. The sections of a file are its steps in order, each named "NN who
// METHOD /path", or "NN who TOOL name" for a call of a tool. The body of such a
// call has the arguments, and its status is 200 or, for an error, 400. A section
// has the lines
//
//	> Name: value       a header of the request
//	> {...}             the body of the request
//	> file:NAME:KIND    a form with a file that testFile returns
//	< 201               the expected status
//	< {...}             the expected body
//	! words             text that the response must not contain
//	@ 90m               advances the clock before the request
//	* 20                sends the request so often before, with success
//
// In a body "$id:name" is an identifier: the first use captures it, later uses,
// also in paths and requests, must be equal. "$text:name" does the same for any
// text, "$mail:token" and "$mail:code" are the token and the code of the last
// mail. "<time>" matches a timestamp, "<any>" anything, "<text>" text that is not
// empty.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts found: %v", err)
	}
	var c coverage
	t.Cleanup(func() { c.check(t, len(files)) })
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			defer c.add(t, w, ar)
			changed := false
			for i := range ar.Files {
				if got := playStep(t, w, ar.Files[i].Name, string(ar.Files[i].Data)); got != string(ar.Files[i].Data) {
					ar.Files[i].Data = []byte(got)
					changed = true
				}
			}
			if *update && changed {
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// step is one section of a transcript.
type step struct {
	who, method, path string
	header            http.Header
	body              []string
	status            int
	want              []string
	never             []string
	pre               []string // lines before the expectation, for -update
	advance           string
	before            int // how often the request is sent before
}

func parseStep(name, text string) (step, error) {
	f := strings.Fields(name)
	if len(f) != 4 {
		return step{}, fmt.Errorf("section %q is not named \"NN who METHOD /path\"", name)
	}
	s := step{who: f[1], method: f[2], path: f[3], header: http.Header{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case ">":
			s.pre = append(s.pre, line)
			if k, v, ok := strings.Cut(rest, ": "); ok && len(s.body) == 0 && headerName.MatchString(k) {
				s.header.Add(k, v)
			} else {
				s.body = append(s.body, rest)
			}
		case "<":
			if n, err := strconv.Atoi(rest); err == nil && s.status == 0 {
				s.status = n
			} else {
				s.want = append(s.want, rest)
			}
		case "!":
			s.never = append(s.never, rest)
		case "@":
			s.pre = append(s.pre, line)
			s.advance = rest
		case "*":
			s.pre = append(s.pre, line)
			n, err := strconv.Atoi(rest)
			if err != nil {
				return s, fmt.Errorf("line %q: %w", line, err)
			}
			s.before = n
		case "":
		default:
			return s, fmt.Errorf("line %q does not start with > < ! @ or *", line)
		}
	}
	return s, nil
}

var (
	headerName = regexp.MustCompile(`^[A-Z][A-Za-z-]+$`)
	idUse      = regexp.MustCompile(`\$((?:id|text):[a-zA-Z0-9_]+|mail:(?:token|code)|token)`)
	mailToken  = regexp.MustCompile(`/login/verify\?token=([\w-]+)`)
	mailCode   = regexp.MustCompile(`code where you asked for it: (\d{6})`)
	timeForm   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	idForm     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// playStep runs a step, reports differences, and returns the section as -update
// writes it.
func playStep(t *testing.T, w *world, name, text string) string {
	s, err := parseStep(name, text)
	if err != nil {
		t.Fatal(err)
	}
	w.turnClock(s.advance)
	body := w.fillIDs(strings.Join(s.body, "\n"))
	for _, values := range s.header {
		for i := range values {
			values[i] = w.fillIDs(values[i])
		}
	}
	if body != "" && s.header.Get("Content-Type") == "" {
		s.header.Set("Content-Type", "application/json")
	}
	for range s.before {
		if res := w.do(s.who, s.method, w.fillIDs(s.path), s.header, body); res.status > 299 {
			t.Errorf("%s: an earlier request: %d %s", name, res.status, res.body)
		}
	}
	res := w.do(s.who, s.method, w.fillIDs(s.path), s.header, body)
	for _, words := range s.never {
		if strings.Contains(res.raw, w.fillIDs(words)) {
			t.Errorf("%s: the response contains %q:\n%s", name, words, res.raw)
		}
	}
	if s.status == 0 && !*update {
		t.Fatalf("%s: the step has no response: write it, or run go test ./app -run Transcripts -update and read the diff", name)
	}
	diff := w.difference(strings.Join(s.want, "\n"), res.body)
	if res.status != s.status {
		diff = fmt.Sprintf("status %d, want %d: %s", res.status, s.status, res.body)
	}
	switch {
	case diff == "":
	case *update:
		return s.format(w, res)
	default:
		t.Errorf("%s: %s", name, diff)
	}
	return text
}

// difference compares a response with the expected one and captures ids. It
// returns "" if they match.
func (w *world) difference(want string, got []byte) string {
	if want == "" && len(got) == 0 {
		return ""
	}
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		if want != string(bytes.TrimSpace(got)) {
			return fmt.Sprintf("got %s, want %s", got, want)
		}
		return ""
	}
	if err := json.Unmarshal(got, &b); err != nil {
		return fmt.Sprintf("the response is not JSON: %s", got)
	}
	if diff := cmp.Diff(a, w.match(a, b)); diff != "" {
		return "(-want +got):\n" + diff
	}
	return ""
}

// match returns got with every value that matches a placeholder of want replaced
// by it.
func (w *world) match(want, got any) any {
	switch wv := want.(type) {
	case string:
		return w.matchText(wv, got)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		keys := make([]string, 0, len(g))
		for k := range g {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool { // the id first, which others contain
			return keys[i] == "id" || keys[j] != "id" && keys[i] < keys[j]
		})
		out := map[string]any{}
		for _, k := range keys {
			out[k] = w.match(wv[k], g[k])
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(wv) {
			return got
		}
		out := make([]any, len(g))
		for i := range g {
			out[i] = w.match(wv[i], g[i])
		}
		return out
	}
	return got
}

func (w *world) matchText(want string, got any) any {
	g, isText := got.(string)
	switch {
	case want == "<any>", want == "<time>" && timeForm.MatchString(g), want == "<text>" && isText && g != "":
		return want
	case strings.HasPrefix(want, "$id:") && idUse.FindString(want) == want:
		if w.ids[want] == "" && idForm.MatchString(g) {
			w.ids[want] = g
		}
	case isText && g != "" && strings.HasPrefix(want, "$text:") && idUse.FindString(want) == want:
		if w.ids[want] == "" {
			w.ids[want] = g
		}
	}
	if isText && w.fillIDs(want) == g {
		return want
	}
	return got
}

// fillIDs replaces placeholders with captured ids.
func (w *world) fillIDs(s string) string {
	for name, in := range map[string]*regexp.Regexp{"$mail:token": mailToken, "$mail:code": mailCode} {
		if !strings.Contains(s, name) {
			continue
		}
		if all := in.FindAllStringSubmatch(w.log.String(), -1); len(all) > 0 {
			s = strings.ReplaceAll(s, name, all[len(all)-1][1])
		}
	}
	return idUse.ReplaceAllStringFunc(s, func(name string) string {
		if id, ok := w.ids[name]; ok {
			return id
		}
		return name
	})
}

// format returns the section with the response.
func (s step) format(w *world, res response) string {
	var out strings.Builder
	for _, line := range s.pre {
		fmt.Fprintln(&out, line)
	}
	fmt.Fprintf(&out, "< %d\n", res.status)
	var want any
	json.Unmarshal([]byte(strings.Join(s.want, "\n")), &want)
	var got any
	if err := json.Unmarshal(res.body, &got); err == nil {
		w.match(want, got) // captures the ids that the old text names
		text := jsontext.Value(w.hide(res.body))
		text.Indent(jsontext.WithIndent("  "))
		for line := range strings.Lines(string(text)) {
			fmt.Fprintf(&out, "< %s\n", strings.TrimRight(line, "\n"))
		}
	} else if len(res.body) > 0 {
		for line := range strings.Lines(string(bytes.TrimSpace(res.body))) {
			fmt.Fprintf(&out, "< %s\n", strings.TrimRight(line, "\n"))
		}
	}
	for _, n := range s.never {
		fmt.Fprintf(&out, "! %s\n", n)
	}
	return out.String()
}

var volatile = regexp.MustCompile(`"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z|` +
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})|` +
	`"(eyJ[\w-]+\.[\w-]+\.[\w-]+|oc_[0-9A-Za-z]{49}|cl_[0-9A-Za-z]{49})"`)

// hide replaces values that change from run to run with placeholders, and names
// new ids.
func (w *world) hide(body []byte) string {
	for name, text := range w.ids {
		if strings.HasPrefix(name, "$text:") {
			body = bytes.ReplaceAll(body, []byte(text), []byte(name))
		}
	}
	return volatile.ReplaceAllStringFunc(string(body), func(s string) string {
		if strings.HasSuffix(s, `"`) {
			return `"<text>"`
		}
		v := s[1:]
		if timeForm.MatchString(v) {
			return `"<time>`
		}
		for name, id := range w.ids {
			if id == v {
				return `"` + name
			}
		}
		name := fmt.Sprintf("$id:n%d", len(w.ids)+1)
		w.ids[name] = v
		return `"` + name
	})
}
