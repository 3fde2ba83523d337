package store

import (
	"strings"
	"testing"
)

// A name has at most one row in the index for each of its 80 characters, whatever
// becomes of them when names are compared, and is found by all of it.
func TestNamesHaveFewKeys(t *testing.T) {
	for name, want := range map[string]int{
		"Ada Lovelace":                       2,
		strings.Repeat("\uFDFA", 80):         0, // one character that becomes four words
		strings.Repeat("渡", 80):              80,
		strings.Repeat("a ", 40):             40,
		strings.Repeat("ß", 80):              1,
		strings.Repeat("\uFDFA ", 40):        0,
		"\u2047" + strings.Repeat("!", 79):   1,
		strings.Repeat("a\u0300\u0301 ", 20): 20,
	} {
		keys := nameKeys(name)
		size := 0
		for _, k := range keys {
			size += len(k)
		}
		if want != 0 && len(keys) != want || len(keys) == 0 || len(keys) > 80 || size > 80*80*4 {
			t.Errorf("%+q: %d keys of %d bytes, want %d", name, len(keys), size, want)
		}
		if first, _ := searchedNames(name); len(keys) > 0 && !strings.Contains(keys[0], first) {
			t.Errorf("%+q is not found by its name: %+q", name, first)
		}
	}
}

// An account that keeps its name keeps the rows by which it is found.
func TestAccountThatKeepsItsName(t *testing.T) {
	w := newRankWorld(t, 0)
	for name, want := range map[string]int64{"Ada": 1, "Ada Lovelace": 4} { // the account, and the keys "ada", "ada lovelace" and "lovelace"
		w.write(func(tx *Tx) error {
			u, err := tx.User(w.by.UserID)
			if err == nil {
				u.Name = "Ada"
				_, err = tx.UpdateUser(u)
			}
			return err
		})
		if _, rows := w.rows(func(tx *Tx) (int64, error) {
			u, err := tx.User(w.by.UserID)
			if err == nil {
				u.Name = name
				_, err = tx.UpdateUser(u)
			}
			return 0, err
		}); rows != want {
			t.Errorf("%s: %d rows changed, want %d", name, rows, want)
		}
	}
}
