//go:build linux

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	honestClients  = 20
	hostileClients = 100
	hostileConns   = 20 // of each
	floodTime      = time.Minute
	maxFlooded     = 384 << 10 // KiB of memory
	honestTries    = 6
)

// A hundred hostile clients hold 2,000 connections with slow bodies, slow headers and responses
// that they do not read. Beside them, each request of twenty people succeeds, at the latest when
// it is sent again, and the memory of the server stays bounded. The log has the times.
func TestFlood(t *testing.T) {
	if !storetest.Long() {
		t.Skip("takes a minute: set HEARTH_LONG=1")
	}
	path := filepath.Join(t.TempDir(), "h.db")
	people := clients(t, path, honestClients+hostileClients)
	fillFlood(t, path, people[honestClients:])
	p := serve(t, exec.Command(storetest.Program(t), append(serveArgs(path), "--rate-limits", "on")...))
	defer startAttack(t, p.base, people[honestClients:])()
	ctx, cancel := context.WithTimeout(t.Context(), floodTime)
	defer cancel()
	var all sync.WaitGroup
	var f flooded
	for i, who := range people[:honestClients] {
		all.Go(func() { f.behave(ctx, p.base, who, net.IPv4(127, 0, 1, byte(1+i))) })
	}
	all.Wait()
	slices.Sort(f.took)
	n := len(f.took)
	if n < honestClients || len(f.failed) > 0 {
		t.Fatalf("of %d requests of people failed %d: %v", n, len(f.failed), f.failed[:min(5, len(f.failed))])
	}
	peak, p99 := p.memory(t, "VmHWM"), f.took[n*99/100]
	t.Logf("%d requests of people, %d sent again: half within %v, 99 %% within %v, all within %v; the server took at most %d MiB, and %d "+
		"MiB at the end",
		n, f.again, f.took[n/2], p99, f.took[n-1], peak>>10, p.memory(t, "VmRSS")>>10)
	if peak > maxFlooded {
		t.Errorf("the server took %d MiB", peak>>10)
	}
	p.kill()
	checkMessages(t, path, people[:honestClients])
}

// fillFlood gives each hostile client a page of messages that a connection does not take at once.
func fillFlood(t *testing.T, path string, hostile []*client) {
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text := strings.Repeat("flood ", 700)
	for _, who := range hostile {
		for range 100 {
			err := db.Write(ctx, func(tx *store.Tx) error {
				return tx.Send(&store.Message{ConversationID: who.conversation, SenderID: who.userID, Content: text}, nil)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
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

// flooded is what the people met.
type flooded struct {
	mu     sync.Mutex
	took   []time.Duration // with all tries
	again  int
	failed []string
}

// behave does what a person does, a few requests a second from an address.
func (f *flooded) behave(ctx context.Context, base string, who *client, ip net.IP) {
	p := &process{base: base, client: clientAt(ip)}
	defer p.client.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		wait(ctx, time.Duration(200+rand.IntN(200))*time.Millisecond)
		start := time.Now()
		what, got := "", answered{}
		for try := range honestTries {
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
			if got.status/100 == 2 {
				break
			}
			f.note(func() { f.again++ })
			time.Sleep(time.Duration(1+try) * 100 * time.Millisecond)
		}
		f.note(func() {
			f.took = append(f.took, time.Since(start))
			if got.status/100 != 2 {
				f.failed = append(f.failed, fmt.Sprintf("%s: %d %s", what, got.status, got.body.Code))
			}
		})
	}
}

func (f *flooded) note(add func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	add()
}

// clientAt returns an HTTP client with an address of its own.
func clientAt(ip net.IP) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 8}}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// attackPlan is what the hostile clients know.
type attackPlan struct {
	Base    string
	Clients []struct{ Key, Conversation string }
}

// startAttack starts the hostile clients, and returns what ends them. They are a process of the
// lowest priority: they would have processors of their own.
func startAttack(t *testing.T, base string, hostile []*client) (end func()) {
	plan := attackPlan{Base: strings.TrimPrefix(base, "http://")}
	for _, who := range hostile {
		plan.Clients = append(plan.Clients, struct{ Key, Conversation string }{who.key, who.conversation})
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", "19", os.Args[0], "-test.run=^TestHostileClients$")
	cmd.Stdin, cmd.Env = bytes.NewReader(text), append(os.Environ(), "HEARTH_HOSTILE=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // until they are connected
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// TestHostileClients is the process of the hostile clients, which TestFlood ends.
func TestHostileClients(t *testing.T) {
	if os.Getenv("HEARTH_HOSTILE") == "" {
		t.Skip("runs as the child process of TestFlood")
	}
	var plan attackPlan
	if err := json.NewDecoder(os.Stdin).Decode(&plan); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*floodTime) // if nobody ends it
	defer cancel()
	var all sync.WaitGroup
	for i, who := range plan.Clients {
		d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 2, byte(1+i))}, Timeout: 5 * time.Second}
		for n := range hostileConns {
			all.Go(func() {
				for ctx.Err() == nil {
					if c, err := d.DialContext(ctx, "tcp", plan.Base); err == nil {
						attack(ctx, c, n, who.Key, who.Conversation)
						c.Close()
					}
					wait(ctx, 500*time.Millisecond)
				}
			})
		}
	}
	all.Wait()
}

// attack keeps a connection busy until the server closes it: with a body, a header, or responses
// that are not read.
func attack(ctx context.Context, c net.Conn, n int, key, conversation string) {
	path := " /api/chat/conversations/" + conversation + "/messages"
	head := " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n"
	switch n % 3 {
	case 0:
		fmt.Fprintf(c, "POST%s%sContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n%s", path, head, strings.Repeat(" ", 150_000))
	case 1:
		io.WriteString(c, "GET"+path+head+"X-Slow: ")
	default:
		io.WriteString(c, strings.Repeat("GET"+path+"?limit=100"+head+"\r\n", 4))
		wait(ctx, 5*time.Second)
		return
	}
	for ctx.Err() == nil {
		if _, err := io.WriteString(c, " "); err != nil {
			return
		}
		wait(ctx, 300*time.Millisecond)
	}
}
