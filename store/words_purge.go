package store

// Removing a document from the index of words at once, so that none of its words
// are left in the file, costs a search of the index for each of them: many
// milliseconds for a long message. Where an account has many messages, its documents are
// therefore only marked as removed, which is cheap, and the parts of the index are
// merged afterwards into one, which drops them with their words.

// purgeSetting is set while the index has words of documents that are marked.
const purgeSetting = "words_purge"

// manyDocuments is from how many on documents are marked.
const manyDocuments = 100

// markWords marks documents as removed.
func (tx *Tx) markWords(changes []wordChange) error {
	// FTS5 writes what it has in memory with the setting of that moment.
	if err := tx.execAll(
		statement{`INSERT INTO message_word (message_word) VALUES ('flush') /* server: the index itself */`, nil},
		statement{`INSERT INTO message_word (message_word, rank) VALUES ('secure-delete', 0) /* server: the index itself */`, nil},
	); err != nil {
		return err
	}
	for _, c := range changes {
		if err := tx.writeDocument("message_word", c); err != nil {
			return err
		}
	}
	return tx.execAll(
		statement{`INSERT INTO message_word (message_word) VALUES ('flush') /* server: the index itself */`, nil},
		statement{`INSERT INTO message_word (message_word, rank) VALUES ('secure-delete', 1) /* server: the index itself */`, nil},
	)
}

// WordsMarked reports whether the index has words of documents that are marked
// as removed.
func (r *Reader) WordsMarked() (bool, error) {
	v, err := r.Setting(purgeSetting)
	return v != "", err
}

// PurgeWords merges parts of the index by writing about as many pages, until it
// is one part. It reports whether there is more to do.
func (tx *Tx) PurgeWords(pages int) (more bool, err error) {
	marked, err := tx.Setting(purgeSetting)
	if err != nil || marked == "" {
		return false, err
	}
	if marked == "begin" { // has FTS5 merge all parts, and no others with them
		pages = -pages
		if err := tx.SetSetting(purgeSetting, "merging"); err != nil {
			return false, err
		}
	}
	before := tx.c.TotalChanges()
	if err := tx.MergeWords(pages); err != nil {
		return false, err
	}
	if tx.c.TotalChanges()-before >= 2 { // FTS5's own measure
		return true, nil
	}
	return false, tx.SetSetting(purgeSetting, "")
}

// markMany reports whether the documents of an account are to be marked instead
// of being removed at once: if there are many, and to the last one once that has
// begun.
func (tx *Tx) markMany(userID string) (many bool, err error) {
	if many, err = tx.WordsMarked(); err == nil && !many {
		err = tx.value([]any{&many}, `SELECT count(*) > ?2 FROM (SELECT 1 FROM message x INDEXED BY message_sender WHERE x.sender_id = ?1 LIMIT ?2 + 1)
			/* server: deletion of the account */`, userID, manyDocuments)
	}
	if err == nil && many {
		err = tx.SetSetting(purgeSetting, "begin")
	}
	return many, err
}
