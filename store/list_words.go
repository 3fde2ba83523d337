package store

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// The table list_word has a document for each list and each item, which
// list_document names. Its tokens are those of the words, behind what the
// document is and for whom: all tokens of what everybody may see have one
// prefix, and those of every other list have one of their own. So a search reads
// no entries of what the viewer may not see, and takes as long as if it were not
// there.

const (
	publicItem    = "p"
	publicTitle   = "q"
	hiddenItem    = "n" // and the slot of the list
	hiddenTitle   = "m" // likewise
	hiddenSlotFmt = "%s%05x"
)

// documentPrefix returns the beginning of all tokens of a list's document, or of
// those of its items.
func documentPrefix(listID string, item, public bool) string {
	prefix := map[[2]bool]string{{true, true}: publicItem, {false, true}: publicTitle, {true, false}: hiddenItem, {false, false}: hiddenTitle}[[2]bool{item, public}]
	if public {
		return prefix
	}
	h := fnv.New32a()
	h.Write([]byte(listID))
	sum := h.Sum32()
	return fmt.Sprintf(hiddenSlotFmt, prefix, (sum^sum>>20)&(1<<20-1))
}

// words returns the words that the item is found by.
func (i *Item) words() string {
	return Words(i.Content) + Words(i.SourceNote) + Words(LinkKey(i.SourceURL))
}

// words returns the words that the list is found by.
func (l *List) words() string { return Words(l.Title) + Words(l.Description) }

func (l *List) isPublic() bool { return l.Visibility == "public" || l.Visibility == "public-edit" }

