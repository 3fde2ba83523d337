package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func later(name string) func(*Tx[string]) error {
	return func(tx *Tx[string]) error {
		tx.Later(name, 1)
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
		tx.Later("lost", maxGroupWeight)
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

// A group is committed once its writes have left much for its end: those behind them are in
// the next one.
func TestGroupWeight(t *testing.T) {
	const half = maxGroupWeight / 2
	for _, c := range []struct {
		weights []int
		want    []int // writes of each group that is finished
	}{
		{[]int{half, half, half, half, half}, []int{2, 2, 1}},
		{[]int{half - 1, half, 1, 1}, []int{3, 1}},
		{[]int{9 * half, 9 * half, 0, 0}, []int{1, 1}},
		{[]int{1, 1, 1, 1}, []int{4}},
	} {
		db := openTest(t, Options{})
		var sizes []int
		db.BeforeCommit(func(_ *Tx[string], items []any) error {
			sizes = append(sizes, len(items))
			return nil
		})
		var fs []func(*Tx[string]) error
		for n, weight := range c.weights {
			fs = append(fs, func(tx *Tx[string]) error {
				if weight > 0 {
					tx.Later(n, weight)
				}
				return put(tx, fmt.Sprint(n))
			})
		}
		for _, err := range inOneGroup(db, fs...) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := names(t, db); !slices.Equal(sizes, c.want) || len(got) != len(c.weights) {
			t.Errorf("weights of %v are finished in groups of %v, want %v; rows %v", c.weights, sizes, c.want, got)
		}
	}
}
