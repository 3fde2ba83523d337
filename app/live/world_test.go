package live_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	authChanged store.EventKind = "auth.changed"
	userUpdated store.EventKind = "user.updated"
)

// world is a hub on a real database behind a listening server, with a table of
// events of its own. The test decides who may see what, and changes it.
type world struct {
	*testing.T
	db  *storetest.DB
	cfg live.Config
	hub *live.Hub
	srv *httptest.Server

	renders atomic.Int64 // events rendered
	checks  atomic.Int64 // queries for rights
	fail    atomic.Bool  // rendering fails

	mu       sync.Mutex
	revoked  map[string]bool                              // accounts whose credentials no longer hold
	private  map[string]bool                              // lists that only accounts may see
	names    map[string]string                            // of accounts known in every list
	watching map[string]list.Watcher                      // what accounts are to every list
	rendered func(r *store.Reader, ev store.Event) string // what is rendered of it besides
}

func newWorld(t testing.TB, set func(*live.Config)) *world {
	t.Helper()
	w := &world{db: storetest.Open(t), revoked: map[string]bool{}, private: map[string]bool{}, names: map[string]string{},
		watching: map[string]list.Watcher{}}
	w.T, _ = t.(*testing.T)
	w.cfg = live.Config{
		DB: w.db.DB, Key: []byte(rand.Text()), Audience: (*store.Reader).ConversationAudience,
		Credentials: w.credentials, Watchers: w.watchers,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PerCaller: 100,
		Events: []core.Event{
			{Kind: "message.created", Scope: core.ToConversation, Data: true, Render: w.render, Groups: byActor},
			{Kind: "friend.updated", Scope: core.ToUser, Data: true, Render: w.render},
			{Kind: "context.updated", Scope: core.ToLane, Data: true, Render: w.render},
			{Kind: "item.created", Scope: core.ToList, Data: true, Render: w.render},
			{Kind: "list.updated", Scope: core.ToList, Data: true, Render: w.render, Effects: core.CheckList},
			{Kind: "list.deleted", Scope: core.ToList, Data: true, Render: w.render, Effects: core.EndList},
			{Kind: "list.shared", Scope: core.ToList, Effects: core.CheckList},
			{Kind: authChanged, Scope: core.ToUser, Effects: core.CheckUser | core.EndTyping},
			{Kind: userUpdated, Scope: core.ToUser, Effects: core.CheckUser},
			{Kind: "list.presence", Name: "presence", Scope: core.ToList, Data: true, Ephemeral: true, Presence: true},
			{Kind: "presence", Scope: core.ToUser, Data: true, Ephemeral: true},
			{Kind: "typing", Scope: core.ToConversation, Data: true, Ephemeral: true},
			{Kind: "poke", Scope: core.ToUser, Data: true, Ephemeral: true},
		},
	}
	if set != nil {
		set(&w.cfg)
	}
	w.addLists(t, "l1", "l2")
	w.hub = live.New(w.cfg)
	w.db.OnCommit(func(events []store.Event) { w.hub.Notify(events) })
	w.srv = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(func() {
		w.closeHub(t)
		w.srv.Close()
	})
	return w
}

