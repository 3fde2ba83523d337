package webhook

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/store"
	"hearth/store/storetest"
)

// world is a worker on a database of the test's own, with the cast, a clock that
// stands still and a receiver on the loopback interface.
type world struct {
	*testing.T
	storetest.Cast
	ctx    context.Context
	db     *store.DB
	clock  *store.ManualClock
	chat   *chat.Service
	worker *Worker
	groups chan struct{} // a group of writes was committed
	path   string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, ctx: context.Background(), clock: store.NewManualClock(storetest.Epoch), groups: make(chan struct{}, 1),
		path: filepath.Join(t.TempDir(), "hearth.db")}
	w.open()
	w.Cast = storetest.People(t, &storetest.DB{DB: w.db, Clock: w.clock})
	t.Cleanup(func() {
		w.stop()
		broken, err := w.db.Check(w.ctx)
		if err != nil || len(broken) > 0 {
			t.Errorf("invariants: %v %v", err, broken)
		}
		w.db.Close()
	})
	return w
}

// open opens the database and makes a worker, which is not started.
func (w *world) open() {
	w.Helper()
	db, err := store.Open(w.ctx, w.path, store.Options{Schema: storetest.Schema(w), Now: w.clock.Now, Synchronous: "OFF",
		OnPrepare: storetest.Inspect(w), OnGroup: func(int, time.Duration) {
			select {
			case w.groups <- struct{}{}:
			default:
			}
		}})
	if err != nil {
		w.Fatal(err)
	}
	d, err := fetch.NewDialer([]string{"127.0.0.1"})
	if err != nil {
		w.Fatal(err)
	}
	client := fetch.NewClient(d, fetch.Options{UserAgent: "hearth/test"})
	w.db, w.chat = db, chat.New(chat.Config{DB: db, BaseURL: "https://hearth.test", CheckURL: client.CheckURL})
	w.worker = New(Config{DB: db, Fetch: client, Log: slog.New(slog.NewTextHandler(w.Output(), nil))})
}

func (w *world) start() {
	w.Helper()
	w.worker.Start(w.ctx)
}

// stop stops the worker at once.
func (w *world) stop() {
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	w.worker.Close(ctx)
}

// restart is a stop and a start of the server.
func (w *world) restart() {
	w.Helper()
	w.stop()
	if err := w.db.Close(); err != nil {
		w.Fatal(err)
	}
	w.open()
	w.start()
}

func (w *world) advance(d time.Duration) {
	w.clock.Advance(d)
	w.worker.Wake()
}

var as = storetest.Human

func (w *world) group(owner store.User, others ...store.User) string {
	w.Helper()
	ids := []string{owner.ID}
	for _, o := range others {
		ids = append(ids, o.ID)
	}
	out, err := w.chat.CreateConversation.Call(w.ctx, as(owner), chat.CreateConversationIn{ParticipantIDs: ids, Type: "group"})
	if err != nil {
		w.Fatal(err)
	}
	return out.ID
}

func (w *world) send(by store.Viewer, conversation, content string) chat.Message {
	w.Helper()
	m, err := w.chat.SendMessage.Call(w.ctx, by, chat.SendMessageIn{ConversationID: conversation, Content: content})
	if err != nil {
		w.Fatal(err)
	}
	return m.Message
}

func (w *world) hook(owner store.User, url, conversation string) chat.NewWebhook {
	w.Helper()
	in := chat.CreateWebhookIn{URL: url}
	if conversation != "" {
		in.ConversationID = core.Some(conversation)
	}
	out, err := w.chat.CreateWebhook.Call(w.ctx, as(owner), in)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// log returns the newest deliveries of a webhook, the newest first.
func (w *world) log(owner store.User, id string) []chat.Delivery {
	w.Helper()
	page, err := w.chat.ListDeliveries.Call(w.ctx, as(owner), chat.ListDeliveriesIn{ID: id, Limit: 100})
	if err != nil {
		w.Fatal(err)
	}
	return page.Items
}

func (w *world) webhook(owner store.User, id string) chat.Webhook {
	w.Helper()
	all, err := w.chat.ListWebhooks.Call(w.ctx, as(owner), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	for _, h := range all {
		if h.ID == id {
			return h
		}
	}
	w.Fatalf("no webhook %s", id)
	return chat.Webhook{}
}

// until waits until the condition holds, which is checked after each write.
func (w *world) until(what string, holds func() bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-w.groups:
		case <-ctx.Done():
			w.Fatalf("not reached: %s", what)
		}
	}
}

// status waits until the newest delivery of a webhook has been attempted so often
// and has the status.
func (w *world) status(owner store.User, id, status string, attempts int) (d chat.Delivery) {
	w.Helper()
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the newest delivery: %+v, last error %v", d, d.Error)
		}
	})
	w.until(status, func() bool {
		all := w.log(owner, id)
		if len(all) > 0 {
			d = all[0]
		}
		return d.Status == status && d.Attempts == attempts
	})
	return d
}

// request is a request that a receiver got.
type request struct {
	header http.Header
	body   []byte
	chat.WebhookDelivery
}

// receiver is a server on the loopback interface that records what it gets.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []request
	answer func(w http.ResponseWriter, r *http.Request, n int) // n counts from 1; nil answers 204
}

func (w *world) receiver(answer func(http.ResponseWriter, *http.Request, int)) *receiver {
	w.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	w.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	got := request{header: req.Header, body: body}
	if err == nil {
		err = json.Unmarshal(body, &got.WebhookDelivery, json.RejectUnknownMembers(true))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got = append(r.got, got)
	n, answer := len(r.got), r.answer
	r.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, req, n)
}

func (r *receiver) all() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request(nil), r.got...)
}

// contents returns the contents of the messages received, in order.
func (r *receiver) contents() (out []string) {
	for _, g := range r.all() {
		out = append(out, g.Message.Content)
	}
	return out
}

// always answers with a status.
func always(status int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(status) }
}
