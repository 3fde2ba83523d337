package middleware

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// testLoad is a load with a clock to turn.
func testLoad(b Bounds) (*load, *time.Time) {
	l, now := newLoad(b), time.Unix(1e9, 0)
	l.now = func() time.Time { return now }
	return l, &now
}

func (l *load) request(t *testing.T, address, account string, want error) *place {
	t.Helper()
	p := &place{l: l, address: address}
	err := p.enter()
	if err == nil {
		err = p.identify(account)
	}
	if err != want {
		t.Errorf("%s %s: got %v, want %v", address, account, err, want)
	}
	if err != nil {
		p.leave()
	}
	return p
}

// unused checks that nothing is counted.
func (l *load) unused(t *testing.T) {
	t.Helper()
	if l.in != 0 || l.bytes != 0 || len(l.callers) != 0 || len(l.waiting) != 0 {
		t.Errorf("%d requests, %d bytes, %d callers, %d waiting are left", l.in, l.bytes, len(l.callers), len(l.waiting))
	}
}

// Requests are bounded in all, for each address and for each account.
func TestPlaces(t *testing.T) {
	l, _ := testLoad(Bounds{Requests: 10, PerAddress: 3, PerAccount: 2})
	var all []*place
	add := func(address, account string, want error) {
		t.Helper()
		all = append(all, l.request(t, address, account, want))
	}
	add("a", "ada", nil)
	add("a", "ada", nil)
	add("b", "ada", errCallerBusy) // of the account
	add("a", "", nil)
	add("a", "", errCallerBusy) // of the address
	add("b", "ben", nil)
	add("b", "ben", nil)
	add("c", "cleo", nil)
	add("c", "cleo", errCallerBusy) // more than half are taken
	for _, newcomer := range []string{"d", "e", "f", "g"} {
		add(newcomer, "of "+newcomer, nil)
	}
	add("h", "hal", errBusy)
	all[0].leave()
	all[0].leave()                 // once
	add("a", "ada", errCallerBusy) // who has one
	add("h", "hal", nil)
	add("i", "ida", errBusy)
	for _, p := range all {
		p.leave()
	}
	l.unused(t)
}

// Memory is bounded in all and for each caller, who may always have one request;
// the first bytes of each request do not count.
func TestMemory(t *testing.T) {
	l, _ := testLoad(Bounds{Bytes: 1000, CallerBytes: 400})
	p := func(address, account string) *place { return l.request(t, address, account, nil) }
	charge := func(p *place, n int64, want error) {
		t.Helper()
		if err := p.charge(n); err != want {
			t.Errorf("%d more bytes: got %v, want %v", n, err, want)
		}
	}
	one, two, ben := p("a", "ada"), p("b", "ada"), p("c", "ben")
	charge(one, FreeBytes, nil)
	charge(two, FreeBytes, nil)
	charge(ben, FreeBytes, nil)
	charge(one, 500, nil) // more than for a caller, but the only one
	charge(two, 1, errCallerBusy)
	charge(one, 100, nil)
	charge(one, 500, errBusy)
	charge(ben, 400, nil)
	charge(ben, 1, errBusy)
	if err := one.settle(FreeBytes + 100); err != nil {
		t.Error(err)
	}
	charge(two, 300, nil)
	charge(two, 1, errCallerBusy)
	for _, p := range []*place{one, two, ben} {
		p.leave()
	}
	l.unused(t)
}

