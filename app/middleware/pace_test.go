package middleware

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// Who takes more than Volume waits until enough of it is forgotten, however many
// connections it has. Others do not, also at the same address.
func TestVolume(t *testing.T) {
	l, now := testLoad(Bounds{Volume: 1 << 20, VolumePerSecond: 1 << 18})
	read := func(address, account string) {
		t.Helper()
		p := l.request(t, address, account, nil)
		if err := p.charge(1<<19 + FreeBytes); err != nil {
			t.Error(err)
		}
		p.leave()
	}
	refused := func(address, account string) *core.Error {
		t.Helper()
		p := &place{l: l, address: address}
		defer p.leave()
		if err := p.enter(); err != nil {
			t.Fatal(err)
		}
		err := p.identify(account)
		if err == nil {
			return nil
		}
		return core.As(err)
	}
	for range 3 {
		read("a", "")
		read("b", "ada")
	}
	for _, who := range [][2]string{{"a", ""}, {"b", "ada"}, {"c", "ada"}} {
		if e := refused(who[0], who[1]); e == nil || e.Kind != core.TooMany || e.RetryAfter != 2*time.Second {
			t.Errorf("%q after 1.5 MiB: %v", who, e)
		}
	}
	read("a", "ben")
	read("b", "")
	*now = now.Add(2 * time.Second)
	read("a", "")
	if refused("a", "") == nil {
		t.Error("a second response followed after what was forgotten for one")
	}
	*now = now.Add(time.Minute)
	read("a", "")
	l.unused(t)
}

// What takes no memory worth counting is never too much.
func TestSmallRequestsAreNoVolume(t *testing.T) {
	l, _ := testLoad(Bounds{Volume: 1, VolumePerSecond: 1})
	for range 1000 {
		p := l.request(t, "a", "ada", nil)
		if err := p.charge(FreeBytes); err != nil {
			t.Fatal(err)
		}
		p.leave()
	}
}

// Addresses are remembered up to a bound, and those that took most are not forgotten for
// others. Accounts are not forgotten for addresses.
func TestPacesAreBounded(t *testing.T) {
	l, now := testLoad(Bounds{})
	busy := []*place{{l: l, address: "192.0.2.1"}, {l: l, address: "192.0.2.2", account: "ada"}}
	*now = now.Add(time.Millisecond)
	for _, p := range busy {
		l.took(p.payer(), 2*l.Volume)
		for range maxRefusals {
			p.refused()
		}
	}
	for i := range maxPaces + 100 {
		(&place{l: l, address: fmt.Sprint(i)}).refused()
	}
	if n := l.paces.addresses.Len(); n != maxPaces {
		t.Errorf("%d addresses are remembered, want %d", n, maxPaces)
	}
	for _, p := range busy {
		if l.overspent(p.payer()) == nil || !p.refused() {
			t.Errorf("what %v took is forgotten for others", p.payer())
		}
	}
}

// While many addresses are remembered, those of one IPv6 network count together.
func TestPacesOfANetwork(t *testing.T) {
	l, _ := testLoad(Bounds{})
	refused := 0
	for i := range 2 * maxPaces {
		if (&place{l: l, address: fmt.Sprintf("2001:db8:1:%x::/64", i)}).refused() {
			refused++
		}
	}
	if n := l.paces.addresses.Len(); refused != maxPaces*3/2-maxRefusals || n != maxPaces/2+1 {
		t.Errorf("%d addresses are remembered, %d were delayed", n, refused)
	}
	if (&place{l: l, address: "2001:db8:2:1::/64"}).refused() {
		t.Error("an address of another network is delayed")
	}
}

// A client that goes on although it is refused is answered once a second, and
// holds no place meanwhile. One that goes away is not waited for.
func TestRefusalsAreDelayed(t *testing.T) {
	for _, unpaced := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newStack(t, Config{Bounds: Bounds{Unpaced: unpaced}})
			h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := RecorderOf(w)
				if err := rec.Enter(); err != nil {
					t.Error(err)
				}
				rec.Identify(store.Viewer{Kind: store.Human, UserID: r.Header.Get("User")})
				failPlain(w, r, core.TooManyAfter(time.Second, "too_many_requests", "Wait."))
			}), failPlain)
			ask := func(user string) time.Duration {
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("User", user)
				start := time.Now()
				h.ServeHTTP(httptest.NewRecorder(), r)
				return time.Since(start)
			}
			want := refusalDelay
			if unpaced {
				want = 0
			}
			for i := range maxRefusals {
				if took := ask("ada"); took != 0 {
					t.Errorf("refusal %d took %v", i, took)
				}
			}
			if took := ask("ada"); took != want {
				t.Errorf("unpaced %v: the next took %v", unpaced, took)
			}
			if took := ask("ben"); took != 0 {
				t.Errorf("that of somebody else took %v", took)
			}
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequest("GET", "/", nil).WithContext(ctx)
			r.Header.Set("User", "ada")
			done := make(chan struct{})
			go func() { h.ServeHTTP(httptest.NewRecorder(), r); close(done) }()
			synctest.Wait()
			if n := s.InFlight(); n != 0 {
				t.Errorf("%d places are held", n)
			}
			cancel()
			<-done
			time.Sleep(refusalWindow)
			if took := ask("ada"); took != 0 {
				t.Errorf("after the window it took %v", took)
			}
		})
	}
}

// A request whose client went away counts as such, and not as an error of the
// server.
func TestGoneClientIsNoError(t *testing.T) {
	var counted int
	s := newStack(t, Config{Observe: func(_ string, status int, _ time.Duration) { counted = status }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failPlain(w, r, fmt.Errorf("read: %w", r.Context().Err()))
	}), failPlain).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if counted != statusClosed {
		t.Errorf("counted as %d", counted)
	}
}
