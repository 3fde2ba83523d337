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
	told = 1000
	ctx, giveBack = WithReturn(t.Context())
	if giveBack(); read(ctx) != nil || told != 1000 {
		t.Errorf("without a meter: %d bytes told", told)
	}
}
