package page

import (
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"hearth/store"
)

// Nobody waits for the forms of others where all have their own. Elsewhere forms are saved
// one after the other, and of each person one at a time.
func TestFormsThatWait(t *testing.T) {
	s := &site{savers: newLocks(), saving: newLocks()}
	begin := func(person, address string) (done func()) {
		r := httptest.NewRequest("POST", address, nil)
		r.PostForm = url.Values{shownField: {""}}
		return s.alone(&visit{r: r, by: store.Viewer{UserID: person}})
	}
	const own, shared = "/settings/profile", "/list/a"
	other := "ben"
	for s.savers.of(other) == s.savers.of("ada") || s.saving.of(own+" "+other) == s.saving.of(own+" ada") {
		other += "n"
	}
	done := begin("ada", own)
	begun := make(chan bool)
	go func() {
		defer begin(other, own)()
		close(begun)
	}()
	select {
	case <-begun:
	case <-time.After(5 * time.Second):
		t.Error("a form of an own profile waits for that of another person")
	}
	done()
	done = begin("ada", shared)
	if s.savers.of("ada").TryLock() {
		t.Error("two forms of a person are saved at once")
	}
	if s.saving.of(shared).TryLock() {
		t.Error("two forms at an address are saved at once")
	}
	done()
	if !s.savers.of("ada").TryLock() || !s.saving.of(shared).TryLock() {
		t.Error("a form that was saved is waited for")
	}
}
