package list_test

import (
	"testing"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/list"
	"hearth/store"
)

// What is stored of a page is shown if it says anything and the server may request the
// page now.
func TestStoredPreview(t *testing.T) {
	w := newWorld(t)
	dialer, err := fetch.NewDialer(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := list.New(list.Config{DB: w.db.DB, Fetch: fetch.NewClient(dialer, fetch.Options{})})
	for address, tc := range map[string]struct {
		title, description string
		want               bool
	}{
		"https://both.example/":        {"T", "D", true},
		"https://title.example/":       {"T", "", true},
		"https://description.example/": {"", "D", true},
		"https://nothing.example/":     {"", "", false},
		"http://127.0.0.1/":            {"T", "D", false},
		"no address":                   {"T", "D", false},
	} {
		if err := w.db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.PutLinkPreview(store.LinkPreview{URL: address, Title: tc.title, Description: tc.description, FetchedAt: tx.Now})
		}); err != nil {
			t.Fatal(err)
		}
		p, ok := s.StoredPreview(t.Context(), "l", address)
		if ok != tc.want || ok && (core.OrZero(p.Title) != tc.title || core.OrZero(p.Description) != tc.description) {
			t.Errorf("%s: %+v, %v", address, p, ok)
		}
		if _, ok := w.StoredPreview(t.Context(), "l", address); ok {
			t.Errorf("%s is shown by a server that requests no pages", address)
		}
	}
	if _, ok := s.StoredPreview(t.Context(), "l", "https://both.example/#part"); !ok {
		t.Error("a part of a page is not shown as the page")
	}
	if _, ok := s.StoredPreview(t.Context(), "l", "http://10.0.0.1/unknown"); ok {
		t.Error("a page that is not known is shown")
	}
}
