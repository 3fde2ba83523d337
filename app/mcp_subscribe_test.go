package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withToken sends requests with a bearer token.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// watcher is a client that is told what changed.
type watcher struct {
	*mcp.ClientSession
	t    *testing.T
	told chan string
}

func watch(t *testing.T, base, token, version string) *watcher {
	t.Helper()
	w := &watcher{t: t, told: make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { w.told <- req.Params.URI },
	})
	var err error
	w.ClientSession, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/mcp",
		HTTPClient: &http.Client{Transport: withToken(token)}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("revision %s, not %s", got, version)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// hears repeats an act until the client is told of it.
func (w *watcher) hears(act func(), uri string) {
	w.t.Helper()
	for start := time.Now(); time.Since(start) < patience; {
		act()
		select {
		case got := <-w.told:
			if got != uri {
				w.t.Fatalf("told of %s, not %s", got, uri)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	w.t.Fatal("the client was not told")
}

// Clients of both revisions are told when a list changes that they are subscribed
// to, as long as they may see it.
func TestMCPSubscriptions(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			w, base, stop := mcpServer(t)
			defer stop()
			id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Watched","visibility":"private","items":[{"content":"one"}]}`, 201,
				"").body)
			share := func(method, body string, status int) {
				w.want("ada", method, "/api/lists/"+id+"/members/"+w.cast.Ben.ID, body, status, "")
			}
			share("PUT", `{"role":"viewer"}`, 200)
			uri, n := "lists://list/"+id, 0
			change := func() {
				n++
				w.want("ada", "PATCH", "/api/lists/"+id, fmt.Sprintf(`{"title":"Watched %d"}`, n), 200, "")
			}
			ada, ben := watch(t, base, w.token("ada/list"), version), watch(t, base, w.token("ben/list"), version)
			for _, c := range []*watcher{ada, ben} {
				if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
					t.Fatal(err)
				}
				c.hears(change, uri)
			}
			// A star changes nothing in the list, and who may not see it any more is
			// told nothing.
			w.want("ada", "PUT", "/api/lists/"+id+"/items/"+w.firstItem(id)+"/star", "", 200, "")
			share("DELETE", "", 204)
			ada.quiet()
			ben.quiet()
			for range 3 {
				ada.hears(change, uri)
			}
			if len(ben.told) > 0 {
				t.Error("somebody is told of a list that they may no longer see")
			}
			share("PUT", `{"role":"viewer"}`, 200)
			ben.hears(change, uri)
			if err := ada.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// quiet waits until nothing more comes, and forgets what came.
func (w *watcher) quiet() {
	for {
		select {
		case <-w.told:
		case <-time.After(300 * time.Millisecond):
			return
		}
	}
}

// A list that the caller may not see cannot be subscribed to, exactly as none.
func TestMCPSubscriptionsRefused(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Hidden","visibility":"private"}`, 201, "").body)
	open := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public"}`, 201, "").body)
	const missing = "00000000-0000-4000-8000-00000000dead"
	for _, who := range []string{"stranger/list", "public", "anonymous"} {
		hidden, none := listen(t, base, w.tokenOrNone(who), id), listen(t, base, w.tokenOrNone(who), missing)
		if !strings.Contains(hidden, `"error"`) || strings.ReplaceAll(hidden, id, missing) != none {
			t.Errorf("%s: a hidden list differs from none:\n%s\n%s", who, hidden, none)
		}
		if got := listen(t, base, w.tokenOrNone(who), open); !strings.Contains(got, "notifications/subscriptions/acknowledged") {
			t.Errorf("%s: a public list: %s", who, got)
		}
	}
	for _, uri := range []string{"lists://list/", "lists://list/x", "lists://other/" + id, "file:///etc/passwd", ""} {
		s := watch(t, base, w.token("ada/list"), "2025-11-25")
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("%q can be subscribed to", uri)
		}
	}
}

// A key that may not read is told nothing about a list, neither by a subscription nor
// by a feed.
func TestListsAreNotWatchedWithoutRead(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Hidden","visibility":"private"}`, 201, "").body)
	s := watch(t, base, w.token("ada/write"), "2025-11-25")
	for _, id := range []string{id, "00000000-0000-4000-8000-00000000dead"} {
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "lists://list/" + id}); err == nil ||
			!strings.Contains(err.Error(), "scope read") {
			t.Errorf("a subscription: %v", err)
		}
		for _, feed := range []string{"feed.json", "feed.atom"} {
			for _, method := range []string{"GET", "HEAD"} {
				if res := w.do("ada/write", method, "/list/"+id+"/"+feed, nil, ""); res.status != 403 {
					t.Errorf("%s %s: %d %s", method, feed, res.status, res.body)
				}
			}
		}
	}
	w.want("ada/read", "GET", "/list/"+id+"/feed.json", "", 200, "Hidden")
}

// One client has a limited number of streams.
func TestMCPStreamsAreBounded(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public"}`, 201, "").body)
	last := ""
	for range 31 {
		res := listening(t, base, "", id)
		defer res.Body.Close()
		if last = res.Status; res.StatusCode != http.StatusOK {
			break
		}
	}
	if !strings.HasPrefix(last, "429") {
		t.Errorf("the stream after the last: %s", last)
	}
}

// Streams of MCP are live streams: they end with the key or the session
// that opened them, and with the account. Other streams go on.
func TestMCPStreamsEndWithTheirCredential(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ben", "POST", "/api/lists", `{"title":"Open","visibility":"public"}`, 201, "").body)
	var key struct{ ID, Key string }
	w.read(w.want("ben", "POST", "/api/agent-keys", `{"name":"k"}`, 201, ""), 201, &key)
	open := func(token string) (ended <-chan struct{}) {
		res, done := listening(t, base, token, id), make(chan struct{})
		if res.StatusCode != 200 {
			t.Fatal(res.Status)
		}
		t.Cleanup(func() { res.Body.Close() })
		go func() {
			_, _ = io.Copy(io.Discard, res.Body)
			close(done)
		}()
		return done
	}
	is := func(what string, ended <-chan struct{}, want bool) {
		t.Helper()
		patience := 200 * time.Millisecond
		if want {
			patience = 5 * time.Second
		}
		select {
		case <-ended:
			if !want {
				t.Errorf("%s has ended", what)
			}
		case <-time.After(patience):
			if want {
				t.Errorf("%s goes on", what)
			}
		}
	}
	byKey, bySession, other := open(key.Key), open(w.token("ben")), open(w.token("ada"))
	w.want("ben", "DELETE", "/api/agent-keys/"+key.ID, "", 204, "")
	is("the stream of the key", byKey, true)
	is("the stream of the session", bySession, false)
	w.want("root", "POST", "/api/admin/people/$id:ben/suspend", "", 200, "")
	is("the stream of the account", bySession, true)
	is("the stream of another account", other, false)
}

func (w *world) tokenOrNone(who string) string {
	if who == "anonymous" {
		return ""
	}
	return w.token(who)
}

// listening begins to listen for changes of a list.
func listening(t *testing.T, base, token, id string) *http.Response {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{
		"notifications":{"resourceSubscriptions":["lists://list/%s"]},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
			"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`, id)
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = mcpHeader()
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", "subscriptions/listen")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// listen returns the first message of a stream.
func listen(t *testing.T, base, token, id string) string {
	t.Helper()
	res := listening(t, base, token, id)
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if line := strings.TrimPrefix(lines.Text(), "data: "); strings.Contains(line, "{") {
			return line
		}
	}
	return res.Status
}
