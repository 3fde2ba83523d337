package engine

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Of a page of a table or an index, what lies between the list of its rows and the first
// of them is overwritten, and nothing else. A page that is not what it seems stays as it
// is.
func TestClearGap(t *testing.T) {
	// page has rows in its last 20 bytes, of 10 each, behind a header of so many bytes.
	page := func(kind byte, header, rows int) []byte {
		p := bytes.Repeat([]byte{0xee}, 100)
		p[0] = kind
		binary.BigEndian.PutUint16(p[3:], uint16(rows))
		binary.BigEndian.PutUint16(p[5:], 80)
		for i := range rows {
			binary.BigEndian.PutUint16(p[header+2*i:], uint16(90-10*i))
		}
		return p
	}
	for _, kind := range []byte{2, 5, 10, 13} {
		header := map[byte]int{2: 12, 5: 12, 10: 8, 13: 8}[kind]
		for rows := range 3 {
			got, want := page(kind, header, rows), page(kind, header, rows)
			clear(want[header+2*rows : 80])
			if !clearGap(2, got) || !bytes.Equal(got, want) {
				t.Errorf("kind %d with %d rows: %x, want %x", kind, rows, got, want)
			}
			if clearGap(2, got) || !bytes.Equal(got, want) {
				t.Errorf("kind %d with %d rows: something to overwrite is found twice", kind, rows)
			}
			first := append(make([]byte, 100), page(kind, header, rows)...)
			binary.BigEndian.PutUint16(first[105:], 180)
			for i := range rows {
				binary.BigEndian.PutUint16(first[100+header+2*i:], uint16(190-10*i))
			}
			if !clearGap(1, first) || !bytes.Equal(first[100+header+2*rows:180], make([]byte, 80-header-2*rows)) || first[180] != 0xee {
				t.Errorf("kind %d with %d rows: the first page is %x", kind, rows, first)
			}
		}
	}
	for what, change := range map[string]func(p []byte){
		"of another kind":                      func(p []byte) { p[0] = 3 },
		"with a row in the gap":                func(p []byte) { binary.BigEndian.PutUint16(p[8:], 79) },
		"with a row behind its end":            func(p []byte) { binary.BigEndian.PutUint16(p[10:], 100) },
		"whose rows begin behind its end":      func(p []byte) { binary.BigEndian.PutUint16(p[5:], 101) },
		"whose rows begin in the list of them": func(p []byte) { binary.BigEndian.PutUint16(p[5:], 11) },
	} {
		got := page(13, 8, 2)
		change(got)
		want := bytes.Clone(got)
		if clearGap(2, got) || !bytes.Equal(got, want) {
			t.Errorf("a page %s is overwritten: %x", what, got)
		}
	}
	for _, n := range []int{0, 11, 111} {
		if clearGap(int64(n%2), make([]byte, n)) {
			t.Errorf("%d bytes are a page", n)
		}
	}
}
