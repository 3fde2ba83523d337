package chat_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// said and reader are the reference: what was sent, and what each member has
// read, counted again each time.
type said struct {
	id      string
	sender  int
	deleted bool
	order   int
	at      store.Time
}

type reader struct {
	in   bool
	upTo int // the order of the last message read
}

type model struct {
	messages []said
	readers  []reader
}

func (m *model) unread(who int) (n int) {
	for _, x := range m.messages {
		if x.sender != who && !x.deleted && x.order > m.readers[who].upTo {
			n++
		}
	}
	return n
}

// TestUnread plays random sends, reads, deletions, joining and leaving, and
// compares the stored counts with a recount after every step.
func TestUnread(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playUnread(t, seed) })
	}
}

func playUnread(t *testing.T, seed uint64) {
	w := newWorld(t)
	rnd := rand.New(rand.NewPCG(seed, 42))
	people := []store.User{w.Ada, w.Ben, w.Cleo, w.Stranger}
	c := w.group(w.Ada, w.Ben)
	m := model{readers: []reader{{in: true}, {in: true}, {}, {}}}
	for step := range 150 {
		who := rnd.IntN(len(people))
		u := people[who]
		what := ""
		switch k := rnd.IntN(20); {
		case !m.readers[who].in || k == 0 && who != 0:
			what = m.toggle(w, c.ID, who, u)
		case k < 10:
			sent := w.send(u, c.ID, "x")
			m.messages = append(m.messages, said{sent.ID, who, false, len(m.messages) + 1, sent.CreatedAt})
			what = "send"
		case k == 10:
			what = m.unreadFrom(w, rnd, c.ID, who, u)
		case k < 15:
			what = m.read(w, rnd, c.ID, who, u)
		default:
			what = m.deleteOne(w, rnd, who, u)
		}
		for i, r := range m.readers {
			if r.in {
				m.compare(w, c.ID, people[i], i, fmt.Sprintf("step %d, %s by %s", step, what, u.Name))
			}
		}
	}
}

// read marks everything read, or everything up to a message.
func (m *model) read(w *world, rnd *rand.Rand, id string, who int, u store.User) string {
	w.Helper()
	in, upTo := chat.MarkReadIn{ConversationID: id}, len(m.messages)
	if n := rnd.IntN(len(m.messages) + 1); n < len(m.messages) {
		in.UpTo, upTo = &m.messages[n].at, m.messages[n].order
	}
	_, err := w.s.MarkRead.Call(w.ctx, as(u), in)
	w.ok(err)
	m.readers[who].upTo = max(m.readers[who].upTo, upTo)
	return "read"
}

// unreadFrom marks the messages from one of them on as unread.
func (m *model) unreadFrom(w *world, rnd *rand.Rand, id string, who int, u store.User) string {
	w.Helper()
	if len(m.messages) == 0 {
		return "nothing"
	}
	x := m.messages[rnd.IntN(len(m.messages))]
	m.readers[who].upTo = min(m.readers[who].upTo, x.order-1)
	out, err := w.s.MarkUnread.Call(w.ctx, as(u), chat.MarkUnreadIn{ConversationID: id, MessageID: x.id})
	w.ok(err)
	if out.UnreadCount != m.unread(who) {
		w.Fatalf("%s has %d unread after marking them, want %d", u.Name, out.UnreadCount, m.unread(who))
	}
	return "mark as unread"
}

// toggle lets Ada bring who into the group, or remove who.
func (m *model) toggle(w *world, id string, who int, u store.User) string {
	w.Helper()
	if m.readers[who].in {
		w.ok(w.remove(w.Ada, id, u))
		m.readers[who].in = false
		return "remove"
	}
	_, err := w.addTo(w.Ada, id, u)
	w.ok(err)
	m.readers[who] = reader{true, len(m.messages)}
	return "join"
}

func (m *model) deleteOne(w *world, rnd *rand.Rand, who int, u store.User) string {
	w.Helper()
	if len(m.messages) == 0 {
		return "nothing"
	}
	x := &m.messages[rnd.IntN(len(m.messages))]
	_, err := w.s.DeleteMessage.Call(w.ctx, as(u), core.ByID{ID: x.id})
	if x.sender != who {
		w.refuse(err, core.Forbidden, "not_your_message")
		return "refused deletion"
	}
	w.ok(err)
	x.deleted = true
	return "delete"
}

