package middleware

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// Reads are on behalf of the account of a request, or else of its address: who has read
// much waits for a reader, and others are given the one that is spare.
func TestReadsAreOnBehalfOfACaller(t *testing.T) {
	db := storetest.OpenEmpty(t)
	h := newStack(t, Config{}).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("Account"); id != "" {
			if err := RecorderOf(w).Identify(store.Viewer{Kind: store.Human, UserID: id}); err != nil {
				t.Error(err)
			}
		}
		err := db.Read(r.Context(), func(*store.Reader) error {
			if r.URL.Path == "/much" {
				time.Sleep(150 * time.Millisecond) // of which 50 are little
			}
			return nil
		})
		if err != nil {
			failPlain(w, r, err)
		}
	}), failPlain)
	ask := func(path, address, account string, within time.Duration) (waits bool) {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		r := httptest.NewRequest("GET", path, nil).WithContext(ctx)
		r.RemoteAddr = address + ":50000"
		r.Header.Set("Account", account)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if waits = w.Code == 503; !waits && w.Code != 200 {
			t.Errorf("%s from %s by %q: %d %s", path, address, account, w.Code, w.Body)
		}
		return waits
	}
	ask("/much", "192.0.2.1", "", time.Minute)
	ask("/much", "192.0.2.2", "ada", time.Minute)
	// All readers but the spare one are taken.
	release := make(chan struct{})
	var taken, done sync.WaitGroup
	for range max(2, runtime.NumCPU()) {
		taken.Add(1)
		done.Go(func() {
			err := db.Read(t.Context(), func(*store.Reader) error {
				taken.Done()
				<-release
				return nil
			})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	taken.Wait()
	for _, c := range []struct {
		address, account string
		waits            bool
	}{{"192.0.2.1", "", true}, {"192.0.2.2", "", false}, {"192.0.2.3", "ada", true}, {"192.0.2.1", "ben", false}} {
		within := time.Minute
		if c.waits {
			within = 20 * time.Millisecond
		}
		if waits := ask("/", c.address, c.account, within); waits != c.waits {
			t.Errorf("a request from %s by %q waits: %v, want %v", c.address, c.account, waits, c.waits)
		}
	}
	close(release)
	done.Wait()
}
