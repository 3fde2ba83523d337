package app_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/store"
)

// stallingListener accepts connections that take a number of bytes and then no more.
type stallingListener struct {
	net.Listener
	takes   int
	stalled atomic.Int64 // connections with a write that waits
}

func (l *stallingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &stallingConn{Conn: c, l: l, left: l.takes, cut: make(chan struct{})}, err
}

type stallingConn struct {
	net.Conn
	l    *stallingListener
	left int
	once sync.Once
	cut  chan struct{}
}

func (c *stallingConn) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left >= 0 {
		return c.Conn.Write(b)
	}
	c.l.stalled.Add(1)
	<-c.cut
	return 0, os.ErrDeadlineExceeded
}

func (c *stallingConn) SetWriteDeadline(t time.Time) error {
	if !t.IsZero() && t.Before(time.Now()) {
		c.once.Do(func() { close(c.cut) })
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *stallingConn) Close() error {
	c.once.Do(func() { close(c.cut) })
	return c.Conn.Close()
}

// However many accounts do not take their exports, and however long what they have to
// export is, the memory for it is bounded, and the others are refused before anything
// is read.
func TestUnreadExportsOfAccounts(t *testing.T) {
	const clients = 26
	for name, groups := range map[string]int{"messages": 1, "last messages": 60} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fillGroups(w.others(clients), groups, 60/groups)
			for i := range clients {
				w.clock.Advance(10 * time.Second) // for the bound of tries to sign in
				w.token(fmt.Sprint("person", i))
			}
			srv := httptest.NewUnstartedServer(w.h)
			l := &stallingListener{Listener: srv.Listener, takes: 512 << 10}
			srv.Listener = l
			srv.Start()
			defer srv.Close()
			defer srv.CloseClientConnections()
			var before, during runtime.MemStats
			readHeap(&before)
			counts := map[int]int{}
			for i := range clients {
				c, err := net.Dial("tcp", srv.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				fmt.Fprintf(c, "GET /api/auth/export?range=all_time HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", w.token(fmt.Sprint("person", i)))
				res, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
				if err != nil {
					t.Fatal(err)
				}
				counts[res.StatusCode]++
			}
			if counts[200] == 0 || counts[200] > 24 || counts[200]+counts[503] != clients {
				t.Errorf("of %d exports at once: %v", clients, counts)
			}
			for end := time.Now().Add(2 * time.Minute); int(l.stalled.Load()) < counts[200]; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%d exports wait for their clients, want %d", l.stalled.Load(), counts[200])
				}
			}
			readHeap(&during)
			if took := int64(during.HeapAlloc) - int64(before.HeapAlloc); took > 14<<20 {
				t.Errorf("%d exports that nobody takes hold %d MiB", counts[200], took>>20)
			}
		})
	}
}

// fillGroups adds groups of ada and others, with messages of 80 KB in each.
func (w *world) fillGroups(others []string, groups, messages int) {
	w.t.Helper()
	if err := w.app.DB().Write(w.t.Context(), func(tx *store.Tx) error {
		for range groups {
			id, err := tx.InsertGroup(w.cast.Ada.ID, others, "Long")
			for range messages {
				tx.Now = tx.Tick()
				if err == nil {
					err = tx.Send(&store.Message{ConversationID: id, SenderID: w.cast.Ada.ID, Content: strings.Repeat("🧨", 20_000), Type: "text"}, nil)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
}
