//go:build linux

package app_test

import (
	"context"
	"fmt"
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
	// are counted for them, and the garbage collector leaves about as much again. It is
	// to be 64 MiB at rest; a machine that is busy otherwise collects later.
	maxAbused = 256 << 10
	maxSlow   = 72 << 10
	// maxSlower is how many times as long as without an assault 99 % of the requests of
	// people take beside one, if that is longer than twice the time that they are to take:
	// a machine that is busy otherwise is slower.
	maxSlower = 10
	// settled is how long the connections of all attackers take to open.
	settled = 2 * time.Second
)

// assaults are what happens beside the people, one after the other.
var assaults = []struct {
	name    string
	clients int           // that are hostile
	within  time.Duration // how long 99 % of the requests of people are to take at most
	attacks []attack      // of theirs, in turn
}{
	{"nothing", 0, 200 * time.Millisecond, nil},
	{"clients that read nothing", 4, 200 * time.Millisecond, []attack{readNothing, readNothingOwn, readNothingInSessions}},
	{"slow bodies", 4, 200 * time.Millisecond, []attack{slowBodies}},
	{"everything", hostileClients, 250 * time.Millisecond, attacks},
}

// A hundred people use the server while twenty clients, each from an address of
// its own and with an account, do what they can against it: no request of a
// person fails, and the memory of the server stays bounded. That is the last
// assault, for 2 s; with HEARTH_LONG it takes a minute after the others, and what
// clients that do not read cost and how long people wait are bounded as well.
func TestAbuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	people := clients(t, path, honestClients+hostileClients)
	staged := &abuse{t: t, people: people}
	staged.stage(path)
	var calm stress
	for i, assault := range assaults {
		length := lengthOf(i)
		if length == 0 {
			continue
		}
		a := &abuse{t: t, people: people, list: staged.list, items: staged.items}
		got := a.run(path, i, length)
		if i == 0 {
			calm = got
		}
		// Beside the tests of other packages the server and its garbage collector get too
		// little of the cores for bounds this narrow.
		narrow := storetest.Long() && assault.name == "clients that read nothing"
		if got.peak > maxAbused || narrow && got.peak-calm.peak > maxSlow {
			t.Errorf("beside %s the server took %d MiB, and %d without", assault.name, got.peak>>10, calm.peak>>10)
		}
		if storetest.Long() && got.p99 > max(2*assault.within, maxSlower*calm.p99) {
			t.Errorf("beside %s 99 %% of the requests of people took up to %v, and %v without", assault.name, got.p99, calm.p99)
		}
	}
	checkMessages(t, path, people[:honestClients])
}

// lengthOf returns how long an assault takes, 0 if it is left out.
func lengthOf(assault int) time.Duration {
	last := assault == len(assaults)-1
	switch {
	case storetest.Long() && last:
		return time.Minute
	case storetest.Long():
		return 10 * time.Second
	case last:
		return 2 * time.Second
	}
	return 0
}

// stress is what people and the server had to bear.
type stress struct {
	peak int           // the most memory that the server took, in KiB
	p99  time.Duration // within which 99 % of the requests were answered
}

// run serves the people beside an assault for some time.
func (a *abuse) run(path string, i int, length time.Duration) (s stress) {
	t, name := a.t, assaults[i].name
	p := serve(t, exec.Command(storetest.Program(t), append(serveArgs(path), "--rate-limits", "on")...))
	a.base = p.base
	end := a.attack(i)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	a.began = time.Now()
	var all sync.WaitGroup
	for i := range honestClients {
		all.Go(func() { a.behave(ctx, a.people[i], net.IPv4(127, 0, 1, byte(1+i))) })
	}
	all.Wait()
	end()
	slices.Sort(a.took)
	if len(a.took) < honestClients || len(a.failed) > 0 {
		t.Errorf("beside %s: of %d requests of people failed %d: %v %v", name, len(a.took), len(a.failed), a.failed[:min(5, len(a.failed))], a.errors[:min(5, len(a.errors))])
	}
	s.peak = p.memory(t, "VmHWM")
	if n := len(a.took); n > 0 {
		s.p99 = a.took[n*99/100]
		a.later = append(a.later, 0) // of the short form
		slices.Sort(a.later)
		t.Logf("beside %s for %v: %d requests of people, half within %v, 99 %% within %v, and within %v of those after %v; the server took at most %d MiB and %d MiB at the end",
			name, length, n, a.took[n/2], s.p99, a.later[len(a.later)*99/100], settled, s.peak>>10, p.memory(t, "VmRSS")>>10)
	}
	p.client.CloseIdleConnections()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-p.ended; err != nil {
		t.Errorf("the server ended with %v\n%s", err, p.log)
	}
	close(p.ended)
	return s
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
	t      *testing.T
	people []*client
	base   string
	list   string   // with items as large as they can be
	items  []string // of it

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

// behave does what a person does: send, read what is new, look at lists. People do not
// begin in the same instant, so the first request is within the time of a pause.
func (a *abuse) behave(ctx context.Context, who *client, ip net.IP) {
	p := &process{base: a.base, client: clientAt(ip)}
	defer p.client.CloseIdleConnections()
	p.client.Transport = &noting{p.client.Transport, a}
	wait(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
	for n := 0; ctx.Err() == nil; n++ {
		start := time.Now()
		var what string
		var got answered
		switch n % 4 {
		case 0:
			what, got = "send", p.send(who)
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
