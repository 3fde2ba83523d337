//go:build linux

package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

const (
	honestClients  = 100
	hostileClients = 20
	// maxAbused and maxSlow are the most memory of a server that is attacked, in
	// KiB, and how much of it clients that do not read their responses cost: 20 MiB
	// are counted for them, and the garbage collector leaves about as much again.
	maxAbused = 256 << 10
	maxSlow   = 72 << 10
	// settled is how long the connections of all attackers take to open.
	settled = 2 * time.Second
)

// assaults are what happens beside the people, one after the other.
var assaults = []struct {
	name    string
	clients int                                        // that are hostile
	attacks []func(*abuse, context.Context, *attacker) // of theirs, in turn
}{
	{"nothing", 0, nil},
	{"clients that read nothing", 4, []func(*abuse, context.Context, *attacker){readNothing, readNothingOwn}},
	{"slow bodies", 4, []func(*abuse, context.Context, *attacker){slowBodies}},
	{"everything", hostileClients, attacks},
}

// A hundred people use the server while twenty clients, each from an address of
// its own and with an account, do what they can against it: no request of a
// person fails, and the memory of the server stays bounded. With HEARTH_LONG the
// last assault takes a minute.
func TestAbuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	people := clients(t, path, honestClients+hostileClients)
	staged := &abuse{t: t, people: people}
	staged.stage(path)
	calm := 0
	for i, assault := range assaults {
		length := 2 * time.Second
		if os.Getenv("HEARTH_LONG") != "" {
			length = 10 * time.Second
			if i == len(assaults)-1 {
				length = time.Minute
			}
		}
		a := &abuse{t: t, people: people, list: staged.list, items: staged.items}
		peak := a.run(path, i, length)
		if i == 0 {
			calm = peak
		}
		if peak > maxAbused || assault.name == "clients that read nothing" && peak-calm > maxSlow {
			t.Errorf("beside %s the server took %d MiB, and %d without", assault.name, peak>>10, calm>>10)
		}
	}
	checkMessages(t, path, people[:honestClients])
}

// run serves the people beside an assault for some time, and returns the most
// memory that the server took, in KiB.
func (a *abuse) run(path string, i int, length time.Duration) (peak int) {
	t, name, attacks := a.t, assaults[i].name, assaults[i].attacks
	p := serve(t, exec.Command(buildHearth(t), append(serveArgs(path), "--rate-limits", "on")...))
	a.base, a.host = p.base, strings.TrimPrefix(p.base, "http://")
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	a.began = time.Now()
	var all sync.WaitGroup
	for i := range assaults[i].clients {
		all.Go(func() {
			attacks[i%len(attacks)](a, ctx, &attacker{client: a.people[honestClients+i], address: net.IPv4(127, 0, 2, byte(1+i))})
		})
	}
	for i := range honestClients {
		all.Go(func() { a.behave(ctx, a.people[i], net.IPv4(127, 0, 1, byte(1+i))) })
	}
	all.Wait()
	slices.Sort(a.took)
	if len(a.took) < honestClients || len(a.failed) > 0 {
		t.Errorf("beside %s: of %d requests of people failed %d: %v %v", name, len(a.took), len(a.failed), a.failed[:min(5, len(a.failed))], a.errors[:min(5, len(a.errors))])
	}
	peak = p.memory(t, "VmHWM")
	if n := len(a.took); n > 0 {
		a.later = append(a.later, 0) // of the short form
		slices.Sort(a.later)
		t.Logf("beside %s for %v: %d requests of people, half within %v, 99 %% within %v, and within %v of those after %v; the server took at most %d MiB and %d MiB at the end",
			name, length, n, a.took[n/2], a.took[n*99/100], a.later[len(a.later)*99/100], settled, peak>>10, p.memory(t, "VmRSS")>>10)
	}
	p.client.CloseIdleConnections()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-p.ended; err != nil {
		t.Errorf("the server ended with %v\n%s", err, p.log)
	}
	close(p.ended)
	return peak
}

