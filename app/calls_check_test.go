package app_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// try makes a call and checks the response.
func (r *round) try(o *operation, c attempt) {
	r.t.Helper()
	before := ""
	if r.IntN(20) == 0 {
		before = r.state()
	}
	start := time.Now()
	res := r.send(c)
	if strings.HasSuffix(c.path, "/promote") && res.status == http.StatusOK {
		r.promote(c.path)
	}
	if took := time.Since(start); took > r.took {
		r.worst, r.took = c, took
	}
	r.collect(res)
	status := res.status
	if o.method == "TOOL" {
		status = r.checkTool(c, res)
	} else {
		r.checkResponse(c, res)
	}
	if before != "" && status >= 400 && r.state() != before {
		r.t.Errorf("%s\nwas refused with %d but changed the database", c, status)
	}
	r.seen.add(o, status, r.n)
}

// promote notes who has become an administrator.
func (r *round) promote(path string) {
	for name, u := range map[string]store.User{"ada": r.cast.Ada, "ben": r.cast.Ben, "cleo": r.cast.Cleo, "stranger": r.cast.Stranger} {
		if strings.Contains(path, u.ID) {
			r.admins = append(r.admins, name)
		}
	}
}

// send sends a call. A stream is left at its first event.
func (r *round) send(c attempt) response {
	r.t.Helper()
	method, path, body := c.method, c.path, c.body
	if method == "TOOL" {
		method, path, c.header = "POST", "/mcp", mcpHeader()
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.path + `","arguments":` + cmp.Or(body, "{}") + `}}`
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	if strings.Contains(path, "wait=") {
		// Who asks for a request to the agents and goes away.
		leaves := time.AfterFunc(50*time.Millisecond, cancel)
		defer leaves.Stop()
	}
	req := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(body))
	raw, query, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(raw)
	if err != nil {
		r.t.Fatalf("%s: %v", c, err)
	}
	req.Method, req.RequestURI, req.URL = method, path, &url.URL{Path: plain, RawPath: raw, RawQuery: query}
	req.RemoteAddr, req.Host = fmt.Sprintf("198.51.100.%d:1234", r.IntN(250)), "hearth.test"
	for name, values := range c.header {
		req.Header[name] = values
	}
	if c.kind != "" {
		req.Header.Set("Content-Type", c.kind)
	}
	if c.who != "anonymous" {
		req.Header.Set("Authorization", "Bearer "+r.token(c.who))
	}
	rec := &leaver{ResponseRecorder: httptest.NewRecorder(), leave: cancel}
	r.h.ServeHTTP(rec, req)
	if err := r.app.Settle(context.Background()); err != nil {
		r.t.Error(err)
	}
	var text bytes.Buffer
	rec.Header().Write(&text)
	text.Write(rec.Body.Bytes())
	status := rec.Code
	if rec.Code >= 500 && strings.Contains(path, "wait=") && ctx.Err() != nil {
		status = 499 // as the log has it: the client is gone
	}
	return response{status: status, header: rec.Header(), body: rec.Body.Bytes(), raw: text.String()}
}

// leaver is a client that disconnects from a stream after its first event.
type leaver struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l *leaver) Flush() {
	l.ResponseRecorder.Flush()
	if l.Header().Get("Content-Type") == "text/event-stream" && strings.HasPrefix(l.Body.String(), "retry: ") {
		l.leave()
	}
}

// checkResponse checks what holds for every response.
func (r *round) checkResponse(c attempt, res response) {
	r.t.Helper()
	path, _, _ := strings.Cut(c.path, "?")
	upstream := res.status == http.StatusBadGateway && path == "/api/link-preview"
	if res.status == 499 {
		return
	}
	if res.status >= 500 && res.status != http.StatusInsufficientStorage && !upstream {
		r.t.Errorf("%s\ngot %d: %s", c, res.status, res.body)
	}
	s, err := loadSpec()
	if err != nil {
		r.t.Fatal(err)
	}
	promised := s.promisesError(c.method, path, res.status)
	if res.status >= 400 && promised && c.method != http.MethodHead {
		var body struct{ Error, Code string }
		err := json.Unmarshal(res.body, &body, json.MatchCaseInsensitiveNames(true))
		if err != nil || body.Error == "" || body.Code == "" || res.header.Get("Content-Type") != "application/json" {
			r.t.Errorf("%s\ngot %d without an error: %v %s", c, res.status, res.header, res.body)
		}
	}
	for status, header := range map[int]string{401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 412: "ETag"} {
		if res.status == status && promised && res.header.Get(header) == "" {
			r.t.Errorf("%s\ngot %d without %s", c, status, header)
		}
	}
	for name, values := range res.header {
		for _, v := range values {
			if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				r.t.Errorf("%s\nthe response has control characters in %s: %q", c, name, v)
			}
		}
	}
	if !strings.HasSuffix(c.who, "/write") || c.method == http.MethodGet || res.status >= 300 {
		if err := s.check(c.method, path, res.status, res.header, res.body); err != nil {
			r.t.Errorf("%s\n%v", c, err)
		}
	}
	if pattern := s.route(c.method, path); pattern != "" && res.status < 400 && c.method != http.MethodGet && len(res.body) > 0 {
		r.checkReceipt(c, c.method+" "+pattern, res.body)
	}
	r.checkSecrets(c, res)
}

