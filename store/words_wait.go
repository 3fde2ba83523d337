package store

import (
	"errors"
	"strings"
)

// Documents of messages wait in message_unindexed: short ones until there are many, which
// together cost the index little more than one, and what long ones add until IndexLong has
// written it in parts, so that no write takes long. What waits of a document is not in the
// index.
const (
	maxUnindexed      = 64       // short ones
	maxUnindexedBytes = 32 << 10 // of their tokens
	maxDelayed        = 16       // short ones of one write among them

	longDocument = 16 << 10 // from more bytes of tokens on a document is long
	maxLong      = 512      // long ones; those of more are written to the index at once
)

// waiting is how many documents wait.
type waiting struct {
	short, bytes int // and bytes of their tokens
	long         int
}

func (tx *Tx) waiting() (w waiting, err error) {
	err = tx.value([]any{&w.short, &w.bytes, &w.long}, `SELECT count(*) FILTER (WHERE octet_length(words) <= ?1),
		coalesce(sum(octet_length(words)) FILTER (WHERE octet_length(words) <= ?1), 0),
		count(*) FILTER (WHERE octet_length(words) > ?1) FROM message_unindexed /* scan: at most maxUnindexed and maxLong */ /* server: how many there are */`, longDocument)
	return w, err
}

func (tx *Tx) wait(c wordChange) error {
	_, err := tx.exec(`INSERT INTO message_unindexed (id, words) VALUES (?, ?)`, c.id, strings.Join(c.tokens, " "))
	return err
}

// takeWaiting has none of the long documents that change wait any more. Only what the index
// has of them is left to be removed from it.
func (tx *Tx) takeWaiting(changes []wordChange) error {
	for n := range changes {
		c := &changes[n]
		if c.old == nil {
			continue
		}
		var words string
		err := tx.value([]any{&words}, `DELETE FROM message_unindexed WHERE id = ? AND octet_length(words) > ? RETURNING words`, c.id, longDocument)
		if errors.Is(err, ErrNoRow) {
			continue
		}
		if err != nil {
			return err
		}
		if c.old = without(c.old, strings.Fields(words)); len(c.old) == 0 {
			c.old, c.mark = nil, false
		}
	}
	return nil
}

// delayLong stores what changes add to documents if it is long, and returns what is left to
// be written.
func (tx *Tx) delayLong(changes []wordChange, long int) (left []wordChange, err error) {
	for _, c := range changes {
		c.reduce()
		if long < maxLong && len(c.tokens)+bytesOf(c.tokens) > longDocument+1 {
			if err := tx.wait(c); err != nil {
				return nil, err
			}
			long++
			if c.tokens = nil; c.old != nil {
				c.tokens = []string{} // the document stays
			}
		}
		if c.old != nil || c.tokens != nil {
			left = append(left, c)
		}
	}
	return left, nil
}

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

// longWaits reports whether a long document waits.
func (r *Reader) longWaits() (yes bool, err error) {
	err = r.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM message_unindexed WHERE octet_length(words) > ?) /* scan: at most maxUnindexed and maxLong */ /* server: whether there is one */`, longDocument)
	return yes, err
}

// IndexLong adds a part of a long document that waits to the index, and reports whether
// there was one. The index counts each part as a document, which no search uses.
func (tx *Tx) IndexLong() (was bool, err error) {
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
		n := strings.LastIndexByte(words[:longDocument], ' ')
		part, left = words[:n], words[n+1:]
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