// memory returns a line of /proc about the process, in KiB.
func (p *process) memory(t *testing.T, line string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n"+line+":")
	n, err := strconv.Atoi(strings.Fields(rest + " none")[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// abuse is a server that is used and attacked at the same time.
type abuse struct {
	t          *testing.T
	people     []*client
	base, host string
	list       string   // with items as large as they can be
	items      []string // of it

	mu     sync.Mutex
	began  time.Time
	took   []time.Duration // each request of people
	later  []time.Duration // those that began once the attack had settled
	failed []string
	errors []string // of those without a response
}

// stage stores what makes the largest responses: a public list of the attackers
// that move its items, and conversations of those that do not read.
func (a *abuse) stage(path string) {
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(a.t), Synchronous: "OFF"})
	if err != nil {
		a.t.Fatal(err)
	}
	defer db.Close()
	long := strings.Repeat("🧨", 20_000)
	err = db.Write(ctx, func(tx *store.Tx) error {
		a.items = a.items[:0]
		l, err := tx.InsertList(store.List{OwnerID: a.people[honestClients+7].userID, Title: "Large", Visibility: "public"})
		if err != nil {
			return err
		}
		a.list = l.ID
		for range 100 {
			i, _, err := tx.InsertItem(store.Item{ListID: l.ID, Content: long[:8000], Metadata: `{"x":"` + long[:39_000] + `"}`, AuthorID: l.OwnerID})
			if err != nil {
				return err
			}
			a.items = append(a.items, i.ID)
		}
		return nil
	})
	for _, who := range []*client{a.people[honestClients+4], a.people[honestClients+4+len(attacks)]} {
		for range 100 {
			if err == nil {
				err = db.Write(ctx, func(tx *store.Tx) error {
					return tx.Send(&store.Message{ConversationID: who.conversation, SenderID: who.userID, Content: long}, nil)
				})
			}
		}
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// clientAt returns an HTTP client with an address of its own.
func clientAt(ip net.IP) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 64}}
}

// behave does what a person does: send, read what is new, look at lists.
func (a *abuse) behave(ctx context.Context, who *client, ip net.IP) {
	p := &process{base: a.base, client: clientAt(ip)}
	defer p.client.CloseIdleConnections()
	p.client.Transport = &noting{p.client.Transport, a}
	for n := 0; ctx.Err() == nil; n++ {
		start := time.Now()
		var what string
		var got answered
		switch n % 4 {
		case 0:
			if what, got = "send", p.send(who); got.status == 0 {
				got = p.send(who) // the id of the message makes that safe
			}
		case 1:
			what = "newest messages"
			got, _ = p.newest(who)
		case 2:
			what, got = "conversation", p.ask(who, "GET", "/api/chat/conversations/"+who.conversation, nil)
		case 3:
			what, got = "lists", p.ask(who, "GET", "/api/lists?public=true", nil)
		}
		a.note(start, what, got)
		select {
		case <-time.After(time.Duration(200+rand.IntN(200)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// noting notes the errors of requests.
type noting struct {
	http.RoundTripper
	a *abuse
}

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := n.RoundTripper.RoundTrip(r)
	if err != nil {
		n.a.mu.Lock()
		defer n.a.mu.Unlock()
		n.a.errors = append(n.a.errors, err.Error())
	}
	return res, err
}

func (a *abuse) note(start time.Time, what string, got answered) {
	a.mu.Lock()
	defer a.mu.Unlock()
	took := time.Since(start)
	if a.took = append(a.took, took); start.Sub(a.began) > settled {
		a.later = append(a.later, took)
	}
	if got.status < 200 || got.status > 299 {
		a.failed = append(a.failed, fmt.Sprintf("%s: %d %s", what, got.status, got.body.Code))
	}
}

// attacker is a hostile client.
type attacker struct {
	*client
	address net.IP
}

// attacks are what hostile clients do until their context ends.
var attacks = []func(*abuse, context.Context, *attacker){
	slowHeaders, slowBodies, slowUploads, readNothing, readNothingOwn, flood, floodPages, giantLists, forceGroups, hoardStreams,
}

// each keeps n connections of h busy with f, which ends when the connection does.
func (h *attacker) each(ctx context.Context, a *abuse, n int, f func(net.Conn)) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: h.address}}
			for ctx.Err() == nil {
				c, err := d.DialContext(ctx, "tcp", a.host)
				if err != nil {
					wait(ctx, 500*time.Millisecond)
					continue
				}
				stop := context.AfterFunc(ctx, func() { c.Close() })
				f(c)
				stop()
				c.Close()
				wait(ctx, 500*time.Millisecond)
			}
		})
	}
	all.Wait()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// head returns the beginning of a request of h, without the empty line.
func (h *attacker) head(method, path string, more ...string) string {
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: x", "Authorization: Bearer " + h.key}, more...)
	return strings.Join(lines, "\r\n") + "\r\n"
}