// addLists adds public lists, whose events are replayed.
func (w *world) addLists(t testing.TB, ids ...string) {
	t.Helper()
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		owner, err := tx.InsertUser(store.User{Email: "owner@example.org", Name: "Owner", SignupProvider: "magic-link"})
		for _, id := range ids {
			if err == nil {
				_, err = tx.InsertList(store.List{ID: id, OwnerID: owner.ID, Title: id, Visibility: "public", Slug: id})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) closeHub(t testing.TB) {
	t.Helper()
	w.hub.Close()
}

// restart replaces the hub.
func (w *world) restart(t testing.TB) {
	t.Helper()
	w.closeHub(t)
	w.hub = live.New(w.cfg)
}

// serve opens a stream: the query has the caller and what they watch.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := store.Viewer{UserID: q.Get("user"), KeyID: q.Get("key"), IP: q.Get("ip")}
	if v.UserID != "" {
		v.Kind = store.Human
	}
	if s := q.Get("until"); s != "" {
		n, _ := strconv.ParseInt(s, 10, 64)
		v.Until = store.Time(n)
	}
	scope, topic := core.ToUser, ""
	if id := q.Get("list"); id != "" {
		scope, topic = core.ToList, id
	} else if id := q.Get("lane"); id != "" {
		scope, topic = core.ToLane, id
	}
	sub, err := w.hub.Subscribe(r.Context(), v, scope, topic)
	if err == nil {
		w.hub.Serve(rw, r, sub)
		return
	}
	status := map[core.Kind]int{core.Unauthenticated: 401, core.NotFound: 404, core.TooMany: 429, core.Unavailable: 503}
	http.Error(rw, err.Error(), status[core.As(err).Kind])
}

func (w *world) render(r *store.Reader, v store.Viewer, ev store.Event) (any, error) {
	w.renders.Add(1)
	if w.fail.Load() {
		return nil, errors.New("rendering fails")
	}
	w.mu.Lock()
	f := w.rendered
	w.mu.Unlock()
	more := ""
	if f != nil {
		more = f(r, ev)
	}
	if ev.ObjectID == "deleted" {
		return nil, nil
	}
	return jsontext.Value(fmt.Appendf(nil, `{"object":%q,"own":%v%s}`, ev.ObjectID, v.UserID != "" && v.UserID == ev.ActorID, more)), nil
}

// credentials are valid unless the test has revoked them, in memory or, as
// the setting "revoked/<key>", in the database.
func (w *world) credentials(r *store.Reader, vs []store.Viewer) ([]bool, error) {
	w.checks.Add(1)
	out := make([]bool, len(vs))
	for i, v := range vs {
		setting, err := r.Setting("revoked/" + v.KeyID)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		out[i] = !w.revoked[v.UserID] && !w.revoked[v.KeyID] && setting == ""
		w.mu.Unlock()
	}
	return out, nil
}

func (w *world) watchers(_ *store.Reader, ws []list.Watcher) error {
	w.checks.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range ws {
		ws[i].Visible = !w.private[ws[i].ListID] || ws[i].UserID != ""
		ws[i].Name, ws[i].Known = w.names[ws[i].UserID]
		if as, ok := w.watching[ws[i].UserID]; ok && ws[i].UserID != "" {
			as.ListID, as.UserID, as.Visible, as.Agent = ws[i].ListID, ws[i].UserID, true, ws[i].Agent
			ws[i] = as
		}
	}
	return nil
}

func (w *world) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// emit writes one event for each object and returns their numbers.
func (w *world) emit(t testing.TB, ev store.Event, objects ...string) (ids []int64) {
	t.Helper()
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		ids = ids[:0]
		for _, o := range objects {
			ev.ObjectID = o
			if err := tx.Emit(ev); err != nil {
				return err
			}
		}
		_, newest, err := tx.EventRange()
		for i := range objects {
			ids = append(ids, newest-int64(len(objects)-1-i))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// group makes a group conversation of the people; the first owns it.
func (w *world) group(t testing.TB, people ...store.User) (id string) {
	t.Helper()
	var others []string
	for _, p := range people[1:] {
		others = append(others, p.ID)
	}
	err := w.db.Write(context.Background(), func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(people[0].ID, others, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// sql changes rows over a connection of its own.
func (w *world) sql(t testing.TB, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.db.Path()+"?_busy_timeout=5000&_foreign_keys=on&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// byActor is the Groups of events that differ for the account that caused them.
func byActor(_ *store.Reader, ev store.Event) (func(viewer store.Viewer) string, error) {
	return func(v store.Viewer) string {
		if v.UserID == ev.ActorID {
			return "actor"
		}
		return ""
	}, nil
}
