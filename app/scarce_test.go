package app_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// smallAlone are the operations that are called with the usual values only, and why.
var smallAlone = map[string]string{
	"POST /api/auth/login":                                      "another password is wrong",
	"POST /api/auth/magic-link/verify":                          "another token is wrong",
	"POST /api/frontend-log":                                    "it has no answer, and less text than its members permit",
	"POST /api/chat/context-agent/requests/{requestId}/respond": "a request is answered once",
}

// scarceCall is a call of an operation with the usual or with the largest values.
type scarceCall struct {
	*operation
	largest bool
}

// TestWritesAreAnswered calls every operation that writes when nothing is left of the
// memory for requests but what its body took, and then with more and more of it: a write
// that is refused has changed nothing. It is called as it usually is and with the largest
// values, on a server where what the answers are made of is large.
func TestWritesAreAnswered(t *testing.T) {
	staged := callStage(t)
	largestStage(staged)
	db := staged.snapshot()
	var left []scarceCall
	for _, o := range readOperations(t, staged, "http://site.example") {
		if !writes(o) {
			continue
		}
		if o.body != nil && smallAlone[o.name()] == "" {
			left = append(left, scarceCall{o, true})
		}
		left = append(left, scarceCall{o, false})
	}
	// What is made with the largest values is then changed, and deleted last.
	slices.SortStableFunc(left, func(a, b scarceCall) int {
		return cmp.Or(a.ends-b.ends, strings.Compare(b.method, a.method))
	})
	for n := len(left) + 1; len(left) > 0 && len(left) < n; { // others may have ended what a call needs
		n = len(left)
		s := newScarce(t, staged, db)
		left = slices.DeleteFunc(left, s.walk)
		if len(left) == n {
			t.Errorf("%d calls succeed on no server, such as %s: %d %.300s", n, left[0].name(), s.last.status, s.last.body)
		}
	}
}

// writes reports whether o is a route of an operation that changes something.
func writes(o *operation) bool {
	for _, r := range api.Routes(api.Described()) {
		if of, ok := r.Op.(op.Operation); ok && r.Method+" "+r.Path == o.name() {
			return !of.Info().Hints.Has(op.ReadOnly)
		}
	}
	return false
}

// scarce is a server of which other requests take the memory once the body of a request
// has arrived.
type scarce struct {
	*world
	db   *sql.DB
	last response
}

func newScarce(t *testing.T, staged *world, db []byte) *scarce {
	t.Helper()
	s := &scarce{world: staged.copy(t, db, func(c *app.Config) { c.Store.RunTwice = false })}
	var err error
	if s.db, err = sql.Open("sqlite", "file:"+s.app.DB().Path()+"?mode=ro"); err != nil {
		t.Fatal(err)
	}
	s.db.SetMaxOpenConns(1)
	t.Cleanup(func() { s.db.Close() })
	return s
}

