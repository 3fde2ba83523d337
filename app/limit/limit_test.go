package limit

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// A rate gives back its calls over its time, each caller has its own, and a person shares it
// with their bots. General rates can be lifted, others not.
func TestLimits(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, off := range []bool{false, true} {
		l := New(func() time.Time { return now }, off)
		ada, bot := store.Viewer{UserID: "ada", IP: "1"}, store.Viewer{UserID: "bot", OwnerID: "ada", IP: "2"}
		for n := range Writes.Rule().N + 1 {
			by := ada
			if n%2 == 1 {
				by = bot
			}
			if err := l.Call(Writes, by); core.IsKind(err, core.TooMany) != (!off && n == Writes.Rule().N) {
				t.Fatalf("off %v: write %d: %v", off, n, err)
			}
		}
		if err := l.Call(Writes, store.Viewer{UserID: "ben", IP: "1"}); err != nil {
			t.Error(err)
		}
		for range 10 {
			if err := l.Call(PageErrors, ada); err != nil {
				t.Fatal(err)
			}
		}
		err := l.Call(PageErrors, ada)
		if e := core.As(err); err == nil || e.Code != "too_many_reports" || e.RetryAfter != 6*time.Second {
			t.Errorf("%v", err)
		}
		now = now.Add(6 * time.Second)
		if err := l.Call(PageErrors, ada); err != nil {
			t.Error(err)
		}
	}
}

// However many addresses there are, their buckets are bounded.
func TestBucketsAreBounded(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := New(func() time.Time { return now }, false)
	for n := range maxBuckets + 100 {
		_ = l.Use(LinkPreviews, strings.Repeat("x", n%50)+string(rune(n)))
		if len(l.buckets) > maxBuckets {
			t.Fatalf("%d buckets", len(l.buckets))
		}
	}
}

// A key has its slots, all have theirs, and a slot that is freed can be taken.
func TestSlots(t *testing.T) {
	s := NewSlots(3, 2)
	for n, c := range []struct {
		keys string
		ok   bool
	}{{"a", true}, {"a b", true}, {"a", false}, {"b", true}, {"c", false}} {
		if ok := s.Take(strings.Fields(c.keys)...); ok != c.ok {
			t.Errorf("%d: %v", n, ok)
		}
	}
	s.Free("a", "b")
	if !s.Take("c") || s.Taken() != 3 {
		t.Error("a slot that was freed is not free")
	}
}

// Who finds a gate full waits for a short time.
func TestGate(t *testing.T) {
	g := NewGate(2, time.Millisecond, "Wait.")
	leave, err := g.Enter(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Enter(t.Context(), 1); !core.IsKind(err, core.Unavailable) || core.As(err).RetryAfter == 0 {
		t.Errorf("%v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Enter(canceled, 1); err != context.Canceled {
		t.Errorf("%v", err)
	}
	leave()
	if _, err := g.Enter(t.Context(), 2); err != nil {
		t.Error(err)
	}
}

// An address may have a number of connections, and the next is answered with 503.
// Connections of a trusted proxy are not counted.
func TestListen(t *testing.T) {
	for trusted, want := range map[string]string{"192.0.2.1/32": "HTTP/1.1 503", "127.0.0.0/8": ""} {
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer inner.Close()
		ln := Listen(inner, []netip.Prefix{netip.MustParsePrefix(trusted)})
		go func() {
			for {
				if _, err := ln.Accept(); err != nil {
					return
				}
			}
		}()
		var last net.Conn
		for range AddressConns + 1 {
			if last, err = net.Dial("tcp", inner.Addr().String()); err != nil {
				t.Fatal(err)
			}
			defer last.Close()
		}
		b := make([]byte, len(want)+1)
		last.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		n, _ := last.Read(b)
		if got := string(b[:n]); !strings.HasPrefix(got, want) || want == "" && n > 0 {
			t.Errorf("trusted %s: %q", trusted, got)
		}
	}
}

func TestAddressKey(t *testing.T) {
	for ip, want := range map[string]string{"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64"} {
		if got := AddressKey(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: got %s, want %s", ip, got, want)
		}
	}
}

// The table has every rate, each with a name of its own.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table {
		if r.Name == "" || seen[r.Name] || r.N < 1 || r.In <= 0 || r.Per == "" {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
	}
}