// What it takes to handle a request is counted until its response is reserved, beside
// what it reads, and is no volume.
func TestOccupied(t *testing.T) {
	l, _ := testLoad(Bounds{Bytes: 1000, Volume: 500, VolumePerSecond: 1})
	occupied := func(address string, want error) *place {
		t.Helper()
		p := l.request(t, address, "", nil)
		if err := p.occupy(400); err != want {
			t.Errorf("%s: got %v, want %v", address, err, want)
		}
		return p
	}
	one, two := occupied("a", nil), occupied("b", nil)
	three := occupied("c", errBusy)
	for _, n := range []int64{FreeBytes, 200} {
		if err := one.charge(n); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := three.charge(FreeBytes + 1); err != errBusy {
		t.Errorf("beside what is occupied: got %v", err)
	}
	if err := one.settle(FreeBytes + 600); err != nil {
		t.Errorf("the response: %v", err)
	}
	if one.identify("") == nil {
		t.Error("600 bytes of volume were not counted")
	}
	if err := two.identify(""); err != nil {
		t.Errorf("what was occupied was counted as volume: %v", err)
	}
	for _, p := range []*place{one, two, three} {
		p.leave()
	}
	l.unused(t)
}

// A caller has two large requests at once, and as many small ones as fit.
func TestLargeRequests(t *testing.T) {
	l, _ := testLoad(Bounds{})
	var all []*place
	large := func(address, account string, want error) *place {
		t.Helper()
		p := l.request(t, address, account, nil)
		all = append(all, p)
		if err := p.charge(FreeBytes + largeBytes - 1); err != nil {
			t.Errorf("nearly large: %v", err)
		}
		if err := p.charge(1); err != want {
			t.Errorf("%s %s: got %v, want %v", address, account, err, want)
		}
		return p
	}
	first := large("a", "ada", nil)
	large("b", "ada", nil)
	large("c", "ada", errCallerBusy)
	large("a", "ben", nil)
	large("a", "cleo", errCallerBusy)
	if err := first.settle(10); err != nil {
		t.Error(err)
	}
	large("a", "ada", nil)
	for _, p := range all {
		p.leave()
	}
	l.unused(t)
}

// When a place or memory is missing, the connection of the client that has been
// the slowest for more than a second is closed for it.
func TestSlowestIsCut(t *testing.T) {
	l, now := testLoad(Bounds{Requests: 3, Bytes: 1000})
	var cut []string
	wait := func(name string, bytes int64, moved int) *place {
		p := l.request(t, name, "", nil)
		if err := p.charge(FreeBytes + bytes); err != nil {
			t.Fatal(err)
		}
		p.wait(func() { cut = append(cut, name) })
		p.progress(moved)
		return p
	}
	fast, slow := wait("fast", 400, 2000), wait("slow", 400, 1000)
	*now = now.Add(slowAfter)
	young := wait("young", 200, 0)
	l.request(t, "fourth", "", nil).leave()
	if strings.Join(cut, " ") != "slow" {
		t.Errorf("for a place were cut: %v", cut)
	}
	if err := young.charge(700); err != nil || strings.Join(cut, " ") != "slow fast" {
		t.Errorf("for memory were cut: %v, %v", cut, err)
	}
	if err := young.charge(200); err != errBusy {
		t.Errorf("got %v when nobody has been slow for long", err)
	}
	for _, p := range []*place{fast, slow, young} {
		p.leave()
	}
	l.unused(t)
}

// pieces is a connection whose client sends the body in pieces, each once next
// was received from.
func pieces(t *testing.T, h http.Handler) (send func(string), answered chan *http.Response) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	r, w := io.Pipe()
	answered = make(chan *http.Response, 1)
	go func() {
		res, err := http.Post(srv.URL, "text/plain", r)
		if err != nil {
			t.Error(err)
		}
		r.Close()
		answered <- res
	}()
	return func(s string) {
		if s == "" {
			w.Close()
		} else if _, err := io.WriteString(w, s); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	}, answered
}

