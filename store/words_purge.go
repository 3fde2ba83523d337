package store

// Removing the words of documents from an index at once, so that none of them are left in
// the file, costs a search of the index for each: many milliseconds for a long text. Where
// a group of writes removes many, documents are therefore only marked as removed, which is
// cheap, and the parts of the index are merged afterwards into one, which drops them with
// their words.

// wordIndex is an index of words, and the setting that is there while it has words of
// documents that are marked: that they are to be merged, are being merged, or are to be
// merged again, because others were marked meanwhile. With another value they are to be
// merged, too.
type wordIndex struct{ table, purge string }

var (
	messageWords = wordIndex{"message_word", "words_purge"}
	listWords    = wordIndex{"list_word", "list_words_purge"}
)

const (
	purgeBegins  = "begin"
	purgeRuns    = "runs"
	purgeRepeats = "repeats"
)

// usualMerge is how many parts of a level FTS5 merges while there is no purge.
const usualMerge = 4

// manyDocuments is from how many on the documents of an account are marked, and
// manyTokens from how many tokens on those of which a group of writes removes them:
// fewTokens while others are marked, since each is looked up then.
const (
	manyDocuments = 100
	manyTokens    = 300
	fewTokens     = 60
)

// writeDocuments writes changes of documents of an index, each of another document, in
// the order of their ids.
func (tx *Tx) writeDocuments(index wordIndex, changes []wordChange) error {
	mark, removed := false, 0
	for n := range changes {
		changes[n].reduce()
		removed += len(changes[n].old)
		mark = mark || changes[n].mark
	}
	marked, err := tx.marked(index)
	if err != nil {
		return err
	}
	if mark || removed > manyTokens || marked && removed > fewTokens {
		return tx.markWords(index, changes)
	}
	if err := tx.writeAll(index, changes); err != nil || !marked {
		return err
	}
	return tx.removeAgain(index, changes)
}

// removeAgain removes words that documents still have after changes without marks: words
// that were marked, added again and merged with their marks are in the index more than
// once, and FTS5 removes the newest entry.
func (tx *Tx) removeAgain(index wordIndex, changes []wordChange) error {
	for len(changes) > 0 {
		if err := tx.flushWords(index); err != nil {
			return err
		}
		var left []wordChange
		for _, c := range changes {
			c.tokens = []string{}
			var err error
			if c.old, err = tx.still(index, c.id, c.old); err != nil {
				return err
			}
			if len(c.old) > 0 {
				left = append(left, c)
			}
		}
		if err := tx.writeAll(index, left); err != nil {
			return err
		}
		changes = left
	}
	return nil
}

