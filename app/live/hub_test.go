package live_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

func TestDeliveryChecksAccess(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv, other := w.group(t, p.Ada, p.Ben), w.group(t, p.Cleo)
	ada, ben, cleo := w.connect(t, as(p.Ada), ""), w.connect(t, as(p.Ben), ""), w.connect(t, as(p.Cleo), "")
	watcher := w.connect(t, as(p.Ada)+"&list=l1", "")
	watcher.expect("presence", "viewers")

	w.emit(t, store.Event{Topic: conv, Kind: "message.created", ActorID: p.Ada.ID}, "m1", "deleted")
	w.emit(t, store.Event{Topic: p.Ben.ID, Kind: "friend.updated"}, "f1")
	w.emit(t, store.Event{Topic: conv, Kind: "unknown.kind"}, "x")
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
	w.emit(t, store.Event{Topic: "l2", Kind: "item.created"}, "i2")
	last := store.Event{Kind: "message.created"}
	last.Topic = conv
	w.emit(t, last, "end")
	last.Topic = other
	w.emit(t, last, "end")
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "end")

	if e := ada.expect("message.created", "m1"); !strings.Contains(e.data, `"own":true`) {
		t.Errorf("the sender's variant: %+v", e)
	}
	ada.expect("message.created", "end")
	if e := ben.expect("message.created", "m1"); !strings.Contains(e.data, `"own":false`) {
		t.Errorf("the reader's variant: %+v", e)
	}
	ben.expect("friend.updated", "f1")
	ben.expect("message.created", "end")
	cleo.expect("message.created", "end")
	watcher.expect("item.created", "i1")
	watcher.expect("item.created", "end")
	if _, status := w.try(t, "", ""); status != 401 {
		t.Errorf("an anonymous feed: status %d", status)
	}
}

func TestOneRenderForManyStreams(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben, p.Cleo)
	var clients []*client
	for i := range 60 {
		clients = append(clients, w.connect(t, as([]store.User{p.Ada, p.Ben, p.Cleo}[i%3]), ""))
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created", ActorID: p.Ada.ID}, "m1")
	for _, c := range clients {
		c.expect("message.created", "m1")
	}
	if n := w.renders.Load(); n != 2 {
		t.Errorf("60 streams of 3 people took %d renders, want 2", n)
	}
}

// However often clients reconnect while others write, each receives every
// event once, in order.
func TestResumeWithoutGapOrRepetition(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	const events = 600
	first := w.connect(t, as(p.Ada), "")
	start, _ := first.block()
	first.close()

	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range events {
			w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, strconv.Itoa(i))
		}
	})
	for n := range 4 {
		query := as([]store.User{p.Ada, p.Ben}[n%2])
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		wg.Go(func() {
			last, want := start.id, 0
			for want < events {
				c := w.connect(t, query, last)
				for range rnd.IntN(60) + 1 {
					e := c.next()
					if e == (sse{}) {
						break // it fell behind; the next stream continues
					}
					if e.data != fmt.Sprintf(`{"object":"%d","own":false}`, want) {
						t.Errorf("client %d got %+v, want %d", n, e, want)
						return
					}
					last, want = e.id, want+1
					if want == events {
						break
					}
				}
				c.close()
			}
		})
	}
	wg.Wait()
}