// A request has no place while its body arrives, and is refused if there is none
// once it is there. Its bytes count meanwhile.
func TestPlaceAfterTheBody(t *testing.T) {
	for _, full := range []bool{false, true} {
		s := newStack(t, Config{Bounds: Bounds{Requests: 1}})
		reading := make(chan struct{}, 1)
		send, answered := pieces(t, s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := RecorderOf(w)
			err := errors.Join(rec.Enter(), rec.Identify(store.Viewer{Kind: store.Human, UserID: "ada"}))
			if err != nil || s.InFlight() != 1 {
				t.Errorf("before the body: %v, %d places", err, s.InFlight())
			}
			first := make([]byte, 1)
			if _, err := io.ReadFull(r.Body, first); err != nil || s.InFlight() != 0 {
				t.Errorf("within the body: %v, %d places", err, s.InFlight())
			}
			reading <- struct{}{}
			b, err := io.ReadAll(r.Body)
			if err != nil {
				failPlain(w, r, err)
				return
			}
			if s.InFlight() != 1 || len(b) != 99_999 || rec.place.bytes != 200_000 {
				t.Errorf("after %d bytes of body: %d places, %d bytes", len(b), s.InFlight(), rec.place.bytes)
			}
		}), failPlain))
		send(strings.Repeat("x", 50_000))
		select {
		case <-reading:
		case res := <-answered:
			t.Fatalf("answered before the body was read: %v", res)
		}
		other := &place{l: s.load}
		if full {
			if err := other.enter(); err != nil {
				t.Fatal(err)
			}
		}
		send(strings.Repeat("x", 50_000))
		send("")
		res := <-answered
		res.Body.Close()
		if want := map[bool]int{false: 200, true: 503}[full]; res.StatusCode != want {
			t.Errorf("full %v: %s, want %d", full, res.Status, want)
		}
		other.leave()
	}
}

// deadlines records the deadlines that a connection is given.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.read = append(d.read, at)
	return nil
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = append(d.write, at)
	return nil
}

// The time for a body is ten seconds, and one more for every 8 KiB that arrived;
// for a file a minute in place of the ten seconds.
func TestTimeForBody(t *testing.T) {
	for _, tc := range []struct {
		file  bool
		grace time.Duration
	}{{false, bodyTime}, {true, uploadTime}} {
		s := newStack(t, Config{})
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(strings.Repeat("x", 4*minRate)), strings.NewReader("end")))
		s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tc.file {
				LimitUpload(w)
			}
			start := r.Body.(*body).start
			if _, err := io.ReadFull(r.Body, make([]byte, 4*minRate)); err != nil {
				t.Error(err)
			}
			if got := d.read[len(d.read)-1].Sub(start); got != tc.grace+4*time.Second {
				t.Errorf("file %v: after 32 KiB the body has %v in all", tc.file, got)
			}
			before := len(d.read)
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			if last := d.read[len(d.read)-1]; len(d.read) > before+1 || last.Sub(start) > tc.grace+5*time.Second {
				t.Errorf("after its end the body has %v", last.Sub(start))
			}
		}), failPlain).ServeHTTP(d, r)
	}
}

// A response of any length gives its client the same time for each part.
func TestTimeForResponse(t *testing.T) {
	s := newStack(t, Config{SendTime: time.Nanosecond})
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := RecorderOf(w).Enter(); err != nil {
			t.Error(err)
		}
		w.Write(make([]byte, 5*sendPart))
	}), failPlain).ServeHTTP(d, httptest.NewRequest("GET", "/", nil))
	if len(d.write) != 6 || d.Body.Len() != 5*sendPart {
		t.Errorf("%d deadlines for a response of five parts, %d bytes", len(d.write), d.Body.Len())
	}
}

// However many callers take all they can, somebody else gets places and memory.
func TestSomethingIsLeft(t *testing.T) {
	l, _ := testLoad(Bounds{})
	var all []*place
	for caller := range 10 {
		for {
			p := &place{l: l, address: fmt.Sprint(caller)}
			if p.enter() != nil {
				break
			}
			all = append(all, p)
			for p.charge(FreeBytes) == nil && p.bytes < 2*FreeBytes {
			}
		}
	}
	newcomer := l.request(t, "newcomer", "ada", nil)
	if err := newcomer.charge(2 * FreeBytes); err != nil {
		t.Errorf("beside %d requests with %d bytes: %v", l.in, l.bytes, err)
	}
	for _, p := range append(all, newcomer) {
		p.leave()
	}
	l.unused(t)
}