// still returns those of the tokens that a document has.
func (tx *Tx) still(index wordIndex, id int64, tokens []string) (has []string, err error) {
	for _, token := range tokens {
		var yes bool
		if err := tx.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM `+index.table+` WHERE rowid = ? AND `+index.table+` MATCH ?) /* server: the index itself */ /* scan: one entry */`, id, `"`+token+`"`); err != nil {
			return nil, err
		}
		if yes {
			has = append(has, token)
		}
	}
	return has, nil
}

func (tx *Tx) writeAll(index wordIndex, changes []wordChange) error {
	for _, c := range changes {
		if err := tx.writeDocument(index.table, c); err != nil {
			return err
		}
	}
	return nil
}

// markWords is writeDocuments that marks what is removed.
func (tx *Tx) markWords(index wordIndex, changes []wordChange) error {
	if err := tx.purgeLater(index); err != nil {
		return err
	}
	return tx.marking(index, func() error { return tx.writeAll(index, changes) })
}

// marking runs a function whose changes of the index only mark what they remove.
func (tx *Tx) marking(index wordIndex, f func() error) error {
	// FTS5 writes what it has in memory with the setting of that moment.
	secure := func(on int) error {
		if err := tx.flushWords(index); err != nil {
			return err
		}
		return tx.configureWords(index, `secure-delete`, on)
	}
	if err := secure(0); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return secure(1)
}

// flushWords has FTS5 write what it has in memory.
func (tx *Tx) flushWords(index wordIndex) error {
	_, err := tx.exec(`INSERT INTO ` + index.table + ` (` + index.table + `) VALUES ('flush') /* server: the index itself */`)
	return err
}

func (tx *Tx) configureWords(index wordIndex, name string, value int) error {
	_, err := tx.exec(`INSERT INTO `+index.table+` (`+index.table+`, rank) VALUES (?, ?) /* server: the index itself */`, name, value)
	return err
}

func (tx *Tx) purgeLater(index wordIndex) error {
	switch state, err := tx.Setting(index.purge); {
	case err != nil:
		return err
	case state == "":
		return tx.SetSetting(index.purge, purgeBegins)
	case state == purgeRuns:
		return tx.SetSetting(index.purge, purgeRepeats)
	}
	return nil
}

// WordsMarked reports whether the index of messages has words of documents that are
// marked as removed.
func (r *Reader) WordsMarked() (bool, error) { return r.marked(messageWords) }

func (r *Reader) marked(index wordIndex) (bool, error) {
	v, err := r.Setting(index.purge)
	return v != "", err
}

// PurgeWords merges parts of the index of messages by writing about as many pages, until
// those that there were when it began are one part. It reports whether there is more to
// do until then; what was marked meanwhile is left for the next time.
func (tx *Tx) PurgeWords(pages int) (more bool, err error) { return tx.purge(messageWords, pages) }

// PurgeListWords is PurgeWords for the index of lists.
func (tx *Tx) PurgeListWords(pages int) (more bool, err error) { return tx.purge(listWords, pages) }

func (tx *Tx) purge(index wordIndex, pages int) (more bool, err error) {
	state, err := tx.Setting(index.purge)
	if err != nil || state == "" {
		return false, err
	}
	if state != purgeRuns && state != purgeRepeats {
		if err := tx.beginPurge(index); err != nil {
			return false, err
		}
		if err := tx.SetSetting(index.purge, purgeRuns); err != nil {
			return false, err
		}
	}
	if err := tx.mergeWords(index, pages); err != nil {
		return false, err
	}
	if s, err := tx.structure(index); err != nil || s.merging() {
		return err == nil, err
	}
	next := ""
	if state == purgeRepeats {
		next = purgeBegins
	}
	if err := tx.SetSetting(index.purge, next); err != nil {
		return false, err
	}
	return false, tx.configureWords(index, `usermerge`, usualMerge)
}

// beginPurge has FTS5 merge all parts that the index has, without those that come later.
//
// FTS5 drops marks only where the oldest part is merged into the highest level, and its
// own 'optimize' does not move parts there that are all of one level, as they are after
// a large write. So the record of them is written here.
func (tx *Tx) beginPurge(index wordIndex) error {
	// FTS5 does not merge a single part. The merge drops these two.
	none := []string{"x"}
	if err := tx.writeDocument(index.table, wordChange{tokens: none}); err != nil {
		return err
	}
	if err := tx.marking(index, func() error { return tx.writeDocument(index.table, wordChange{old: none}) }); err != nil {
		return err
	}
	// With 2 each step proceeds: either two parts of a lower level are merged, or these.
	if err := tx.configureWords(index, `usermerge`, 2); err != nil {
		return err
	}
	// With it FTS5 forgets the record that it has read.
	if err := tx.mergeWords(index, 0); err != nil {
		return err
	}
	s, err := tx.structure(index)
	if err != nil {
		return err
	}
	return tx.e.Unprotected(func() error {
		_, err := tx.exec(`UPDATE `+index.table+`_data SET block = ? WHERE id = ? /* server: the index itself */`, s.onOneLevel().encode(), structureRecord)
		return err
	})
}

// markMany reports whether the documents of an account are to be marked instead
// of being removed at once: if there are many, and to the last one once that has
// begun.
func (tx *Tx) markMany(userID string) (many bool, err error) {
	if many, err = tx.WordsMarked(); err == nil && !many {
		err = tx.value([]any{&many}, `SELECT count(*) > ?2 FROM (SELECT 1 FROM message x INDEXED BY message_sender WHERE x.sender_id = ?1 LIMIT ?2 + 1)
			/* server: deletion of the account */`, userID, manyDocuments)
	}
	return many, err
}
