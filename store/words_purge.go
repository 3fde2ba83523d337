package store

// Removing the words of documents from an index at once, so that none of them are left in
// the file, costs a search of the index for each: many milliseconds for a long text. Where
// a group of writes removes many, documents are therefore only marked as removed, which is
// cheap, and the parts of the index are merged afterwards into one, which drops them with
// their words.

// wordIndex is an index of words, and the setting that is there while it has words of
// documents that are marked: that they are to be merged, are being merged, or are to be
// merged again, because others were marked meanwhile.
type wordIndex struct{ table, purge string }

var (
	messageWords = wordIndex{"message_word", "words_purge"}
	listWords    = wordIndex{"list_word", "list_words_purge"}
)

const (
	purgeBegins  = "begin"
	purgeRuns    = "merging"
	purgeRepeats = "again"
)

// manyDocuments is from how many on the documents of an account are marked, and
// manyTokens from how many tokens on those of which a group of writes removes them.
const (
	manyDocuments = 100
	manyTokens    = 300
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
	if mark || removed > manyTokens {
		return tx.markWords(index, changes)
	}
	return tx.writeAll(index, changes)
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
	// FTS5 writes what it has in memory with the setting of that moment.
	secure := func(on int) error {
		return tx.execAll(
			statement{`INSERT INTO ` + index.table + ` (` + index.table + `) VALUES ('flush') /* server: the index itself */`, nil},
			statement{`INSERT INTO ` + index.table + ` (` + index.table + `, rank) VALUES ('secure-delete', ?) /* server: the index itself */`, []any{on}},
		)
	}
	if err := secure(0); err != nil {
		return err
	}
	if err := tx.writeAll(index, changes); err != nil {
		return err
	}
	return secure(1)
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
	if state == purgeBegins { // has FTS5 merge all parts, and no others with them
		pages = -pages
		if err := tx.SetSetting(index.purge, purgeRuns); err != nil {
			return false, err
		}
	}
	before := tx.c.TotalChanges()
	if err := tx.mergeWords(index, pages); err != nil {
		return false, err
	}
	if tx.c.TotalChanges()-before >= 2 { // FTS5's own measure
		return true, nil
	}
	next := ""
	if state == purgeRepeats {
		next = purgeBegins
	}
	return false, tx.SetSetting(index.purge, next)
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
