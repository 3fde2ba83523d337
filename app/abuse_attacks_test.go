//go:build linux

package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// attackPlan is what the attackers know.
type attackPlan struct {
	Base, List string
	Items      []string
	People     []string // ids of accounts
	Attackers  []attackerAccount
	Which      int // of assaults
}

// attackerAccount is an account of an attacker, with an API key and a group.
type attackerAccount struct{ Key, Conversation string }

// attack starts an assault, and returns what ends it. The attackers are a process of
// the lowest priority: they would have processors of their own, and what the server does
// for them takes the same time in either case.
func (a *abuse) attack(which int) (end func()) {
	if assaults[which].clients == 0 {
		return func() {}
	}
	what := attackPlan{Base: a.base, List: a.list, Items: a.items, Which: which}
	for _, who := range a.people[:honestClients] {
		what.People = append(what.People, who.userID)
	}
	for _, who := range a.people[honestClients:] {
		what.Attackers = append(what.Attackers, attackerAccount{who.key, who.conversation})
	}
	text, err := json.Marshal(what)
	if err != nil {
		a.t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", "19", os.Args[0], "-test.run=^TestAttackers$")
	cmd.Stdin = bytes.NewReader(text)
	cmd.Env = append(os.Environ(), "HEARTH_ATTACKERS=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	begun, err := lines.ReadString('\n')
	return func() {
		cmd.Process.Kill()
		rest, _ := io.ReadAll(lines)
		cmd.Wait()
		if begun != attackBegins || len(rest) > 0 {
			a.t.Errorf("the attackers ended early: %v\n%s%s", err, begun, rest)
		}
	}
}

const attackBegins = "the attack begins\n"

// TestAttackers is the process of the attackers, which TestAbuse ends.
func TestAttackers(t *testing.T) {
	if os.Getenv("HEARTH_ATTACKERS") == "" {
		t.Skip("runs as the child process of TestAbuse")
	}
	a := &attackPlan{}
	if err := json.NewDecoder(os.Stdin).Decode(a); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // if nobody ends it
	defer cancel()
	attacks := assaults[a.Which].attacks
	var all sync.WaitGroup
	for i := range assaults[a.Which].clients {
		all.Go(func() {
			attacks[i%len(attacks)](a, ctx, &attacker{a.Attackers[i], net.IPv4(127, 0, 2, byte(1+i))})
		})
	}
	fmt.Print(attackBegins)
	all.Wait()
}

// attacker is a hostile client.
type attacker struct {
	attackerAccount
	address net.IP
}

// attack is what a hostile client does until its context ends.
type attack func(*attackPlan, context.Context, *attacker)

// attacks are what hostile clients do until their context ends.
var attacks = []attack{
	slowHeaders, slowBodies, slowUploads, readNothing, readNothingOwn, readNothingInSessions, flood, floodPages, giantLists, forceGroups, hoardStreams,
}

// each keeps n connections of h busy with f, which ends when the connection does.
func (h *attacker) each(ctx context.Context, a *attackPlan, n int, f func(net.Conn)) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: h.address}}
			for ctx.Err() == nil {
				c, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(a.Base, "http://"))
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
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: x", "Authorization: Bearer " + h.Key}, more...)
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

func slowHeaders(a *attackPlan, ctx context.Context, h *attacker) {
	h.each(ctx, a, 200, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/lists", "X-Slow: "))
		drip(ctx, c, "x", 300*time.Millisecond)
	})
}

// What many connections send.
var (
	mostOfABody  = strings.Repeat(" ", 150_000)
	startOfAFile = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.txt\"\r\n\r\n" + strings.Repeat("x", 1<<20)
)

func slowBodies(a *attackPlan, ctx context.Context, h *attacker) {
	h.each(ctx, a, 520, func(c net.Conn) {
		io.WriteString(c, h.head("POST", "/api/chat/conversations/"+h.Conversation+"/messages", "Content-Type: application/json", "Content-Length: 200000")+"\r\n")
		io.WriteString(c, mostOfABody)
		drip(ctx, c, " ", 300*time.Millisecond)
	})
}

func slowUploads(a *attackPlan, ctx context.Context, h *attacker) {
	h.each(ctx, a, 100, func(c net.Conn) {
		io.WriteString(c, h.head("POST", "/api/chat/attachments", "Content-Type: multipart/form-data; boundary=b", "Content-Length: 20000000")+"\r\n")
		io.WriteString(c, startOfAFile)
		drip(ctx, c, "x", 300*time.Millisecond)
	})
}