// What is read for a response counts twice, and from when its size is known as much
// as it has, until it is sent; what is read while it is sent counts no more.
func TestMemoryOfAResponse(t *testing.T) {
	l, _ := testLoad(Bounds{Bytes: 1000, CallerBytes: 1000})
	rec := &Recorder{ResponseWriter: httptest.NewRecorder(), place: place{l: l, address: "a"}}
	taken := func(what string, want int64, err, wantErr error) {
		t.Helper()
		if l.bytes != want || err != wantErr {
			t.Errorf("%s: %d bytes are taken, want %d; %v, want %v", what, l.bytes, want, err, wantErr)
		}
	}
	taken("enter", 0, rec.Enter(), nil)
	taken("read", 600, rec.read(FreeBytes/2+300), nil)
	taken("read too much", 600, rec.read(201), errBusy)
	taken("given back", 200, rec.read(-200), nil)
	taken("read all that there is", 1000, rec.read(400), nil)
	if n := BytesRead(rec); n != FreeBytes/2+300-200+400 {
		t.Errorf("%d bytes were read", n)
	}
	taken("a response of a size", 10, Reserve(rec, FreeBytes+10), nil)
	taken("one that is too large", 10, Reserve(rec, FreeBytes+1001), errBusy)
	rec.WriteHeader(http.StatusOK)
	taken("begun", 10, Reserve(rec, FreeBytes+500), nil)
	taken("read as it is sent", 10, rec.read(5000), nil)
	rec.place.leave()
	l.unused(t)
}

// What streams have waiting counts from the first byte, for all streams of a caller
// together, and those that are slow to take it make room for others.
func TestMemoryOfStreams(t *testing.T) {
	l, now := testLoad(Bounds{Bytes: 1000, CallerBytes: 400})
	stream := func(address string) (*Recorder, *deadlines) {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		return &Recorder{ResponseWriter: d, place: place{l: l, address: address}}, d
	}
	first, closed := stream("a")
	release, err := first.Hold(300)
	if err != nil || l.bytes != 300 {
		t.Fatalf("%v, %d bytes are taken", err, l.bytes)
	}
	second, _ := stream("a")
	if _, err := second.Hold(101); err != errCallerBusy {
		t.Errorf("a second stream of the address: %v", err)
	}
	if release(); first.waits() || l.bytes != 0 {
		t.Errorf("once it was sent the first waits: %v, %d bytes are taken", first.waits(), l.bytes)
	}
	if _, err := second.Hold(101); err != nil {
		t.Errorf("after the first was sent: %v", err)
	}
	second.place.leave()
	if _, err := first.Hold(300); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(slowAfter)
	p := l.request(t, "b", "", nil)
	if err := p.charge(FreeBytes + 800); err != nil || !slices.Equal(closed.write, []time.Time{longAgo}) {
		t.Errorf("a request that needs the memory of a slow stream: %v, and its deadlines are %v", err, closed.write)
	}
	first.place.leave()
	p.leave()
	l.unused(t)
}

// A request whose response waits for a body that nobody reads makes room for others,
// however short the response is.
func TestUnreadBodyIsCut(t *testing.T) {
	s := newStack(t, Config{Bounds: Bounds{Requests: 1}})
	now := time.Unix(1e9, 0)
	s.load.now = func() time.Time { return now } // called with the lock of the load
	srv := httptest.NewServer(s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := RecorderOf(w).Enter(); err != nil {
			failPlain(w, r, err)
			return
		}
		w.Write(make([]byte, smallWrite-1))
	}), failPlain))
	defer srv.Close()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n{")
	waits := func() bool {
		s.load.mu.Lock()
		defer s.load.mu.Unlock()
		return len(s.load.waiting) > 0
	}
	for end := time.Now().Add(bodyTime / 2); !waits(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the request does not count as one that waits for its client")
		}
	}
	other := &place{l: s.load, address: "other"}
	defer other.leave()
	if err := other.enter(); err != errBusy {
		t.Errorf("beside it at once: %v", err)
	}
	s.load.mu.Lock()
	now = now.Add(slowAfter)
	s.load.mu.Unlock()
	if err := other.enter(); err != nil {
		t.Errorf("beside it a second later: %v", err)
	}
	c.SetReadDeadline(time.Now().Add(bodyTime / 2))
	if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("its connection stays open")
	}
}
