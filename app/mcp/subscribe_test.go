package mcp

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/browse"
	"hearth/app/list"
)

// stuck is a transport that reports when news are sent over it, and sends none before it
// is free.
type stuck struct {
	mcp.Transport
	sent chan bool
	free chan struct{}
}

func (s stuck) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := s.Transport.Connect(ctx)
	return stuckConnection{c, s}, err
}

type stuckConnection struct {
	mcp.Connection
	of stuck
}

func (c stuckConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == resourceUpdated {
		c.of.sent <- true
		<-c.of.free
	}
	return c.Connection.Write(ctx, m)
}

// A client that does not read its news keeps nobody else from theirs, and has one of each
// resource waiting.
func TestNewsOfSlowReaders(t *testing.T) {
	const uri = "test://resource"
	s, err := New(Config{List: list.Described(), Browse: browse.New(nil, nil, time.Now), BaseURL: "https://hearth.example"})
	if err != nil {
		t.Fatal(err)
	}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.sdk.AddSendingMiddleware(s.send)
	defer s.Close()
	told := make(chan string, 100)
	join := func(wrap func(mcp.Transport) mcp.Transport, told chan string) {
		server, client := mcp.NewInMemoryTransports()
		if _, err := s.sdk.Connect(t.Context(), wrap(server), nil); err != nil {
			t.Fatal(err)
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { told <- req.Params.URI },
		}).Connect(t.Context(), client, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err == nil {
			err = session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slow, free := make(chan bool, 100), make(chan struct{})
	release := sync.OnceFunc(func() { close(free) })
	defer release()
	for range 5 {
		join(func(to mcp.Transport) mcp.Transport { return stuck{to, slow, free} }, make(chan string, 100))
	}
	join(func(to mcp.Transport) mcp.Transport { return to }, told)
	wait := func(what string, c chan bool) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(5 * time.Second):
			t.Fatalf("not sent: %s", what)
		}
	}
	change := func() {
		done := make(chan bool, 1)
		go func() {
			_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
			done <- true
		}()
		wait("the change", done)
	}
	change()
	for range 5 {
		wait("the first news of those that are stuck", slow)
	}
	for range 10 {
		change()
		select {
		case <-told:
		case <-time.After(5 * time.Second):
			t.Fatal("who reads is not told")
		}
	}
	release()
	for range 5 {
		wait("the news that wait", slow)
	}
	s.subs.telling.Wait()
	if len(slow) > 0 {
		t.Errorf("%d more news of one resource waited", len(slow))
	}
}

// Of a request that subscribes no more is kept than who sent it.
func TestSubscriptionsKeepLittle(t *testing.T) {
	u, session := newSubscriptions(), &mcp.ServerSession{}
	h := http.Header{"Authorization": {"Bearer cl_key"}, clientHeader: {"203.0.113.1"}, "X-Long": {strings.Repeat("x", 10_000)}}
	extra := &mcp.RequestExtra{Header: h, CloseSSEStream: func(mcp.CloseSSEStreamArgs) {}}
	if err := u.add(session, extra, "id"); err != nil {
		t.Fatal(err)
	}
	got := u.sessions[session].extra
	if h := got.Header; len(h) != 2 || h.Get("Authorization") != "Bearer cl_key" || client(got) != "203.0.113.1" || got.CloseSSEStream != nil {
		t.Errorf("%+v", got)
	}
	if err := u.add(session, &mcp.RequestExtra{}, "id"); err != nil || client(u.sessions[session].extra) != "stdio" {
		t.Errorf("%v, over stdio: %+v", err, u.sessions[session].extra)
	}
}

// The subscriptions of sessions that ended are dropped, and those that begin at that
// moment are kept.
func TestSubscribeMeanwhile(t *testing.T) {
	u := newSubscriptions()
	ended, open, late := &mcp.ServerSession{}, &mcp.ServerSession{}, &mcp.ServerSession{}
	add := func(session *mcp.ServerSession) {
		if err := u.add(session, &mcp.RequestExtra{}, "list"); err != nil {
			t.Error(err)
		}
	}
	add(ended)
	add(open)
	u.keep(&mcp.ServerSession{}, func() iter.Seq[*mcp.ServerSession] {
		sessions := slices.Values([]*mcp.ServerSession{open})
		add(late)
		return sessions
	})
	if u.sessions[ended] != nil || u.sessions[open] == nil || u.sessions[late] == nil {
		t.Errorf("the session that ended is subscribed: %t; the open one: %t; the one that subscribed meanwhile: %t",
			u.sessions[ended] != nil, u.sessions[open] != nil, u.sessions[late] != nil)
	}
}
