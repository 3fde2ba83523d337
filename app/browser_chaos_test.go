//go:build linux

package app_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-json-experiment/json"

	"hearth/store/storetest"
)

// proxy passes connections on to a server, and can be cut.
type proxy struct {
	to   string
	ln   net.Listener
	addr string

	mu    sync.Mutex
	conns map[net.Conn]bool
	cut   bool
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: to, ln: ln, addr: ln.Addr().String(), conns: map[net.Conn]bool{}}
	t.Cleanup(func() { ln.Close(); p.setCut(true) })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

// keep notes a connection, and reports whether the proxy is not cut.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.conns[c] = true
	}
	return !p.cut
}

func (p *proxy) pass(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer s.Close()
	if !p.keep(c) || !p.keep(s) {
		return
	}
	done := make(chan struct{}, 2)
	go func() { io.Copy(s, c); done <- struct{}{} }()
	go func() { io.Copy(c, s); done <- struct{}{} }()
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	delete(p.conns, s)
}

// setCut cuts all connections and takes none, or takes them again.
func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for c := range p.conns {
		if cut {
			c.Close()
			delete(p.conns, c)
		}
	}
}

// reach loads a page until the server answers, and waits for its script.
func (p *tab) reach(path string) {
	p.t.Helper()
	var err error
	for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		err = chromedp.Do(ctx, chromedp.Navigate(p.base+path))
		cancel()
		// The script may run after the page has loaded; a page of the browser's own
		// has none.
		for tries := 0; err == nil && tries < 50; tries++ {
			if ready, _ := try[bool](p, `document.querySelector("#send-hint")?.hidden === false`); ready {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	shown, _ := try[string](p, `location.href + ": " + document.body.innerText`)
	p.t.Fatalf("the page is not there: %v\n%s", err, shown)
}

// chaos is two people who write while what is between them breaks.
type chaos struct {
	t       *testing.T
	rnd     *rand.Rand
	path    string // of the conversation
	program string
	args    []string
	process *process
	proxy   *proxy
	tabs    []*tab // of ada, behind the proxy, and of ben
}

// say types a message, perhaps with a reload of the page in its middle.
func (c *chaos) say(p *tab, text string) {
	c.t.Helper()
	reload := c.rnd.IntN(8) == 0
	focus := func() {
		p.until(`(document.querySelector("#content")?.focus(), document.activeElement.id === "content")`)
	}
	focus()
	if reload {
		half := len(text) / 2
		p.keys(text[:half])
		p.until(fmt.Sprintf(`document.querySelector("#content").value.trim() === %q`, text[:half]))
		p.reach(c.path)
		p.until(fmt.Sprintf(`document.querySelector("#content").value.trim() === %q`, text[:half]))
		focus()
		eval[bool](p, `(el => (el.setSelectionRange(el.value.length, el.value.length), true))(document.activeElement)`)
		text = text[half:]
	}
	p.keys(text + kb.Enter)
}

func (c *chaos) start() { c.process = serve(c.t, exec.Command(c.program, c.args...)) }

// breakOnce kills the server and starts it again, or cuts the network of ada for
// a while.
func (c *chaos) breakOnce(kill bool) {
	c.t.Helper()
	if kill {
		c.process.kill()
		time.Sleep(time.Duration(c.rnd.IntN(700)) * time.Millisecond)
		c.start()
		return
	}
	c.proxy.setCut(true)
	time.AfterFunc(time.Duration(200+c.rnd.IntN(2500))*time.Millisecond, func() { c.proxy.setCut(false) })
}

// allMessages are the texts of a conversation in the order of the server.
func (s *browserServer) allMessages(conversation string) (texts []string) {
	s.t.Helper()
	for before := ""; ; {
		res := s.json("ada", "GET", "/api/chat/conversations/"+conversation+"/messages?limit=100"+before, "")
		var page struct {
			Messages []struct{ Content, CreatedAt string }
			HasMore  bool
		}
		if err := json.Unmarshal(res.body, &page, json.MatchCaseInsensitiveNames(true)); err != nil {
			s.t.Fatalf("%v: %s", err, res.body)
		}
		var part []string
		for _, m := range page.Messages {
			part = append(part, m.Content)
		}
		texts = append(part, texts...)
		if !page.HasMore {
			return texts
		}
		before = "&before=" + page.Messages[0].CreatedAt
	}
}

// Two people write while the server is killed and started again, the network of
// one is cut, and pages are reloaded: every message arrives once, in one order for
// both, and none is lost from the field. HEARTH_LONG makes it 200 messages, 10
// kills and 10 cuts.
func testChaos(t *testing.T, browser context.Context) {
	messages, breaks := storetest.Rounds(20, 200), storetest.Rounds(1, 10)
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	var links []string
	for _, name := range []string{"ada", "ben"} {
		link, err := s.app.SignInURL(t.Context(), name+"@example.org")
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, strings.TrimPrefix(link, s.base()))
	}
	s.hangUp()
	if err := s.app.Close(); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &chaos{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), path: "/chat/" + conversation, program: storetest.Program(t),
		args: []string{"serve", "--db", s.db, "--addr", s.addr}, proxy: newProxy(t, s.addr)}
	c.start()
	for i, base := range []string{"http://" + c.proxy.addr, s.base()} {
		p := newTab(t, browser, base)
		p.expect(`ERR_|Failed to load resource`)
		p.open(links[i])
		p.follow(func() { p.press("Sign in") })
		p.reach(c.path)
		c.tabs = append(c.tabs, p)
	}
	var want []string
	for i := range messages {
		for n := range breaks {
			switch i {
			case (2*n + 1) * messages / (2*breaks + 1):
				c.breakOnce(true)
			case (2*n + 2) * messages / (2*breaks + 1):
				c.breakOnce(false)
			}
		}
		text := fmt.Sprintf("message number %03d of all", i)
		want = append(want, text)
		c.say(c.tabs[i%2], text)
		time.Sleep(time.Duration(c.rnd.IntN(120)) * time.Millisecond)
	}
	c.settle()
	c.process.kill()
	s.open() // for the rest of the test, and its end
	got := s.allMessages(conversation)
	if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
		t.Errorf("%d messages of %d arrived:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for _, p := range c.tabs {
		shown := strings.Split(eval[string](p, words), "|")
		if len(shown) < min(messages, 50) || !slices.Equal(shown, got[len(got)-len(shown):]) {
			t.Errorf("a page shows another order:\n%s\nwant\n%s", strings.Join(shown, "\n"), strings.Join(got, "\n"))
		}
	}
}

// settle waits until nothing waits to be sent, and both pages show the same end.
func (c *chaos) settle() {
	c.t.Helper()
	for _, p := range c.tabs {
		p.until(`Object.keys(localStorage).every(key => !key.includes("-out-"))
			&& !document.querySelector("#messages > :is(.sending, .waiting, .failed, [data-local])")`)
	}
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		a, b := eval[string](c.tabs[0], words), eval[string](c.tabs[1], words)
		if strings.HasSuffix(a, b) || strings.HasSuffix(b, a) {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("the pages differ:\n%s\n%s", a, b)
		}
	}
}
