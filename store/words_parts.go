package store

import (
	"errors"
	"fmt"
	"slices"
)

// structureRecord is the id of FTS5's record of the parts of an index, which it calls
// segments.
const structureRecord = 10

// purgeLevel is the level of the parts that a purge merges. Parts that come meanwhile and
// are merged with each other reach it late.
const purgeLevel = 6

// wordParts is that record: four bytes of a cookie, the numbers of the levels, of the
// parts and of pages written, and then of each level how many of its parts are being
// merged into the last one of the next level, how many it has, and three numbers of
// each, from the oldest to the newest. Parts of higher levels are older.
type wordParts struct {
	cookie []byte
	pages  int
	levels []partLevel
}

type partLevel struct {
	merging int
	parts   [][3]int
}

// merging reports whether what a purge began with is being merged: the parts of the level
// below the highest into the only one there.
func (s wordParts) merging() bool {
	n := len(s.levels)
	return n >= 2 && s.levels[n-2].merging > 0 && len(s.levels[n-1].parts) == 1
}

// onOneLevel returns the record with all parts on the highest level, from which they are
// merged as the oldest ones.
func (s wordParts) onOneLevel() wordParts {
	levels := make([]partLevel, purgeLevel+1)
	for _, l := range slices.Backward(s.levels) {
		levels[purgeLevel].parts = append(levels[purgeLevel].parts, l.parts...)
	}
	s.levels = levels
	return s
}

func (s wordParts) count() (n int) {
	for _, l := range s.levels {
		n += len(l.parts)
	}
	return n
}

func (s wordParts) encode() []byte {
	b := slices.Clone(s.cookie)
	for _, n := range []int{len(s.levels), s.count(), s.pages} {
		b = appendFTSNumber(b, n)
	}
	for _, l := range s.levels {
		b = appendFTSNumber(appendFTSNumber(b, l.merging), len(l.parts))
		for _, part := range l.parts {
			for _, n := range part {
				b = appendFTSNumber(b, n)
			}
		}
	}
	return b
}

func decodeParts(record []byte) (s wordParts, err error) {
	if len(record) < 4 {
		return s, fmt.Errorf("store: the record of the parts of an index is %x", record)
	}
	rest := record[4:]
	number := func() (n int) {
		n, rest = ftsNumber(rest)
		return n
	}
	levels, _ := number(), number()
	s = wordParts{cookie: record[:4], pages: number()}
	for len(rest) > 0 && len(s.levels) < levels {
		l := partLevel{merging: number()}
		for n := number(); n > 0 && len(rest) > 0; n-- {
			l.parts = append(l.parts, [3]int{number(), number(), number()})
		}
		s.levels = append(s.levels, l)
	}
	if !slices.Equal(s.encode(), record) {
		err = fmt.Errorf("store: the record of the parts of an index is %x", record)
	}
	return s, err
}

// ftsNumber reads one of SQLite's numbers of variable length, up to eight bytes.
func ftsNumber(b []byte) (n int, rest []byte) {
	for i := 0; i < min(len(b), 8); i++ {
		n = n<<7 | int(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:]
		}
	}
	return n, nil
}

func appendFTSNumber(b []byte, n int) []byte {
	var digits []byte
	for more := byte(0); ; more = 0x80 {
		digits = append(digits, byte(n&0x7f)|more)
		if n >>= 7; n == 0 {
			slices.Reverse(digits)
			return append(b, digits...)
		}
	}
}

// structure returns the record of an index; its zero value if it has none.
func (r *Reader) structure(index wordIndex) (s wordParts, err error) {
	record, err := r.partsRecord(index)
	if err != nil || record == nil {
		return s, err
	}
	return decodeParts(record)
}

func (r *Reader) partsRecord(index wordIndex) (record []byte, err error) {
	err = r.value([]any{&record}, `SELECT block FROM `+index.table+`_data WHERE id = ? /* server: how many parts the index has */`, structureRecord)
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return record, err
}

// WordsState describes the parts that the index of messages is made of; it changes with
// each write to it.
func (r *Reader) WordsState() (state []byte, parts int, err error) { return r.wordsState(messageWords) }

func (r *Reader) wordsState(index wordIndex) (state []byte, parts int, err error) {
	state, err = r.partsRecord(index)
	if err != nil || state == nil {
		return nil, 0, err
	}
	s, err := decodeParts(state)
	return state, s.count(), err
}