// written returns a number that changes with everything that is written. What an upload
// writes before it is known to whom it belongs is deleted again: then it is the number of
// the newest event.
func (s *scarce) written(o *operation) (n int) {
	s.t.Helper()
	query := "PRAGMA data_version"
	if strings.HasPrefix(o.base.body, "file:") {
		query = "SELECT coalesce(max(id), 0) FROM event"
	}
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// walk makes a call, and reports whether it succeeded.
func (s *scarce) walk(c scarceCall) bool {
	s.t.Helper()
	if c.largest {
		return s.callLargest(c.operation)
	}
	body := s.fillIDs(c.base.body)
	return s.call(c.operation, body) || c.body != nil && s.call(c.operation, current(body, s.last))
}

// callLargest makes a call with the largest values that it takes.
func (s *scarce) callLargest(o *operation) bool {
	s.t.Helper()
	l := newLargest(s.t, s.fillIDs(o.base.body), schemaOf(o.body))
	for range 60 {
		switch {
		case s.call(o, l.body()) && l.confirm(s.last):
			s.keep(o)
			return true
		case s.last.status >= 300 && !l.learn(s.last):
			return false
		}
	}
	return false
}

var madeLargest = regexp.MustCompile(`"(draft|intent|story)":{"id":"([0-9a-f-]{36})"`)

// keep has later calls be about what one made with the largest values.
func (s *scarce) keep(o *operation) {
	if o.method != http.MethodPost {
		return
	}
	for _, m := range madeLargest.FindAllSubmatch(s.last.body, -1) {
		s.ids["$id:"+map[string]string{"draft": "draft", "intent": "ask", "story": "story"}[string(m[1])]] = string(m[2])
	}
}

// call makes a call until there is enough memory for it, and reports whether it succeeded.
func (s *scarce) call(o *operation, body string) bool {
	s.t.Helper()
	for spare := 0; spare <= 16<<20; spare += max(16<<10, spare) {
		before := s.written(o)
		s.last = s.send(o, body, spare)
		if s.last.status != http.StatusServiceUnavailable {
			return s.last.status < 300
		}
		if s.written(o) != before {
			s.t.Errorf("%s was made, and refused because there were no more than %d bytes of memory besides those for the %d of its body: %s", o.name(), spare, len(body), s.last.body)
			return true
		}
	}
	return false
}

// send sends a call. Once its body has arrived, other requests leave spare bytes of
// memory.
func (s *scarce) send(o *operation, body string, spare int) response {
	s.t.Helper()
	body, kind := formOf(s.t, body)
	taker := &taker{Reader: strings.NewReader(body), s: s, spare: spare, done: make(chan struct{})}
	defer taker.release()
	req := httptest.NewRequest(o.method, s.fillIDs(o.base.path), taker)
	if req.ContentLength = int64(len(body)); body == "" {
		req.Body = http.NoBody
		taker.take()
	}
	req.RemoteAddr = "192.0.2.7:1234"
	if kind = cmp.Or(kind, o.base.kind); kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Authorization", "Bearer "+s.token(o.base.who))
	rec := httptest.NewRecorder()
	s.h.ServeHTTP(rec, req)
	if err := s.app.Settle(context.Background()); err != nil {
		s.t.Error(err)
	}
	return response{status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
}

// taker is the body of a request, after which other requests take the memory until done is
// closed.
type taker struct {
	io.Reader
	s     *scarce
	spare int
	taken bool
	done  chan struct{}
	other sync.WaitGroup
}

func (b *taker) Read(to []byte) (int, error) {
	n, err := b.Reader.Read(to)
	if errors.Is(err, io.EOF) && !b.taken {
		b.take()
	}
	return n, err
}

// take has another request take all but the spare bytes.
func (b *taker) take() {
	b.taken = true
	req := httptest.NewRequest("GET", "/", nil)
	req.RemoteAddr = "203.0.113.9:1234"
	taken := make(chan struct{})
	other := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		most := 0
		for step := 1 << 30; step > 0; step /= 2 {
			if middleware.Reserve(w, most+step) == nil {
				most += step
			}
		}
		if err := middleware.Reserve(w, max(0, most-b.spare)); err != nil {
			b.s.t.Error(err)
		}
		close(taken)
		<-b.done
	})
	b.other.Go(func() {
		b.s.app.Stack().Handler(other, func(http.ResponseWriter, *http.Request, error) {}).ServeHTTP(httptest.NewRecorder(), req)
	})
	<-taken
}

// release gives the memory back.
func (b *taker) release() {
	close(b.done)
	b.other.Wait()
}

// largestStage makes what the answers to small writes are made of large: a group with many
// people, its newest message, a report of it, open groups and the answers of a secretary.
func largestStage(w *world) {
	w.t.Helper()
	group, long := w.ids["$id:group"], longText("\x01", 19_990)
	link, err := w.app.Account().LinkFor(context.Background(), "dora@example.org", false)
	if err != nil {
		w.t.Fatal(err)
	}
	_, w.ids["$text:link"], _ = strings.Cut(link, "token=")
	err = w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
		for i := range 600 { // which take more as JSON than when they are read
			u, err := tx.InsertUser(store.User{
				Email: fmt.Sprintf("m%d@example.org", i), Name: longText("\"", 80), SignupProvider: "magic-link",
			})
			if err == nil {
				err = tx.AddMember(group, u.ID, "member")
			}
			if err != nil {
				return err
			}
		}
		for range 200 {
			id, err := tx.InsertGroup(w.cast.Ada.ID, nil, longText("\"", 200))
			if err == nil {
				err = tx.SetOpen(id, true)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	text := encoded(long)
	w.want("ada", "PATCH", "/api/chat/messages/$id:message", `{"content":`+text+`}`, 200, "")
	w.ids["$id:long"] = idIn(w.t, w.want("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":`+text+`,"replyToId":"$id:message"}`, 201, "").body)
	w.ids["$id:report"] = idIn(w.t, w.want("ada", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:long","reason":"Spam"}`, 201, "").body)
	for i := range 47 {
		w.want("ada", "POST", "/api/secretary/answers", `{"question":"`+fmt.Sprint(i)+strings.Repeat("?", 190)+`","answer":`+encoded(longText("\x01", 2000))+`}`, 201, "")
	}
}