// listTokens returns the tokens of a document, each once and sorted: of each word
// its beginnings of some lengths, or itself if it is shorter than these, and of a
// run without spaces its characters and pairs of characters.
func listTokens(prefix, words string) []string {
	out := []string{}
	for word := range strings.FieldsSeq(words) {
		if startsSpaceless(word) {
			spacelessTokens(word, func(t string) { out = append(out, prefix+t) })
			continue
		}
		n := 0
		for i := range word {
			if isTokenLength(n) {
				out = append(out, prefix+word[:i])
			}
			n++
		}
		if n < shortestToken || isTokenLength(n) {
			out = append(out, prefix+word)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listQueryTokens calls yield with the tokens of documents that contain the words
// or, of each word between spaces, one that begins with it: the longest of each,
// so that few other documents have it.
func listQueryTokens(words string, yield func(string)) {
	for word := range strings.FieldsSeq(words) {
		if startsSpaceless(word) {
			pairTokens(word, yield)
			continue
		}
		n, longest := 0, 0
		for i := range word {
			if isTokenLength(n) {
				longest = i
			}
			n++
		}
		if n < shortestToken || isTokenLength(n) {
			longest = len(word)
		}
		yield(word[:longest])
	}
}

const shortestToken = 3

// isTokenLength reports whether words are found by their first n characters.
func isTokenLength(n int) bool {
	return n >= shortestToken && n <= 8 || n == 10 || n == 12 || n == 16
}

// listWordChange is a wordChange of list_word.
type listWordChange wordChange

// document is a row of list_document.
type document struct {
	ID     int64
	Public bool
}

func scanDocument(s scanner) (d document, err error) {
	err = s.Scan(&d.ID, &d.Public)
	return d, err
}

// indexItem changes the document of an item from what the item was to what it is
// after this write, of which either may be nil, with the visibility that its list
// has now.
func (tx *Tx) indexItem(before, after *Item) error {
	i := cmp.Or(after, before)
	d, err := one(&tx.Reader, scanDocument, `SELECT d.id, d.public FROM list_document d WHERE d.item_id = ? /* server: the index itself */`, i.ID)
	var old *string
	if err == nil && before != nil {
		old = new(before.words())
	}
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	if err != nil {
		return err
	}
	if after == nil {
		return tx.changeListDocument(d, i.ListID, i.ID, old, nil, d.Public)
	}
	var public bool
	if err := tx.value([]any{&public}, `SELECT l.visibility IN ('public', 'public-edit') FROM list l WHERE l.id = ? /* server: the index itself */`, i.ListID); err != nil {
		return err
	}
	return tx.changeListDocument(d, i.ListID, i.ID, old, new(after.words()), public)
}

// indexList is indexItem for a list itself.
func (tx *Tx) indexList(before, after *List) error {
	l := cmp.Or(after, before)
	d, err := one(&tx.Reader, scanDocument, `SELECT d.id, d.public FROM list_document d WHERE d.list_id = ? AND d.item_id IS NULL /* server: the index itself */`, l.ID)
	var old *string
	if err == nil && before != nil {
		old = new(before.words())
	}
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	if err != nil {
		return err
	}
	if after == nil {
		return tx.changeListDocument(d, l.ID, "", old, nil, d.Public)
	}
	return tx.changeListDocument(d, l.ID, "", old, new(after.words()), after.isPublic())
}

// changeListDocument changes a document from some words to others; nil is no
// document. d is the row as it is, of which the id is 0 if there is none.
func (tx *Tx) changeListDocument(d document, listID, itemID string, old, words *string, public bool) error {
	c := listWordChange{id: d.ID}
	if old != nil {
		c.old = listTokens(documentPrefix(listID, itemID != "", d.Public), *old)
	}
	switch {
	case words == nil && d.ID == 0:
		return nil // it was never indexed
	case words == nil:
		if _, err := tx.exec(`DELETE FROM list_document WHERE id = ?`, d.ID); err != nil {
			return err
		}
		tx.later(c)
		return nil
	case d.ID == 0:
		res, err := tx.c.exec(`INSERT INTO list_document (list_id, item_id, public) VALUES (?, nullif(?, ''), ?)`, listID, itemID, public)
		if err == nil {
			c.id, err = res.LastInsertId()
		}
		if err != nil {
			return err
		}
	case d.Public != public:
		if _, err := tx.exec(`UPDATE list_document SET public = ? WHERE id = ?`, public, d.ID); err != nil {
			return err
		}
	case old != nil && *old == *words:
		return nil
	}
	c.tokens = listTokens(documentPrefix(listID, itemID != "", public), *words)
	tx.later(c)
	return nil
}

// writeListWords writes changes of documents, several of one document as one, in
// the order of their ids.
func (tx *Tx) writeListWords(changes []listWordChange) error {
	slices.SortStableFunc(changes, func(a, b listWordChange) int { return cmp.Compare(a.id, b.id) })
	for i := 0; i < len(changes); {
		c := changes[i]
		for i++; i < len(changes) && changes[i].id == c.id; i++ {
			c.tokens = changes[i].tokens
		}
		if c.old == nil && c.tokens == nil {
			continue // added and deleted at once
		}
		if err := tx.writeDocument("list_word", wordChange(c)); err != nil {
			return err
		}
	}
	return nil
}

const storedItemColumns = `i.id, i.list_id, i.rank, i.content, coalesce(i.source_url, ''), coalesce(i.source_note, '')`

// scanStoredItem scans what the index has of an item.
func scanStoredItem(s scanner) (i Item, err error) {
	err = s.Scan(&i.ID, &i.ListID, &i.Rank, &i.Content, &i.SourceURL, &i.SourceNote)
	return i, err
}

// scanStoredList scans what the index has of a list.
func scanStoredList(s scanner) (l List, err error) {
	err = s.Scan(&l.ID, &l.Title, &l.Description)
	return l, err
}

// reindexedAtOnce is how many items are indexed in the write that changes the
// visibility of their list. ReindexLists does the rest.
const reindexedAtOnce = 200

// reindexList indexes the items of a list as its visibility is now.
func (tx *Tx) reindexList(l List) error {
	if _, err := tx.exec(`INSERT INTO list_reindex (list_id, after) VALUES (?, NULL) ON CONFLICT (list_id) DO UPDATE SET after = NULL`, l.ID); err != nil {
		return err
	}
	_, err := tx.reindex(l.ID, nil, reindexedAtOnce)
	return err
}

// ReindexLists indexes up to limit items of lists that wait for it, and returns
// how many: fewer than limit once none waits.
func (tx *Tx) ReindexLists(limit int) (n int64, err error) {
	for n < int64(limit) {
		var id string
		var after *int64
		err := tx.value([]any{&id, &after}, `SELECT list_id, after FROM list_reindex LIMIT 1 /* server: the index itself */ /* scan: the first row */`)
		if errors.Is(err, ErrNoRow) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		done, err := tx.reindex(id, after, limit-int(n))
		if err != nil {
			return n, err
		}
		n += int64(done)
	}
	return n, nil
}

// reindex indexes up to limit items of a list behind a rank, and the list itself
// at first.
func (tx *Tx) reindex(listID string, after *int64, limit int) (n int, err error) {
	from := int64(-1 << 63)
	if after != nil {
		from = *after
	} else if err := tx.reindexTitle(listID); err != nil {
		return 0, err
	}
	items, err := all(&tx.Reader, scanStoredItem, `SELECT `+storedItemColumns+` FROM item i WHERE i.list_id = ? AND i.rank > ? ORDER BY i.rank LIMIT ? /* server: the index itself */`, listID, from, limit)
	for n := range items {
		i := &items[n]
		if err == nil {
			err = tx.indexItem(i, i)
		}
		if err == nil {
			_, err = tx.exec(`UPDATE item SET link_key = nullif(?, '') WHERE id = ? AND link_key IS NOT nullif(?1, '')`, LinkKey(i.SourceURL), i.ID)
		}
	}
	switch {
	case err != nil:
		return 0, err
	case len(items) < limit:
		_, err = tx.exec(`DELETE FROM list_reindex WHERE list_id = ?`, listID)
	default:
		_, err = tx.exec(`UPDATE list_reindex SET after = ? WHERE list_id = ?`, items[len(items)-1].Rank, listID)
	}
	tx.listChanged(listID)
	return len(items), err
}

func (tx *Tx) reindexTitle(listID string) error {
	l, err := one(&tx.Reader, func(s scanner) (l List, err error) {
		err = s.Scan(&l.ID, &l.Title, &l.Description, &l.Visibility)
		return l, err
	}, `SELECT l.id, l.title, l.description, l.visibility FROM list l WHERE l.id = ? /* server: the index itself */`, listID)
	if err != nil {
		return err
	}
	return tx.indexList(&l, &l)
}

// reindexing reports whether documents of the list's items may be missing or out
// of date.
func (tx *Tx) reindexing(listID string) (yes bool, err error) {
	err = tx.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM list_reindex WHERE list_id = ?)`, listID)
	return yes, err
}

// ListDocument returns the tokens that the list has in the index.
func ListDocument(l *List, public bool) []string {
	return listTokens(documentPrefix(l.ID, false, public), l.words())
}

// ItemDocument returns the tokens that an item of the list has in the index.
func ItemDocument(l *List, i *Item, public bool) []string {
	return listTokens(documentPrefix(l.ID, true, public), i.words())
}