func readNothing(a *attackPlan, ctx context.Context, h *attacker) {
	var n atomic.Int32
	h.each(ctx, a, 75, func(c net.Conn) {
		what := []string{"items?limit=100", "items?limit=100", "export"}[n.Add(1)%3]
		io.WriteString(c, strings.Repeat("GET /api/lists/"+a.List+"/"+what+" HTTP/1.1\r\nHost: x\r\n\r\n", 4))
		wait(ctx, 3*time.Second)
	})
}

func readNothingOwn(a *attackPlan, ctx context.Context, h *attacker) {
	h.each(ctx, a, 40, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/chat/conversations/"+h.Conversation+"/messages?limit=100")+"\r\n")
		c.SetReadDeadline(time.Now().Add(3 * time.Second))
		for b := make([]byte, 1); ctx.Err() == nil; wait(ctx, 100*time.Millisecond) {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
}

// readNothingInSessions calls tools in sessions of MCP.
func readNothingInSessions(a *attackPlan, ctx context.Context, h *attacker) {
	client, sessions := clientAt(h.address), make([]string, 4)
	for i := range sessions {
		r, err := http.NewRequestWithContext(ctx, "POST", a.Base+"/mcp", strings.NewReader(initialize))
		if err != nil {
			panic(err)
		}
		r.Header = mcpHeader()
		if res, err := client.Do(r); err == nil {
			sessions[i] = res.Header.Get("Mcp-Session-Id")
			res.Body.Close()
		}
	}
	var n atomic.Int32
	h.each(ctx, a, 75, func(c net.Conn) {
		id := n.Add(1)
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_items","arguments":{"list_id":%q,"limit":40}}}`, id, a.List)
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", sessions[int(id)%len(sessions)], len(body), body)
		if id%2 == 0 {
			wait(ctx, 3*time.Second)
		}
	})
}

// hurry sends requests as fast as they are answered.
func (h *attacker) hurry(ctx context.Context, a *attackPlan, n int, request func(i int) (method, path, body string)) {
	c := clientAt(h.address)
	defer c.CloseIdleConnections()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				method, path, body := request(i)
				r, err := http.NewRequestWithContext(ctx, method, a.Base+path, bytes.NewReader([]byte(body)))
				if err != nil {
					panic(err)
				}
				r.Header.Set("Authorization", "Bearer "+h.Key)
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

func flood(a *attackPlan, ctx context.Context, h *attacker) {
	body := `{"content":"` + strings.Repeat("🧨", 20_000) + `"}`
	h.hurry(ctx, a, 8, func(int) (string, string, string) {
		return "POST", "/api/chat/conversations/" + h.Conversation + "/messages", body
	})
}

func floodPages(a *attackPlan, ctx context.Context, h *attacker) {
	h.hurry(ctx, a, 8, func(i int) (string, string, string) {
		return "GET", []string{"/", "/list/" + a.List, "/api/search?q=large", "/login"}[i%4], ""
	})
}

func giantLists(a *attackPlan, ctx context.Context, h *attacker) {
	large := `{"schema":"lists.list.v1","title":"L","items":[` + strings.TrimSuffix(strings.Repeat(`{"content":"x"},`, 20_000), ",") + `]}`
	h.hurry(ctx, a, 4, func(i int) (string, string, string) {
		if i%2 == 0 {
			return "POST", "/api/lists/import", large
		}
		return "PATCH", "/api/lists/" + a.List + "/items/" + a.Items[i%len(a.Items)], fmt.Sprintf(`{"position":%d}`, i%100)
	})
}

func forceGroups(a *attackPlan, ctx context.Context, h *attacker) {
	body := `{"type":"group","title":"Join us","participantIds":["` + strings.Join(a.People, `","`) + `"]}`
	h.hurry(ctx, a, 4, func(int) (string, string, string) { return "POST", "/api/chat/conversations", body })
}

func hoardStreams(a *attackPlan, ctx context.Context, h *attacker) {
	h.each(ctx, a, 200, func(c net.Conn) {
		io.WriteString(c, h.head("GET", "/api/chat/events")+"\r\n")
		wait(ctx, 3*time.Second)
	})
}
