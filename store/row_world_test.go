package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// withRows runs f in a write of a file that has accounts and the rows of some
// INSERT statements. The ids of the accounts are separated by spaces. The rows may
// refer to rows that do not exist. Then it undoes the write.
func withRows(t *testing.T, people string, inserts []string, f func(tx *store.Tx) error) {
	t.Helper()
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		for _, id := range strings.Fields(people) {
			if _, err := tx.ExecForTest(`INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at,
				updated_at) VALUES (?1, ?1, ?1, ?1, ?1, 'test', 0, 0)`, id); err != nil {
				return err
			}
		}
		if err := execAll(tx, inserts...); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// execAll runs statements that no operation has.
func execAll(tx *store.Tx, queries ...string) error {
	for _, q := range queries {
		if _, err := tx.ExecForTest(q); err != nil {
			return fmt.Errorf("%w: %s", err, q)
		}
	}
	return nil
}

// inOrder returns the texts of rows in their order, with spaces between them.
func inOrder[T any](all []T, err error, text func(T) string) string {
	out, err := texts(all, err, text)
	if err != nil {
		return err.Error()
	}
	return strings.Join(out, " ")
}

// human returns an account of withRows as a viewer in a session of their own.
func human(id string) store.Viewer {
	return storetest.Human(store.User{ID: id, Name: id})
}

// missing returns nil for the error of a write that finds no row.
func missing(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	return err
}

// texts returns what text returns of each of all.
func texts[T any](all []T, err error, text func(T) string) ([]string, error) {
	var out []string
	for _, v := range all {
		out = append(out, text(v))
	}
	return out, err
}