// checkReceipt checks that a key that may write and not read gets no words from an
// operation that not everybody may call, except those that it sent.
func (r *round) checkReceipt(c attempt, called string, body []byte) {
	r.t.Helper()
	public := slices.ContainsFunc(r.operations, func(o *operation) bool { return o.name() == called && o.public })
	if public || !strings.HasSuffix(c.who, "/write") {
		return
	}
	if words := notSent(c.path+c.body, body); words != nil {
		r.t.Errorf("%s\nthe response has %q: %s", c, words, body)
	}
}

// promisesError reports whether an error has a body that says what to do. All errors of
// the API have one, except range errors.
func (s *spec) promisesError(method, path string, status int) bool {
	pattern := s.route(method, path)
	if pattern == "" {
		return strings.HasPrefix(path, "/api/")
	}
	res := s.doc.Paths.Find(pattern).GetOperation(method).Responses.Status(status)
	return res == nil || res.Value.Content.Get("application/json") != nil
}

// checkSecrets checks that nothing of others is in a response.
func (r *round) checkSecrets(c attempt, res response) {
	r.t.Helper()
	r.checkCanaries(c.who, c.String(), res.raw)
	r.checkAddresses(c.who, c.method+" "+c.path, res.raw)
	for of, token := range r.tokens {
		if of != "public" && of != "bad" && strings.Contains(res.raw, token) {
			r.t.Errorf("%s\nthe response has the token of %s: %s", c, of, res.raw)
		}
	}
}

// checkTool checks what holds for every result of a tool, and returns 200, or 400
// for an error.
func (r *round) checkTool(c attempt, res response) int {
	r.t.Helper()
	r.checkSecrets(c, res)
	var m struct {
		Result jsontext.Value
		Error  struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(lastData(res.body), &m, json.MatchCaseInsensitiveNames(true)); err != nil {
		var body struct{ Error, Code string }
		if json.Unmarshal(res.body, &body, json.MatchCaseInsensitiveNames(true)) != nil || res.status < 400 || res.status >= 500 {
			r.t.Errorf("%s\ngot %d: %s", c, res.status, res.body)
		}
		return res.status
	}
	var result toolResult
	switch {
	case res.status >= 500 || m.Error.Code == -32603:
		r.t.Errorf("%s\ngot %d: %s", c, res.status, res.body)
	case m.Result == nil:
		return 400
	case json.Unmarshal(m.Result, &result) != nil || result.IsError && (result.Meta.Error.Code == "" || result.Meta.Error.Code == "internal"):
		r.t.Errorf("%s\ngot %s", c, res.body)
	case result.IsError:
		return 400
	default:
		r.fitsTool(c.path, result.Structured)
		r.checkReceipt(c, "TOOL "+c.path, result.Structured)
	}
	return res.status
}

// checkWorst reports the slowest call. One that takes more than a second when it is
// made again, too, is an error; on other machines than that of the complete check it
// may be the machine.
func (r *round) checkWorst() {
	r.t.Logf("the slowest of %d calls took %v: %s", len(r.operations), r.took.Round(time.Millisecond), r.worst)
	again := r.took
	for range 3 {
		if again <= time.Second {
			return
		}
		start := time.Now()
		r.send(r.worst)
		again = min(again, time.Since(start))
	}
	if again > time.Second && os.Getenv("HEARTH_CI") != "" {
		r.t.Errorf("this call took %v, and at best %v when it was made again: %s", r.took, again, r.worst)
	}
}

// callTable counts the statuses of the operations.
type callTable struct {
	operations []*operation
	seen       map[*operation]map[int]int
	varied     map[*operation]int // successes other than the valid call
	calls      int
}

func newCallTable(operations []*operation) *callTable {
	return &callTable{operations: operations, seen: map[*operation]map[int]int{}, varied: map[*operation]int{}}
}

func (s *callTable) add(o *operation, status, round int) {
	if s.calls++; s.seen[o] == nil {
		s.seen[o] = map[int]int{}
	}
	if s.seen[o][status]++; status < 300 && round > 0 {
		s.varied[o]++
	}
}

// succeeded reports whether o had a success.
func (s *callTable) succeeded(o *operation) bool {
	for status := range s.seen[o] {
		if status < 300 {
			return true
		}
	}
	return false
}

// report prints which statuses of the document were seen, and fails the test if an
// operation never succeeded, or one that nobody can use did.
func (s *callTable) report(t *testing.T) {
	t.Helper()
	if s.calls < len(s.operations) {
		return // a single round is repeated
	}
	documented, seen, varied := 0, 0, 0
	var out strings.Builder
	for _, o := range s.operations {
		if s.succeeded(o) == o.never {
			t.Errorf("%s succeeded: %v, %v", o.name(), o.never, s.seen[o])
		}
		var counts, missing []string
		for _, status := range slices.Sorted(maps.Keys(s.seen[o])) {
			counts = append(counts, fmt.Sprintf("%d×%d", s.seen[o][status], status))
		}
		for _, status := range o.statuses {
			documented++
			number, err := strconv.Atoi(status)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := s.seen[o][number]; ok {
				seen++
			} else if status != "500" && status != "503" {
				missing = append(missing, status)
			}
		}
		if s.varied[o] > 0 {
			varied++
		}
		fmt.Fprintf(&out, "%-75s %s; not seen: %s\n", o.name(), strings.Join(counts, " "), strings.Join(missing, " "))
	}
	if s.calls >= 10_000 && varied < len(s.operations)*9/10 {
		t.Errorf("only %d of %d operations succeeded with other values than the valid ones", varied, len(s.operations))
	}
	t.Logf("%d calls; %d of %d statuses of the document were seen; %d of %d operations succeeded with other values than the valid ones:\n%s",
		s.calls, seen, documented, varied, len(s.operations), out.String())
}
