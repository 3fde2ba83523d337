package store

import (
	"errors"
	"strings"
)

// Documents of messages wait in message_unindexed: short ones until there are many, which
// together cost the index little more than one, and what long ones add until ChangeLong has
// written it in parts, so that no write takes long. What waits of a document is not in the
// index. What long ones lose waits in message_stale for the same, and is in the index so
// long; a search reads the message of each document that it finds.
const (
	maxUnindexed      = 64       // short ones
	maxUnindexedBytes = 32 << 10 // of their tokens
	maxDelayed        = 16       // short ones of one write among them

	longDocument = 16 << 10 // from more bytes of tokens on a document is long
	maxLong      = 512      // that add, and that lose; those of more are written to the index at once
)

// waiting is how many documents wait.
type waiting struct {
	short, bytes int // and bytes of their tokens
	long, stale  int // that add, and that lose
}

func (tx *Tx) waiting() (w waiting, err error) {
	err = tx.value([]any{&w.short, &w.bytes, &w.long, &w.stale}, `SELECT count(*) FILTER (WHERE octet_length(words) <= ?1),
		coalesce(sum(octet_length(words)) FILTER (WHERE octet_length(words) <= ?1), 0),
		count(*) FILTER (WHERE octet_length(words) > ?1), (SELECT count(*) FROM message_stale)
		FROM message_unindexed /* scan: at most maxUnindexed and maxLong of each */ /* server: how many there are */`, longDocument)
	return w, err
}

func (tx *Tx) wait(c wordChange) error {
	_, err := tx.exec(`INSERT INTO message_unindexed (id, words) VALUES (?, ?)`, c.id, strings.Join(c.tokens, " "))
	return err
}

// takeLong has none of the long documents that change wait any more. What they were before
// is then what the index has of them.
func (tx *Tx) takeLong(changes []wordChange) error {
	for n := range changes {
		c := &changes[n]
		if c.old == nil {
			continue
		}
		added, err := tx.take(`DELETE FROM message_unindexed WHERE id = ? AND octet_length(words) > ? RETURNING words`, c.id, longDocument)
		if err != nil {
			return err
		}
		stale, err := tx.take(`DELETE FROM message_stale WHERE id = ? RETURNING words`, c.id)
		if err != nil {
			return err
		}
		if c.old = union(without(c.old, added), stale); len(c.old) == 0 {
			c.old, c.mark = nil, false
		}
	}
	return nil
}

func (tx *Tx) take(query string, args ...any) (tokens []string, err error) {
	var words string
	if err = tx.value([]any{&words}, query, args...); errors.Is(err, ErrNoRow) {
		err = nil
	}
	return strings.Fields(words), err
}

// delayLong stores what changes add to documents, and what they remove, if it is long, and
// returns what is left to be written.
func (tx *Tx) delayLong(changes []wordChange, w waiting) (left []wordChange, err error) {
	for _, c := range changes {
		c.reduce()
		if w.long < maxLong && isLong(c.tokens) {
			if err := tx.wait(c); err != nil {
				return nil, err
			}
			w.long++
			if c.tokens = nil; c.old != nil {
				c.tokens = []string{} // the document stays
			}
		}
		if w.stale < maxLong && isLong(c.old) {
			if _, err := tx.exec(`INSERT INTO message_stale (id, words) VALUES (?, ?)`, c.id, strings.Join(c.old, " ")); err != nil {
				return nil, err
			}
			w.stale++
			if c.old, c.mark = nil, false; len(c.tokens) == 0 {
				c.tokens = nil
			}
		}
		if c.old != nil || c.tokens != nil {
			left = append(left, c)
		}
	}
	return left, nil
}

func isLong(tokens []string) bool { return len(tokens)+bytesOf(tokens) > longDocument+1 }