func (m *model) compare(w *world, id string, u store.User, who int, after string) {
	w.Helper()
	want := m.unread(who)
	if got := w.conversation(u, id).UnreadCount; got != want {
		w.Fatalf("after %s: %s has %d unread, want %d", after, u.Name, got, want)
	}
	total, err := w.s.UnreadTotal.Call(w.ctx, as(u), core.None{})
	if err != nil || total.UnreadTotal != want {
		w.Fatalf("after %s: %s has %d unread in all, want %d (%v)", after, u.Name, total.UnreadTotal, want, err)
	}
}

func TestMarkRead(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	read := func(u store.User) store.Time {
		t.Helper()
		out, err := w.s.MarkRead.Call(w.ctx, as(u), chat.MarkReadIn{ConversationID: c.ID})
		w.ok(err)
		return out.LastReadAt
	}
	w.send(w.Ada, c.ID, "one")
	w.send(w.Ada, c.ID, "two")
	if got := w.conversation(w.Ben, c.ID); got.UnreadCount != 2 || got.LastReadAt != nil {
		t.Errorf("got %+v", got)
	}
	if got := w.conversation(w.Ada, c.ID); got.UnreadCount != 0 {
		t.Errorf("the account's own messages are unread: %+v", got)
	}
	_, last := w.events(0)
	at := read(w.Ben)
	if got := w.conversation(w.Ben, c.ID); got.UnreadCount != 0 || *got.LastReadAt != at {
		t.Errorf("got %+v, read at %v", got, at)
	}
	if again := read(w.Ben); again != at {
		t.Errorf("reading nothing moved the time from %v to %v", at, again)
	}
	if kinds, _ := w.events(last); fmt.Sprint(kinds) != "[read.updated]" {
		t.Errorf("events %v", kinds)
	}
	w.send(w.Ada, w.direct(w.Ada, w.Ben, w.Cleo).ID, "elsewhere")
	w.send(w.Ada, c.ID, "three")
	if total, err := w.s.UnreadTotal.Call(w.ctx, as(w.Ben), core.None{}); err != nil || total.UnreadTotal != 2 {
		t.Errorf("got %+v, %v", total, err)
	}
}

// The first unread message is the oldest of another after the moment up to which was
// read, but for those that are deleted.
func TestFirstUnread(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	first := func(u store.User) string {
		t.Helper()
		out, err := w.s.FirstUnread.Call(w.ctx, as(u), core.ByID{ID: c.ID})
		w.ok(err)
		if (out.CreatedAt == 0) != (out.ID == "") {
			t.Errorf("%+v", out)
		}
		return out.ID
	}
	var sent []chat.Message
	for range 3 {
		sent = append(sent, w.send(w.Ben, c.ID, "x"))
	}
	own := w.send(w.Ada, c.ID, "mine")
	for step, want := range []string{sent[0].ID, sent[1].ID, sent[2].ID, ""} {
		if got := first(w.Ada); got != want {
			t.Errorf("step %d: %q, want %q", step, got, want)
		}
		if first(w.Ben) != own.ID {
			t.Error("Ben's own messages are unread")
		}
		switch step {
		case 0: // read up to exactly the first
			_, err := w.s.MarkRead.Call(w.ctx, as(w.Ada), chat.MarkReadIn{ConversationID: c.ID, UpTo: &sent[0].CreatedAt})
			w.ok(err)
		case 1, 2:
			_, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ben), core.ByID{ID: sent[step].ID})
			w.ok(err)
		}
	}
	_, err := w.s.FirstUnread.Call(w.ctx, as(w.Cleo), core.ByID{ID: c.ID})
	w.refuse(err, core.NotFound, "not_found")
}

// worldWithin returns a world in which the function that is stored runs once, when a
// reader first prepares a statement with a text.
func worldWithin(t *testing.T, statement string) (*world, *atomic.Pointer[func()]) {
	var meanwhile atomic.Pointer[func()]
	clock := store.NewManualClock(storetest.Epoch)
	file, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), store.Options{
		Schema: storetest.Schema(t), Now: clock.Now,
		OnPrepare: func(_ *store.Conn, query string) {
			if !strings.Contains(query, statement) {
				return
			}
			if f := meanwhile.Swap(nil); f != nil {
				(*f)()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	db := &storetest.DB{DB: file, Clock: clock}
	return &world{T: t, Cast: storetest.People(t, db), db: db, ctx: t.Context(), s: chat.New(chat.Config{DB: file})}, &meanwhile
}
