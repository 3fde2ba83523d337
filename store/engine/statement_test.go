package engine

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

type (
	named  string
	count  int32
	mark   bool
	packed []byte
)

// upper is a sql.Scanner.
type upper struct{ v any }

func (u *upper) Scan(v any) error {
	u.v = v
	if s, ok := v.(string); ok {
		u.v = strings.ToUpper(s)
	}
	return nil
}

// Every kind of value goes into every kind of destination as database/sql would
// put it there, and what that refuses is refused.
func TestScanAsTheStandardLibrary(t *testing.T) {
	std, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "std.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer std.Close()
	db := openTest(t, Options{})
	for _, value := range []string{
		"NULL", "0", "1", "7", "-1", "9223372036854775807", "-9223372036854775808", "300", "1.5", "'x'", "''", "'12'", "'-3'", "'true'", "'grüße 🌿'",
		"x'00ff'", "'a' || char(0) || 'b'", "cast('text' AS BLOB)",
	} {
		for _, dest := range []func() any{
			func() any { return new(string) }, func() any { return new(int) }, func() any { return new(int64) }, func() any { return new(bool) },
			func() any { return new([]byte) }, func() any { return new(any) }, func() any { return new(named) }, func() any { return new(count) },
			func() any { return new(mark) }, func() any { return new(*string) }, func() any { return new(*int64) }, func() any { return new(upper) },
			func() any { return new(Time) }, func() any { return new(float64) }, func() any { return new(int8) },
		} {
			want, got := dest(), dest()
			query := "SELECT " + value
			wantErr := std.QueryRow(query).Scan(want)
			gotErr := db.Read(context.Background(), func(r *Reader) error { return r.Value([]any{got}, query) })
			if (wantErr == nil) != (gotErr == nil) {
				t.Errorf("%s into %T: error %v, the standard library's is %v", value, got, gotErr, wantErr)
			} else if wantErr == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s into %T: %#v, want %#v", value, got, reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem())
			}
		}
	}
}

// Arguments come back as they were given.
func TestArguments(t *testing.T) {
	db := openTest(t, Options{})
	text := "by pointer"
	for _, c := range []struct{ give, want any }{
		{nil, nil}, {"", ""}, {"plain", "plain"}, {"nul\x00within", "nul\x00within"}, {"🌿", "🌿"}, {strings.Repeat("long ", 100_000), strings.Repeat("long ", 100_000)},
		{0, int64(0)}, {int64(math.MinInt64), int64(math.MinInt64)}, {true, int64(1)}, {false, int64(0)}, {Time(5), int64(5)}, {count(-2), int64(-2)}, {uint8(3), int64(3)},
		{[]byte(nil), nil}, {[]byte{}, []byte{}}, {[]byte{0, 255}, []byte{0, 255}}, {packed{1}, []byte{1}}, {named("n"), "n"}, {mark(true), int64(1)},
		{&text, text}, {(*string)(nil), nil}, {1.5, 1.5}, {float32(0.25), 0.25},
	} {
		err := db.Read(context.Background(), func(r *Reader) error {
			var got, echo any
			err := r.Value([]any{&got, &echo}, "SELECT ?2, ?1", "first", c.give)
			if err == nil && (!reflect.DeepEqual(got, c.want) || echo != "first") {
				t.Errorf("%#v came back as %#v beside %v", c.give, got, echo)
			}
			return err
		})
		if err != nil {
			t.Errorf("%T: %v", c.give, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	db := openTest(f, Options{})
	f.Add("text", []byte("blob"), int64(1))
	f.Add("", []byte{}, int64(-1))
	f.Add("\x00\xff", []byte{0}, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, s string, b []byte, n int64) {
		err := db.Read(context.Background(), func(r *Reader) error {
			var gotText string
			var gotBytes []byte
			var got int64
			if err := r.Value([]any{&gotText, &gotBytes, &got}, "SELECT ?, ?, ?", s, b, n); err != nil {
				return err
			}
			if gotText != s || string(gotBytes) != string(b) || got != n {
				t.Errorf("%q %q %d came back as %q %q %d", s, b, n, gotText, gotBytes, got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// What SQLite would ignore or guess is an error.
func TestStatementsAreExact(t *testing.T) {
	db := openTest(t, Options{})
	for query, args := range map[string][]any{
		"SELECT ?, ?":              {1},
		"SELECT ?":                 {1, 2},
		"SELECT 1; SELECT 2":       nil,
		"":                         nil,
		"SELECT \"name\"":          nil, // not a string
		"SELECT ?1":                {struct{}{}},
		"INSERT INTO clock SELECT": nil,
	} {
		err := db.Read(context.Background(), func(r *Reader) error { _, err := r.Exec(query, args...); return err })
		if err == nil {
			t.Errorf("%q ran with %v", query, args)
		}
	}
}

// Rows of one query may be read within the rows of the same query.
func TestNestedRows(t *testing.T) {
	db := openTest(t, Options{})
	const query = "SELECT value FROM json_each(?) ORDER BY key"
	err := db.Read(context.Background(), func(r *Reader) error {
		outer, err := r.Query(query, "[1,2,3]")
		if err != nil {
			return err
		}
		defer outer.Close()
		var got []string
		for outer.Next() {
			inner, err := r.Query(query, "[4,5]")
			if err != nil {
				return err
			}
			var a, b int
			if err := outer.Scan(&a); err != nil {
				return err
			}
			for inner.Next() {
				if err := inner.Scan(&b); err != nil {
					return err
				}
				got = append(got, fmt.Sprint(a, b))
			}
			inner.Close()
		}
		if want := "1 4,1 5,2 4,2 5,3 4,3 5"; strings.Join(got, ",") != want {
			t.Errorf("got %v", got)
		}
		return outer.Err()
	})
	if err != nil {
		t.Error(err)
	}
}

// A long statement ends with its context.
func TestInterrupt(t *testing.T) {
	db := openTest(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	err := db.ReadLong(context.Background(), func(r *Reader) error {
		defer r.interruptOn(ctx)()
		cancel()
		return r.Value([]any{new(int)}, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	})
	if err == nil || Unavailable(err) {
		t.Errorf("it ended with %v", err)
	}
	if err := db.ReadLong(context.Background(), func(r *Reader) error { return r.Value([]any{new(int)}, "SELECT 1") }); err != nil {
		t.Errorf("the next read: %v", err)
	}
}
