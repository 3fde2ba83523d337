package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/store"
	"hearth/store/storetest"
)

// browserServer is a server that listens, and can be stopped and started again
// at the same address and on the same file. It has the real clock,
// like the browser.
type browserServer struct {
	*world
	db, addr string
	with     []func(*app.Config) // change the settings
	cancel   context.CancelFunc
	ended    chan error
}

// emptyBrowserServer starts a server on a file of its own, with nobody on it.
func emptyBrowserServer(t *testing.T, with ...func(*app.Config)) *browserServer {
	t.Helper()
	s := makeBrowserServer(t, filepath.Join(t.TempDir(), "hearth.db"))
	s.with = with
	s.open()
	s.listen()
	return s
}

// newBrowserServer starts a server on a file of its own, with the cast.
func newBrowserServer(t *testing.T, with ...func(*app.Config)) *browserServer {
	t.Helper()
	s := emptyBrowserServer(t, with...)
	s.cast = storetest.People(t, &storetest.DB{DB: s.app.DB()})
	for name, u := range map[string]store.User{"ada": s.cast.Ada, "ben": s.cast.Ben, "cleo": s.cast.Cleo} {
		s.ids["$id:"+name] = u.ID
	}
	return s
}

// makeBrowserServer returns a server on the file db that is not yet open.
func makeBrowserServer(t *testing.T, db string) *browserServer {
	s := &browserServer{world: &world{t: t, ids: map[string]string{}, log: &storetest.Buffer{},
		tokens: map[string]string{"public": testPublicKey}}, db: db, addr: "127.0.0.1:0"}
	t.Cleanup(func() {
		s.hangUp()
		if err := s.app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// open opens the file. The address is chosen before, because links contain it.
func (s *browserServer) open() {
	s.t.Helper()
	if s.addr == "127.0.0.1:0" {
		ln, err := net.Listen("tcp", s.addr)
		if err != nil {
			s.t.Fatal(err)
		}
		s.addr = ln.Addr().String()
		ln.Close()
	}
	cfg := app.Config{
		DB: s.db, Schema: storetest.Schema(s.t), BaseURL: s.base(), PublicKey: testPublicKey,
		Log: slog.New(slog.NewTextHandler(s.log, nil)), Out: s.log, Version: "test",
		// These tests are not about durability.
		Store: store.Options{Synchronous: "OFF"},
		// People of these tests write faster than others do.
		NoRateLimits: true,
	}
	for _, change := range s.with {
		change(&cfg)
	}
	a, err := app.New(context.Background(), cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.app, s.h = a, a.Handler()
}

func (s *browserServer) base() string { return "http://" + s.addr }

// listen accepts connections.
func (s *browserServer) listen() {
	s.t.Helper()
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan error, 1)
	a := s.app
	go func() { s.ended <- a.Run(ctx, ln) }()
}

// hangUp stops accepting connections and closes those that are open.
func (s *browserServer) hangUp() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel = nil
	if err := <-s.ended; err != nil {
		s.t.Error(err)
	}
}

// reopen closes the file and opens it again, without listening:
// requests through json are answered, those over the network are refused.
func (s *browserServer) reopen() {
	s.t.Helper()
	s.hangUp()
	if err := s.app.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// post sends JSON as a person of the cast and returns the id in the answer.
func (s *browserServer) post(who, path, body string) string {
	s.t.Helper()
	res := s.json(who, "POST", path, s.fillIDs(body))
	var out struct {
		ID                  string
		List, Item, Comment struct{ ID string }
	}
	if err := json.Unmarshal(res.body, &out, json.MatchCaseInsensitiveNames(true)); err != nil || res.status >= 300 {
		s.t.Fatalf("POST %s: %d %s", path, res.status, res.body)
	}
	return out.ID + out.List.ID + out.Item.ID + out.Comment.ID
}

// converse creates a conversation of ada with the others and returns its id.
func (s *browserServer) converse(title string, others ...string) string {
	s.t.Helper()
	for i, name := range others {
		others[i] = fmt.Sprintf("%q", s.ids["$id:"+name])
	}
	return s.post("ada", "/api/chat/conversations", fmt.Sprintf(`{"title":%q,"participantIds":[%s]}`, title, strings.Join(others, ",")))
}

// send sends a message as a person of the cast and returns its id.
func (s *browserServer) send(who, conversation, words string) string {
	s.t.Helper()
	return s.post(who, "/api/chat/conversations/"+conversation+"/messages", fmt.Sprintf(`{"content":%q}`, words))
}

// lines has ada send "line 1" to "line n" and returns their ids.
func (s *browserServer) lines(conversation string, n int) (ids []string) {
	s.t.Helper()
	for i := range n {
		ids = append(ids, s.send("ada", conversation, fmt.Sprint("line ", i+1)))
	}
	return ids
}

var (
	mailedLink = regexp.MustCompile(`http://\S+(/login/verify\?token=\S+)`)
	mailedCode = regexp.MustCompile(`asked for it: (\d{6})`)
)

// mailTo returns the sign-in link, as a path, and the code of the newest mail
// to an address, from the log of the server.
func (s *browserServer) mailTo(email string) (link, code string) {
	s.t.Helper()
	shown := s.log.String()
	at := strings.LastIndex(shown, "To:      "+email)
	if at < 0 {
		s.t.Fatalf("no mail to %s was shown:\n%s", email, shown)
	}
	l, c := mailedLink.FindStringSubmatch(shown[at:]), mailedCode.FindStringSubmatch(shown[at:])
	if l == nil || c == nil {
		s.t.Fatalf("the mail has no link or no code:\n%s", shown[at:])
	}
	return l[1], c[1]
}