// A stream that is not read holds a bounded number of events.
func TestFullQueueEndsTheStream(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), core.ToUser, "")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for range 300 {
		if err := w.hub.PublishUsers([]string{p.Ada.ID}, "poke", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if w.hub.Streams() != 1 {
		t.Fatal("an ephemeral event ended the stream")
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1")
	for deadline := time.Now().Add(10 * time.Second); w.hub.Streams() == 1; {
		if time.Now().After(deadline) {
			t.Fatal("an event was lost and the stream goes on")
		}
		time.Sleep(time.Millisecond)
	}
}

// Of what an account missed, states of one object that would be equal are sent once;
// of what happened in a list, everything.
func TestReplayOfOneObject(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	start := w.connect(t, as(p.Ada), "")
	first, _ := start.block()
	start.close()
	for range 3 {
		w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1")
		w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m2")
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i2")
	feed, list := w.connect(t, as(p.Ada), first.id), w.connect(t, "list=l1", first.id)
	feed.expect("message.created", "m1")
	feed.expect("message.created", "m2")
	ids := map[string]bool{}
	for range 3 {
		ids[list.skipTo("i1").id] = true
	}
	list.skipTo("i2")
	if len(ids) != 3 {
		t.Errorf("three changes have %d ids", len(ids))
	}
}

func TestReplayIsPaged(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	first := w.connect(t, as(p.Ada), "")
	start, _ := first.block()
	first.close()
	var objects []string
	for i := range 1234 {
		objects = append(objects, strconv.Itoa(i))
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, objects...)
	w.emit(t, store.Event{Topic: w.group(t, p.Ben), Kind: "message.created"}, "not hers")
	c := w.connect(t, as(p.Ada), start.id)
	for _, o := range objects {
		c.expect("message.created", o)
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "live")
	c.expect("message.created", "live")
}

func TestResync(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	ids := w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "a", "b", "c", "d")
	w.sql(t, `DELETE FROM event WHERE id < ?`, ids[2])
	for _, tc := range []struct {
		after  string
		want   string
		object string
	}{
		{w.hub.Seal(ids[0]), "resync", ""}, {w.hub.Seal(ids[3] + 1000), "resync", ""}, {w.hub.Seal(0), "resync", ""},
		{w.hub.Seal(ids[1]), "message.created", "c"}, {w.hub.Seal(ids[2]), "message.created", "d"}, {"0", "message.created", "c"},
	} {
		c := w.connect(t, as(p.Ada), tc.after)
		e := c.next()
		if e.name != tc.want || !strings.Contains(e.data, tc.object) {
			t.Errorf("after %s: got %+v, want %s", tc.after, e, tc.want)
		}
		if n, _ := w.hub.Open(e.id); e.name == "resync" && (n != ids[3] || e.data != fmt.Sprintf(`{"id":%q}`, e.id)) {
			t.Errorf("after %s: %+v does not name the newest event %d", tc.after, e, ids[3])
		}
		c.close()
	}
	c := w.connect(t, as(p.Ada)+"&lastEventId="+w.hub.Seal(ids[2]), "")
	c.expect("message.created", "d")
	good := w.hub.Seal(ids[2])
	flip := map[byte]string{'0': "1"}[good[31]]
	if flip == "" {
		flip = "0"
	}
	for _, bad := range []string{"garbage", "x", "-1", "1", "00", strconv.FormatInt(ids[2], 10), good[:31], good + "0", good[:31] + flip,
		good[:30] + "xx", strings.Repeat("0", 32), w.hub.Seal(-5), " 0"} {
		c := w.connect(t, as(p.Ada)+"&lastEventId="+strings.ReplaceAll(bad, " ", "%20"), "")
		if e := c.next(); e.name != "resync" {
			t.Errorf("lastEventId %q: %+v, want a resync", bad, e)
		}
		c.close()
	}
}

// After a restore, a stream that resumes after an event from after the backup is
// told to load everything again, because the log no longer has that event. A stream
// that resumes after an event of the backup is not told so.
func TestResumeAfterARestore(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	m := store.Event{Topic: conv, Kind: "message.created"}
	kept := w.emit(t, m, "kept", "kept too")
	w.sql(t, `INSERT INTO event (id, topic, kind, object_id, at) VALUES (?, '', 'restored', '', 0)`, kept[1]+1<<32)
	after := w.emit(t, m, "after", "newest")
	for lost, resync := range map[int64]bool{kept[1] + 1: true, kept[1] + 1<<32 - 1: true, kept[0]: false, kept[1]: false, after[0]: false} {
		c := w.connect(t, as(p.Ada), w.hub.Seal(lost))
		if e := c.next(); (e.name == "resync") != resync {
			t.Errorf("after the event %d the stream begins with %+v", lost, e)
		}
		c.close()
	}
	w.connect(t, as(p.Ada), "0").expect("message.created", "kept")
	w.sql(t, `DELETE FROM event WHERE id <= ?`, kept[1])
	w.connect(t, as(p.Ada), "0").expect("message.created", "after")
}

// A client that was disconnected before the first event can still resume.
func TestPositionIsSentFirst(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	first := w.connect(t, as(p.Ada), "")
	ids := w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "old")
	first.expect("message.created", "old")
	c := w.connect(t, as(p.Ada), "")
	e, _ := c.block()
	if n, _ := w.hub.Open(e.id); n != ids[0] || e.retry != "2000" || e.data != "" {
		t.Errorf("first block %+v", e)
	}
	// Some clients, the EventSource of npm among them, take a position only with data.
	if e := w.connect(t, "list=l1", "").next(); e.name != "presence" || e.id == "" {
		t.Errorf("the first event of a list is %+v, want presence with a position", e)
	}
	if h := c.resp.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" ||
		h.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", h)
	}
}

