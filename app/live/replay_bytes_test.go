package live_test

import (
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// What is read and rendered together of large events is bounded in bytes, also after
// many small ones, and each event is sent once and in order.
func TestReplayOfLargeEvents(t *testing.T) {
	const kind, size = "item.created", 80 << 10
	var most, together int // bytes of one rendering, read and rendered
	w := newWorld(t, func(c *live.Config) {
		i := slices.IndexFunc(c.Events, func(e core.Event) bool { return e.Kind == kind })
		c.Events[i].Render = func(r *store.Reader, _ store.Viewer, evs []store.Event) ([][]byte, error) {
			out := make([][]byte, len(evs))
			together = 0
			for i, ev := range evs {
				text := ""
				if n, _ := strconv.Atoi(ev.ObjectID); n >= 300 {
					l, err := r.List(store.Viewer{}, "large")
					if err != nil {
						return nil, err
					}
					text = l.Description
				}
				together += 2 * len(text)
				most = max(most, together)
				out[i] = []byte(`{"object":"` + ev.ObjectID + `","text":"` + text + `"}`)
			}
			return out, nil
		}
	})
	owner := storetest.People(t, w.db).Ada
	if err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertList(store.List{ID: "large", OwnerID: owner.ID, Title: "L", Description: strings.Repeat("x", size), Visibility: "public", Slug: "large"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	objects := numbers(400)
	ids := w.emit(t, store.Event{Topic: "l1", Kind: kind}, objects...)
	sub, err := w.hub.Subscribe(t.Context(), store.Viewer{}, "l1")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	var got []string
	for _, page := range w.pagesAfter(t, sub, ids[0]-1) {
		if len(page) > 512<<10 {
			t.Errorf("%d KiB wait for the client at once", len(page)>>10)
		}
		for _, m := range objectIn.FindAllSubmatch(page, -1) {
			got = append(got, string(m[1]))
		}
	}
	if !slices.Equal(got, objects) {
		t.Errorf("%d events were sent, want %d in order: %v", len(got), len(objects), got)
	}
	if most > 2<<20 {
		t.Errorf("%d KiB were rendered together", most>>10)
	}
}

// holding is a response whose memory is counted.
type holding struct {
	pages
	held   []int // bytes, when they are taken
	now    int
	refuse bool
	early  bool // something was written that was not held
}

func (h *holding) Hold(n int) (func(), error) {
	if h.refuse {
		return nil, core.New(core.Unavailable, "busy", "Busy.")
	}
	h.held, h.now = append(h.held, n), n
	return func() { h.now = 0 }, nil
}

func (h *holding) Write(b []byte) (int, error) {
	h.early = h.early || len(b) > h.now
	return h.pages.Write(b)
}

// What a replay has waiting counts as memory until the client has taken it. Without
// memory for it the stream ends, to be resumed.
func TestReplayHoldsMemory(t *testing.T) {
	w := newWorld(t, nil)
	ids := w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, numbers(501)...)
	for _, refuse := range []bool{false, true} {
		sub, err := w.hub.Subscribe(t.Context(), store.Viewer{}, "l1")
		if err != nil {
			t.Fatal(err)
		}
		res := &holding{pages: pages{ResponseRecorder: httptest.NewRecorder()}, refuse: refuse}
		err = w.hub.Replay(t.Context(), res, sub, ids[0]-1)
		sub.Close()
		if core.IsKind(err, core.Unavailable) != refuse || res.early || res.now != 0 || len(res.held) != len(res.written) || (len(res.held) == 2) == refuse {
			t.Errorf("refused %v: %v; held %v, %d pages, %d bytes are still held, before: %v", refuse, err, res.held, len(res.written), res.now, res.early)
		}
	}
}

// At most 1 MiB of events waits for a client; the stream ends with the next.
func TestQueueHolds1MiB(t *testing.T) {
	w := newWorld(t, func(c *live.Config) {
		i := slices.IndexFunc(c.Events, func(e core.Event) bool { return e.Kind == "friend.updated" })
		c.Events[i].Render = func(_ *store.Reader, _ store.Viewer, evs []store.Event) ([][]byte, error) {
			return [][]byte{[]byte(`{"object":"` + evs[0].ObjectID + `","text":"` + strings.Repeat("x", 500<<10) + `"}`)}, nil
		}
	})
	p := storetest.People(t, w.db)
	probes := 0
	emit := func(wantStreams int) {
		t.Helper()
		probe := w.connect(t, as(p.Ada), "")
		probe.block()
		w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "o")
		probe.next()
		probes++
		if n := w.hub.Streams() - probes; n != wantStreams {
			t.Errorf("%d streams are open besides, want %d", n, wantStreams)
		}
	}
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), "")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	emit(1)
	emit(1)
	emit(0) // the third
}
