package engine

import (
	"errors"
	"slices"
	"testing"
)

func later(name string) func(*Tx[string]) error {
	return func(tx *Tx[string]) error {
		tx.Later(name)
		return put(tx, name)
	}
}

// What is left for later is done once for a group, in its transaction, and only
// for the writes that succeed.
func TestBeforeCommit(t *testing.T) {
	db := openTest(t, Options{})
	var groups [][]any
	var durable int
	db.BeforeCommit(func(tx *Tx[string], items []any) error {
		groups = append(groups, items)
		tx.OnDurable(func() { durable++ })
		for _, v := range items {
			if err := put(tx, "late "+v.(string)); err != nil {
				return err
			}
		}
		return nil
	})
	boom := errors.New("boom")
	errs := inOneGroup(db, later("a"), func(tx *Tx[string]) error {
		tx.Later("lost")
		return boom
	}, later("b"))
	if errs[0] != nil || errs[1] != boom || errs[2] != nil {
		t.Fatal(errs)
	}
	if len(groups) != 1 || !slices.Equal(groups[0], []any{"a", "b"}) || durable != 1 {
		t.Errorf("finished %v, %d times durable", groups, durable)
	}
	if got := names(t, db); !slices.Equal(got, []string{"a", "b", "late a", "late b"}) {
		t.Errorf("rows %v", got)
	}
}

// A write that cannot be finished fails alone.
func TestBeforeCommitFails(t *testing.T) {
	db := openTest(t, Options{})
	boom := errors.New("boom")
	db.BeforeCommit(func(tx *Tx[string], items []any) error {
		if slices.Contains(items, any("bad")) {
			return boom
		}
		if slices.Contains(items, any("worse")) {
			panic("worse")
		}
		return put(tx, "late")
	})
	errs := inOneGroup(db, later("bad"), later("good"), later("worse"))
	if !errors.Is(errs[0], boom) || errs[1] != nil || errs[2] == nil {
		t.Fatal(errs)
	}
	if got := names(t, db); !slices.Equal(got, []string{"good", "late"}) {
		t.Errorf("rows %v", got)
	}
}