// Streams are bounded in all, for each address and for each account, from however
// many addresses.
func TestLimits(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.MaxStreams, c.PerCaller = 6, 3 })
	p := storetest.People(t, w.db)
	q := func(u store.User, ip string) string { return as(u) + "&ip=" + ip }
	refused := func(query string, want int, what string) {
		t.Helper()
		if _, status := w.try(t, query, ""); status != want {
			t.Errorf("%s: status %d, want %d", what, status, want)
		}
	}
	a := w.connect(t, q(p.Ada, "2001:db8::/64"), "")
	w.connect(t, q(p.Ada, "2001:db8::/64"), "")
	w.connect(t, q(p.Cleo, "2001:db8::/64"), "")
	refused(q(p.Ben, "2001:db8::/64"), 429, "fourth stream of an address")
	w.connect(t, q(p.Ada, "2001:db8:0:1::/64"), "")
	refused(q(p.Ada, "192.0.2.1"), 429, "fourth stream of an account")
	w.connect(t, q(p.Ben, "192.0.2.1"), "")
	w.connect(t, "list=l1", "")
	refused("list=l1", 429, "the seventh stream in all")
	a.close()
	for w.hub.Streams() == 6 {
		time.Sleep(time.Millisecond) // until the server has noticed
	}
	w.connect(t, q(p.Ada, "2001:db8::/64"), "")
}

// A stream that another server serves is counted as the others are, and gets no events.
func TestHeldStreams(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.MaxStreams, c.PerCaller = 4, 2 })
	p := storetest.People(t, w.db)
	by := func(u store.User, ip string) store.Viewer {
		return store.Viewer{Kind: store.Human, UserID: u.ID, IP: ip, CanRead: true}
	}
	hold := func(v store.Viewer, want string) (end func()) {
		t.Helper()
		_, end, err := w.hub.Hold(t.Context(), v)
		if code := ""; err != nil {
			if code = core.As(err).Code; code != want {
				t.Errorf("%v, want %q", err, want)
			}
		} else if want != "" {
			t.Errorf("it is open, want %q", want)
		}
		return end
	}
	first := hold(by(p.Ada, "192.0.2.1"), "")
	hold(by(p.Ada, "192.0.2.2"), "")
	hold(by(p.Ada, "192.0.2.3"), "too_many_streams")
	if _, status := w.try(t, as(p.Ada)+"&ip=192.0.2.3", ""); status != 429 {
		t.Errorf("a feed of the account: %d", status)
	}
	hold(store.Viewer{IP: "192.0.2.2"}, "")
	hold(store.Viewer{IP: "192.0.2.2"}, "too_many_streams")
	hold(store.Viewer{IP: "192.0.2.3"}, "")
	hold(store.Viewer{IP: "192.0.2.4"}, "too_many_streams")
	for range 2 * 128 { // more than wait for one client
		w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "message.created"}, "m")
	}
	first()
	first()
	if n := w.hub.Streams(); n != 3 {
		t.Errorf("%d streams are open, want 3", n)
	}
	hold(by(p.Ada, "192.0.2.3"), "")
}

// A stream whose events cannot be rendered ends, and its client receives what
// it missed from the log when it reconnects.
func TestFailedRenderIsNotLost(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	c := w.connect(t, as(p.Ada), "")
	c.block()
	w.fail.Store(true)
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1")
	c.ended()
	w.fail.Store(false)
	w.set(func() { w.rendered = func(*store.Reader, store.Event) string { panic("boom") } })
	again := w.connect(t, as(p.Ada), c.lastID)
	again.ended()
	w.set(func() { w.rendered = nil })
	again = w.connect(t, as(p.Ada), again.lastID)
	again.expect("message.created", "m1")
	w.set(func() { w.rendered = func(*store.Reader, store.Event) string { panic("boom") } })
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m3")
	again.ended()
	w.set(func() { w.rendered = nil })
	w.connect(t, as(p.Ada), again.lastID).expect("message.created", "m3")
}