// drip sends text in small pieces until the server closes the connection.
func drip(ctx context.Context, c net.Conn, text string, each time.Duration) {
	for i := 0; ctx.Err() == nil; i++ {
		if _, err := io.WriteString(c, text[i%len(text):][:1]); err != nil {
			return
		}
		wait(ctx, each)
	}
}

func slowHeaders(a *abuse, ctx context.Context, h *attacker) {
	h.each(ctx, a, 200, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/lists", "X-Slow: "))
		drip(ctx, c, "x", 300*time.Millisecond)
	})
}

func slowBodies(a *abuse, ctx context.Context, h *attacker) {
	h.each(ctx, a, 520, func(c net.Conn) {
		io.WriteString(c, h.head("POST", "/api/chat/conversations/"+h.conversation+"/messages", "Content-Type: application/json", "Content-Length: 200000")+"\r\n")
		io.WriteString(c, strings.Repeat(" ", 150_000))
		drip(ctx, c, " ", 300*time.Millisecond)
	})
}

func slowUploads(a *abuse, ctx context.Context, h *attacker) {
	h.each(ctx, a, 100, func(c net.Conn) {
		io.WriteString(c, h.head("POST", "/api/chat/attachments", "Content-Type: multipart/form-data; boundary=b", "Content-Length: 20000000")+"\r\n")
		io.WriteString(c, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.txt\"\r\n\r\n"+strings.Repeat("x", 1<<20))
		drip(ctx, c, "x", 300*time.Millisecond)
	})
}

func readNothing(a *abuse, ctx context.Context, h *attacker) {
	request := "GET /api/lists/" + a.list + "/items?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n"
	h.each(ctx, a, 75, func(c net.Conn) {
		io.WriteString(c, strings.Repeat(request, 4))
		wait(ctx, 3*time.Second)
	})
}

func readNothingOwn(a *abuse, ctx context.Context, h *attacker) {
	h.each(ctx, a, 40, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/chat/conversations/"+h.conversation+"/messages?limit=100")+"\r\n")
		c.SetReadDeadline(time.Now().Add(3 * time.Second))
		for b := make([]byte, 1); ctx.Err() == nil; wait(ctx, 100*time.Millisecond) {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
}

// hurry sends requests as fast as they are answered.
func (h *attacker) hurry(ctx context.Context, a *abuse, n int, request func(i int) (method, path, body string)) {
	c := clientAt(h.address)
	defer c.CloseIdleConnections()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				method, path, body := request(i)
				r, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader([]byte(body)))
				if err != nil {
					panic(err)
				}
				r.Header.Set("Authorization", "Bearer "+h.key)
				r.Header.Set("Content-Type", "application/json")
				if res, err := c.Do(r); err == nil {
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}
		})
	}
	all.Wait()
}

func flood(a *abuse, ctx context.Context, h *attacker) {
	body := `{"content":"` + strings.Repeat("🧨", 20_000) + `"}`
	h.hurry(ctx, a, 8, func(int) (string, string, string) {
		return "POST", "/api/chat/conversations/" + h.conversation + "/messages", body
	})
}

func floodPages(a *abuse, ctx context.Context, h *attacker) {
	h.hurry(ctx, a, 8, func(i int) (string, string, string) {
		return "GET", []string{"/", "/list/" + a.list, "/api/search?q=large", "/login"}[i%4], ""
	})
}

func giantLists(a *abuse, ctx context.Context, h *attacker) {
	large := `{"schema":"lists.list.v1","title":"L","items":[` + strings.TrimSuffix(strings.Repeat(`{"content":"x"},`, 20_000), ",") + `]}`
	h.hurry(ctx, a, 4, func(i int) (string, string, string) {
		if i%2 == 0 {
			return "POST", "/api/lists/import", large
		}
		return "PATCH", "/api/lists/" + a.list + "/items/" + a.items[i%len(a.items)], fmt.Sprintf(`{"position":%d}`, i%100)
	})
}

func forceGroups(a *abuse, ctx context.Context, h *attacker) {
	var ids []string
	for _, who := range a.people[:honestClients] {
		ids = append(ids, `"`+who.userID+`"`)
	}
	body := `{"type":"group","title":"Join us","participantIds":[` + strings.Join(ids, ",") + `]}`
	h.hurry(ctx, a, 4, func(int) (string, string, string) { return "POST", "/api/chat/conversations", body })
}

func hoardStreams(a *abuse, ctx context.Context, h *attacker) {
	h.each(ctx, a, 200, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/chat/events")+"\r\n")
		wait(ctx, 3*time.Second)
	})
}
