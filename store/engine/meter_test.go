package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A meter is told what reads copy, and ends a read with its error. A write, and a
// read without it, tell nothing.
func TestMeter(t *testing.T) {
	db := openTest(t, Options{})
	const rows, size = 20, 10_000
	err := db.Write(context.Background(), func(tx *Tx[string]) error {
		for i := range rows {
			if err := put(tx, strings.Repeat("x", size-2)+string([]byte{'a' + byte(i/10), '0' + byte(i%10)})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	told, calls := 0, 0
	full := errors.New("no more")
	ctx := func(limit int) context.Context {
		told, calls = 0, 0
		return WithMeter(t.Context(), &Meter{Read: func(n int) error {
			calls++
			if told+n > limit {
				return full
			}
			told += n
			return nil
		}})
	}
	read := func(r *Reader) error {
		all, err := readNames(r)
		if err == nil && len(all) != rows {
			t.Errorf("%d of %d rows", len(all), rows)
		}
		return err
	}
	if err := db.Read(ctx(1<<30), read); err != nil || told != rows*size || calls != rows/2 {
		t.Errorf("%v: %d bytes told with %d calls", err, told, calls)
	}
	if err := db.Read(ctx(rows*size-1), read); err != full {
		t.Errorf("a byte less than is read: %v", err)
	}
	if err := db.Read(ctx(size), read); err != full || calls != 1 {
		t.Errorf("more than is allowed: %v after %d calls", err, calls)
	}
	inside := ctx(1 << 30)
	err = db.WithSnapshot(inside, func(ctx context.Context) error {
		return errors.Join(db.Read(ctx, read), db.Read(ctx, read))
	})
	if err != nil || told != 2*rows*size {
		t.Errorf("in a snapshot: %v, %d bytes told", err, told)
	}
	inside = ctx(0)
	if err := errors.Join(db.Read(t.Context(), read), db.Write(inside, func(tx *Tx[string]) error { return read(&tx.Reader) })); err != nil || calls != 0 {
		t.Errorf("without a meter: %v, %d calls", err, calls)
	}
}

// Readers go to callers in turn: who asks often waits for itself. One who gives up
// leaves nothing behind.
func TestReadersInTurn(t *testing.T) {
	db := openTest(t, Options{})
	var held []*Conn
	for range db.short.size {
		c, err := db.short.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	got := make(chan string)
	gone, leave := context.WithCancel(t.Context())
	for i, who := range []string{"a", "a", "a", "gone", "b", "", "a", "c", "b"} {
		m, ctx := &Meter{}, t.Context()
		m.SetCaller(who)
		if who == "gone" {
			ctx = gone
		}
		go func() {
			c, err := db.short.take(WithMeter(ctx, m))
			if err != nil {
				got <- err.Error()
				return
			}
			got <- who
			db.short.give(c)
		}()
		for waiting := -1; waiting != i+1; { // until it is queued, in this order
			db.short.mu.Lock()
			waiting = 0
			for _, all := range db.short.waiting {
				waiting += len(all)
			}
			db.short.mu.Unlock()
		}
	}
	leave()
	if err := <-got; err != context.Canceled.Error() {
		t.Errorf("one who gave up got %s", err)
	}
	db.short.give(held[0])
	var order []string
	for range 8 {
		order = append(order, <-got)
	}
	if s := strings.Join(order, " "); s != "a b  c a b a a" {
		t.Errorf("the readers went to %q", s)
	}
	for _, c := range held[1:] {
		db.short.give(c)
	}
	if len(db.short.turns) > 0 || len(db.short.waiting) > 0 {
		t.Error("somebody still waits")
	}
}

// What is given back was told before, and nothing else; without a meter there is nothing
// to give back.
func TestWithReturn(t *testing.T) {
	db := openTest(t, Options{})
	if err := db.Write(t.Context(), func(tx *Tx[string]) error { return put(tx, strings.Repeat("x", 1000)) }); err != nil {
		t.Fatal(err)
	}
	told := 0
	m := &Meter{Read: func(n int) error {
		if told+n > 2500 {
			return errors.New("no more")
		}
		told += n
		return nil
	}}
	m.SetCaller("ada")
	read := func(ctx context.Context) error {
		return db.Read(ctx, func(r *Reader) error {
			_, err := readNames(r)
			return err
		})
	}
	outer := WithMeter(t.Context(), m)
	ctx, giveBack := WithReturn(outer)
	if err := errors.Join(read(outer), read(ctx)); err != nil || told != 2000 {
		t.Errorf("%v: %d bytes told", err, told)
	}
	if err := read(ctx); err == nil {
		t.Error("more than is allowed is read")
	}
	for range 2 {
		if giveBack(); told != 1000 {
			t.Errorf("%d bytes are left", told)
		}
	}
	if part, _ := ctx.Value(meterKey{}).(*Meter); part.caller() != "ada" {
		t.Errorf("it reads for %q", part.caller())
	}
	ctx = WithoutCaller(outer)
	if part, _ := ctx.Value(meterKey{}).(*Meter); part.caller() != "" || read(ctx) != nil || told != 2000 {
		t.Errorf("it reads for %q, and %d bytes are told", part.caller(), told)
	}
	told = 1000
	ctx, giveBack = WithReturn(t.Context())
	if giveBack(); read(ctx) != nil || told != 1000 {
		t.Errorf("without a meter: %d bytes told", told)
	}
}