// Events that clients do not see are left out of a replay, too.
func TestReplayLeavesOut(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	start := w.connect(t, as(p.Ada), "")
	first, _ := start.block()
	start.close()
	for _, ev := range []store.Event{{Topic: p.Ada.ID, Kind: "unknown.kind"}, {Topic: p.Ada.ID, Kind: userUpdated},
		{Topic: p.Ada.ID, Kind: "item.created"}, {Topic: p.Ada.ID, Kind: "friend.updated"}} {
		w.emit(t, ev, "f1")
	}
	for _, kind := range []store.EventKind{"list.shared", "friend.updated", "item.created"} {
		w.emit(t, store.Event{Topic: "l1", Kind: kind}, "i1")
	}
	w.connect(t, as(p.Ada), first.id).expect("friend.updated", "f1")
	if e := w.connect(t, "list=l1", first.id).skipTo("i1"); e.name != "item.created" {
		t.Errorf("got %+v", e)
	}
}

func TestPublish(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	ada, ben, cleo := w.connect(t, as(p.Ada), ""), w.connect(t, as(p.Ben), ""), w.connect(t, as(p.Cleo), "")
	lane := w.connect(t, as(p.Ben)+"&lane="+conv, "")
	if err := w.hub.PublishConversation(t.Context(), conv, p.Ada.ID, "typing", []byte("{\n\"by\":\"Ada\"}")); err != nil {
		t.Fatal(err)
	}
	if err := w.hub.PublishUsers([]string{p.Ada.ID, p.Cleo.ID}, "presence", []byte(`{"who":"Ben"}`)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []store.EventKind{"friend.updated", "unknown"} {
		if w.hub.PublishUsers([]string{p.Ada.ID}, kind, []byte("{}")) == nil {
			t.Errorf("%s was published to accounts", kind)
		}
	}
	before := ben.lastID
	if e := ben.expect("typing", "Ada"); e.data != "{\n\"by\":\"Ada\"}" || (before != "" && e.id != before) {
		t.Errorf("got %+v", e)
	}
	ada.expect("presence", "Ben")
	cleo.expect("presence", "Ben")
	w.emit(t, store.Event{Topic: conv, Kind: "context.updated"}, "post")
	lane.expect("context.updated", "post") // and nothing of the feed before
}

func TestShutdown(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	c := w.connect(t, as(p.Ada), "")
	l := w.connect(t, "list=l1", "")
	c.block()
	w.hub.Close()
	e, ok := c.block()
	if n, err := strconv.Atoi(e.retry); !ok || err != nil || n < 1000 || n > 5000 {
		t.Errorf("the last block is %+v, want when to reconnect", e)
	}
	c.ended()
	for ok := true; ok; _, ok = l.block() {
	}
	// A browser reconnects to a stream that ends, but not after an error.
	late := w.connect(t, as(p.Ada), "")
	if e, ok := late.block(); !ok || e.retry == "" {
		t.Errorf("after Close: %+v, want when to reconnect", e)
	}
	late.ended()
	w.private["l2"] = true
	if _, status := w.try(t, "list=l2", ""); status != 404 {
		t.Errorf("a private list after Close: status %d", status)
	}
}

// Where each viewer is a variant of their own, each receives what is rendered
// for them, with what the database has of them.
func TestRenderingForEachViewer(t *testing.T) {
	w := newWorld(t, func(c *live.Config) {
		c.Events = append(c.Events, core.Event{
			Kind: "vote.changed", Scope: core.ToConversation, Data: true,
			Groups: func(*store.Reader, store.Event) (func(store.Viewer) string, error) {
				return func(v store.Viewer) string { return v.UserID }, nil
			},
			Render: func(r *store.Reader, v store.Viewer, _ store.Event) (any, error) {
				u, err := r.User(v.UserID)
				return map[string]string{"for": u.Name}, err
			},
		})
	})
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	start := w.hub.Seal(0)
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1")
	for _, last := range []string{"", start} { // live, and replayed
		for _, u := range []store.User{p.Ada, p.Ben, p.Ada} {
			c := w.connect(t, as(u), last)
			if last == "" {
				w.emit(t, store.Event{Topic: conv, Kind: "vote.changed"}, "v1")
			} else {
				c.expect("message.created", "m1")
			}
			c.expect("vote.changed", u.Name)
		}
	}
}
