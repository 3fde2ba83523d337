package core

import (
	"bytes"
	"strings"
	"testing"
)

type position struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

func testCursors() *Cursors { return NewCursors(bytes.Repeat([]byte{7}, 32)) }

func TestCursorRoundTrip(t *testing.T) {
	c := testCursors()
	want := position{At: 1 << 40, ID: "é/…"}
	var got position
	if err := c.Open("u1 /lists mine", c.Seal("u1 /lists mine", want), &got); err != nil || got != want {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestCursorIsBound(t *testing.T) {
	c := testCursors()
	sealed := c.Seal("u1|/lists", position{At: 1})
	other := NewCursors(bytes.Repeat([]byte{8}, 32)).Seal("u1|/lists", position{At: 1})
	for name, tc := range map[string][2]string{
		"another account":  {"u2|/lists", sealed},
		"a longer bind":    {"u1|/lists{", sealed},
		"another server":   {"u1|/lists", other},
		"nothing":          {"u1|/lists", ""},
		"padding":          {"u1|/lists", sealed + "="},
		"a line break":     {"u1|/lists", sealed + "\n"},
		"cut":              {"u1|/lists", sealed[:len(sealed)-1]},
		"longer":           {"u1|/lists", sealed + "AA"},
		"much longer":      {"u1|/lists", strings.Repeat("A", maxCursor+1)},
		"not base64":       {"u1|/lists", "!!"},
		"only the payload": {"u1|/lists", "e30"},
	} {
		got := position{At: -1}
		err := c.Open(tc[0], tc[1], &got)
		if e := As(err); err == nil || e.Kind != Invalid || e.Code != "bad_cursor" {
			t.Errorf("%s: got %v", name, err)
		}
		if got.At != -1 {
			t.Errorf("%s: the position was changed to %+v", name, got)
		}
	}
}

func TestChangedCursor(t *testing.T) {
	c := testCursors()
	sealed := c.Seal("b", position{At: 12, ID: "x"})
	for i := range sealed {
		for _, r := range []byte("Aa0_-") {
			changed := []byte(sealed)
			if changed[i] == r {
				continue
			}
			changed[i] = r
			var got position
			if c.Open("b", string(changed), &got) == nil {
				t.Fatalf("accepted with %q at %d", r, i)
			}
		}
	}
}

func TestNewCursorsShortKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a short key was accepted")
		}
	}()
	NewCursors([]byte("short"))
}

func FuzzCursor(f *testing.F) {
	c := testCursors()
	f.Add("b", c.Seal("b", position{At: 3}))
	f.Add("b", "")
	f.Add("", "AAAA")
	f.Fuzz(func(t *testing.T, bind, cursor string) {
		var got position
		if err := c.Open(bind, cursor, &got); err == nil {
			if c.Seal(bind, got) != cursor {
				t.Fatalf("accepted %q, which Seal does not return for %+v", cursor, got)
			}
		} else if As(err).Code != "bad_cursor" {
			t.Fatal(err)
		}
	})
}