// delayShort stores documents to be added to the index later, and reports whether it did.
// If there are too many, it adds those of earlier writes instead.
func (tx *Tx) delayShort(changes []wordChange, w waiting) (bool, error) {
	others := false
	for _, c := range changes {
		size := len(c.tokens) + bytesOf(c.tokens)
		w.bytes += size
		others = others || c.old != nil || size > longDocument
	}
	if others || len(changes) > maxDelayed || w.short+len(changes) > maxUnindexed || w.bytes > maxUnindexedBytes {
		return false, tx.indexShort(w)
	}
	for _, c := range changes {
		if err := tx.wait(c); err != nil {
			return false, err
		}
	}
	return true, nil
}

// indexShort adds the short documents that wait to the index.
func (tx *Tx) indexShort(w waiting) error {
	if w.short == 0 {
		return nil
	}
	return tx.execAll(
		statement{`INSERT INTO message_word (rowid, words) SELECT id, words FROM message_unindexed WHERE octet_length(words) <= ? ORDER BY id /* scan: at most maxUnindexed and maxLong */ /* server: the index itself */`, []any{longDocument}},
		statement{`DELETE FROM message_unindexed WHERE octet_length(words) <= ? /* scan: at most maxUnindexed and maxLong */`, []any{longDocument}},
	)
}

// longWaits reports whether something of a long document waits.
func (r *Reader) longWaits() (yes bool, err error) {
	err = r.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM message_unindexed WHERE octet_length(words) > ?) OR EXISTS (SELECT 1 FROM message_stale) /* scan: at most maxUnindexed and maxLong */ /* server: whether there is one */`, longDocument)
	return yes, err
}

// ChangeLong removes a part of what a long document has lost from the index, or adds a
// part of one to it, and reports whether something waited.
func (tx *Tx) ChangeLong() (was bool, err error) {
	if was, err = tx.RemoveStale(); was || err != nil {
		return was, err
	}
	return tx.indexLong()
}

// RemoveStale removes a part of what a long document has lost from the index, and reports
// whether something waited for that.
func (tx *Tx) RemoveStale() (was bool, err error) {
	var id int64
	var words string
	err = tx.value([]any{&id, &words}, `SELECT id, words FROM message_stale ORDER BY id LIMIT 1 /* scan: one row */ /* server: the index itself */`)
	if errors.Is(err, ErrNoRow) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	part, left := partOf(words, longDocument)
	if err := tx.markWords(messageWords, []wordChange{{id: id, old: strings.Fields(part), tokens: []string{}}}); err != nil {
		return false, err
	}
	if left == "" {
		_, err = tx.exec(`DELETE FROM message_stale WHERE id = ?`, id)
	} else {
		_, err = tx.exec(`UPDATE message_stale SET words = ? WHERE id = ?`, left, id)
	}
	return true, err
}

// indexLong adds a part of a long document to the index. The index counts each part as a
// document, which no search uses.
func (tx *Tx) indexLong() (was bool, err error) {
	var id int64
	var words string
	err = tx.value([]any{&id, &words}, `SELECT id, words FROM message_unindexed WHERE octet_length(words) > ? ORDER BY id LIMIT 1 /* scan: at most maxUnindexed and maxLong */ /* server: the index itself */`, longDocument)
	if errors.Is(err, ErrNoRow) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	part, left := words, ""
	if len(words) > 2*longDocument { // else what is left would not be long
		part, left = partOf(words, longDocument)
	}
	if _, err := tx.exec(`INSERT INTO message_word (rowid, words) VALUES (?, ?)`, id, part); err != nil {
		return false, err
	}
	if left == "" {
		_, err = tx.exec(`DELETE FROM message_unindexed WHERE id = ?`, id)
	} else {
		_, err = tx.exec(`UPDATE message_unindexed SET words = ? WHERE id = ?`, left, id)
	}
	return true, err
}

// partOf returns the first of the words, fewer than size bytes of them unless all are no
// more, and those that are left.
func partOf(words string, size int) (part, left string) {
	if len(words) <= size {
		return words, ""
	}
	n := strings.LastIndexByte(words[:size], ' ')
	return words[:n], words[n+1:]
}
