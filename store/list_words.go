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
// document is and for whom, which is the prefix of all its tokens: one for what
// everybody may see, one for each account with its lists that were never shared,
// and one for each other list. So a search reads no entries of what the viewer may
// not see, takes as long as if it were not there, and asks for few prefixes,
// however many lists an account has for itself.

const (
	publicItem    = "p"
	publicTitle   = "q"
	hiddenItem    = "n" // and a slot
	hiddenTitle   = "m" // likewise
	hiddenSlotFmt = "%s%05x"
)

// readers is who finds a document: everybody, or those of a slot.
type readers struct {
	public bool
	// slot is that of the owner, for a list that was never shared; nil for the slot
	// of the list.
	slot *int64
}

// prefix returns the beginning of all tokens of a list's document, or of those of
// its items.
func (d readers) prefix(listID string, item bool) string {
	switch {
	case d.public && item:
		return publicItem
	case d.public:
		return publicTitle
	}
	slot := listSlot(listID)
	if d.slot != nil {
		slot = *d.slot
	}
	if item {
		return fmt.Sprintf(hiddenSlotFmt, hiddenItem, slot)
	}
	return fmt.Sprintf(hiddenSlotFmt, hiddenTitle, slot)
}

// listSlot returns the slot of an account or a list.
func listSlot(id string) int64 {
	h := fnv.New32a()
	h.Write([]byte(id))
	sum := h.Sum32()
	return int64((sum ^ sum>>20) & (1<<20 - 1))
}

const publicColumn = `l.visibility IN ('public', 'public-edit')`

// readersOf returns who finds the documents of a list as it is now.
func (tx *Tx) readersOf(listID string) (d readers, err error) {
	err = tx.value([]any{&d.public, &d.slot}, `SELECT `+publicColumn+`, l.own_slot FROM list l WHERE l.id = ? /* server: the index itself */`, listID)
	return d, err
}

// words returns the words that the item is found by.
func (i *Item) words() string {
	return Words(i.Content) + Words(i.SourceNote) + Words(LinkKey(i.SourceURL))
}

// Size returns how many bytes of text the item is found by.
func (i Item) Size() int { return len(i.Content) + len(i.SourceNote) + len(i.SourceURL) }

// Size returns how many bytes of text the list is found by.
func (l List) Size() int { return len(l.Title) + len(l.Description) }

// words returns the words that the list is found by.
func (l *List) words() string { return Words(l.Title) + Words(l.Description) }

func (l *List) isPublic() bool { return l.Visibility == "public" || l.Visibility == "public-edit" }

// listTokens returns the tokens of a document, each once and sorted: of each word
// its beginnings of some lengths, or itself if it is shorter than these, and of a
// run without spaces its characters and pairs of characters.
func listTokens(prefix, words string) []string {
	var set tokenSet
	for word := range strings.FieldsSeq(words) {
		if startsSpaceless(word) {
			spacelessTokens(word, set.add)
			continue
		}
		n := 0
		for i := range word {
			if isTokenLength(n) {
				set.add(word[:i])
			}
			n++
		}
		if n < shortestToken || isTokenLength(n) {
			set.add(word)
		}
	}
	out := set.sorted()
	for i, t := range out {
		out[i] = prefix + t
	}
	return out
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
	ID int64
	readers
}

func scanDocument(s scanner) (d document, err error) {
	err = s.Scan(&d.ID, &d.public, &d.slot)
	return d, err
}

const documentColumns = `d.id, d.public, d.own_slot`

// indexItem changes the document of an item from what the item was to what it is
// after this write, of which either may be nil, with the visibility that its list
// has now.
func (tx *Tx) indexItem(before, after *Item) error {
	i := cmp.Or(after, before)
	d, err := one(&tx.Reader, scanDocument, `SELECT `+documentColumns+` FROM list_document d WHERE d.item_id = ? /* server: the index itself */`, i.ID)
	if err != nil && !errors.Is(err, ErrNoRow) {
		return err
	}
	c := documentChange{document: d, listID: i.ListID, itemID: i.ID, now: d.readers}
	if before != nil && err == nil {
		c.old = new(before.words())
	}
	if after != nil {
		c.words = new(after.words())
		if c.now, err = tx.readersOf(i.ListID); err != nil {
			return err
		}
	}
	return tx.changeListDocument(c)
}

// indexList is indexItem for a list itself.
func (tx *Tx) indexList(before, after *List) error {
	l := cmp.Or(after, before)
	d, err := one(&tx.Reader, scanDocument, `SELECT `+documentColumns+` FROM list_document d WHERE d.list_id = ? AND d.item_id IS NULL /* server: the index itself */`, l.ID)
	if err != nil && !errors.Is(err, ErrNoRow) {
		return err
	}
	c := documentChange{document: d, listID: l.ID, now: d.readers}
	if before != nil && err == nil {
		c.old = new(before.words())
	}
	if after != nil {
		c.words = new(after.words())
		if c.now, err = tx.readersOf(l.ID); err != nil {
			return err
		}
	}
	return tx.changeListDocument(c)
}

// documentChange is a change of a document from some words to others; nil is no
// document.
type documentChange struct {
	document       // as it is; the id is 0 if there is none
	listID, itemID string
	old, words     *string
	now            readers
}

func (tx *Tx) changeListDocument(d documentChange) error {
	c := listWordChange{id: d.ID}
	if d.old != nil {
		c.old = listTokens(d.prefix(d.listID, d.itemID != ""), *d.old)
	}
	switch {
	case d.words == nil && d.ID == 0:
		return nil // it was never indexed
	case d.words == nil:
		if _, err := tx.exec(`DELETE FROM list_document WHERE id = ?`, d.ID); err != nil {
			return err
		}
		tx.later(c)
		return nil
	case d.ID == 0:
		res, err := tx.run(`INSERT INTO list_document (list_id, item_id, public, own_slot) VALUES (?, nullif(?, ''), ?, ?)`, d.listID, d.itemID, d.now.public, d.now.slot)
		if err == nil {
			c.id, err = res.LastInsertId()
		}
		if err != nil {
			return err
		}
	case !d.readers.equal(d.now):
		if _, err := tx.exec(`UPDATE list_document SET public = ?, own_slot = ? WHERE id = ?`, d.now.public, d.now.slot, d.ID); err != nil {
			return err
		}
	case d.old != nil && *d.old == *d.words:
		return nil
	}
	c.tokens = listTokens(d.now.prefix(d.listID, d.itemID != ""), *d.words)
	tx.countTokens(c.old, c.tokens)
	tx.later(c)
	return nil
}

func (d readers) equal(o readers) bool {
	return d.public && o.public || d.public == o.public && (d.slot == nil) == (o.slot == nil) && (d.slot == nil || *d.slot == *o.slot)
}

// writeListWords writes changes of documents, several of one document as one, in
// the order of their ids.
func (tx *Tx) writeListWords(changes []listWordChange) error {
	slices.SortStableFunc(changes, func(a, b listWordChange) int { return cmp.Compare(a.id, b.id) })
	all := make([]wordChange, len(changes))
	for n, c := range changes {
		all[n] = wordChange(c)
	}
	return tx.writeDocuments(listWords, oneEach(all))
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

const (
	// reindexedAtOnce is how many items are indexed in the write that changes who
	// finds their list. ReindexLists does the rest.
	reindexedAtOnce = 200
	// wordsAtOnce is how many bytes of text one write indexes, or removes from the
	// index, if they are of several items.
	wordsAtOnce = 16 << 10
)

// reindexList indexes a list and its items for those who find them now.
func (tx *Tx) reindexList(listID string) error {
	tx.leavesLists()
	if _, err := tx.exec(`INSERT INTO list_reindex (list_id, after) VALUES (?, NULL) ON CONFLICT (list_id) DO UPDATE SET after = NULL`, listID); err != nil {
		return err
	}
	_, _, err := tx.reindex(listID, nil, 1+reindexedAtOnce)
	return err
}

// leavesLists notes that lists may wait for the index.
func (tx *Tx) leavesLists() {
	if !tx.leaves {
		tx.leaves = true
		tx.e.OnDurable(func() { tx.db.leftLists.Store(true) })
	}
}

// PrepareItems does what a write that inserts the items in order, and no others, needs of
// the texts of those that wait for the index, and is better done before the write than
// within it. It is optional. The texts must not change after it.
func PrepareItems(items []Item) {
	size := 0
	for n := range items {
		i := &items[n]
		if size += i.Size(); waitsForIndex(i, size) {
			i.tokenSize = i.sizeOfTokens()
		}
	}
}

// waitsForIndex reports whether an item that is inserted by a write is not indexed by it:
// size is how much text the items have that it has inserted, with this one.
func waitsForIndex(i *Item, size int) bool { return size > wordsAtOnce && size != i.Size() }

// sizeOfTokens returns how much the item will take in the index.
func (i *Item) sizeOfTokens() int { return sizeOfTokens(listTokens("", i.words())) }

// indexNew indexes an item that was added at the end of its list. If the write has
// indexed much already, the item waits with those that are added after it, and with those
// that wait already, of which the next may be behind it if the end of the list was removed.
func (tx *Tx) indexNew(i *Item) error {
	if tx.indexed += i.Size(); !waitsForIndex(i, tx.indexed) {
		return tx.indexItem(nil, i)
	}
	size := i.tokenSize
	if size == 0 {
		size = i.sizeOfTokens()
	}
	tx.stored += size
	tx.leavesLists()
	_, err := tx.exec(`INSERT INTO list_reindex (list_id, after) VALUES (?, ?) ON CONFLICT (list_id) DO UPDATE SET after = min(after, excluded.after)`, i.ListID, i.Rank-1)
	return err
}

// indexShared moves a list that is shared for the first time to a slot of its own.
// It stays there, also when it is shared no more.
func (tx *Tx) indexShared(listID string) error {
	d, err := tx.readersOf(listID)
	if err != nil || d.slot == nil {
		return err
	}
	if err := tx.exec1(`UPDATE list SET own_slot = NULL WHERE id = ?`, listID); err != nil || d.public {
		return err
	}
	return tx.reindexList(listID)
}

// listsWait reports whether a list waits for the index.
func (r *Reader) listsWait() (yes bool, err error) {
	err = r.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM list_reindex) /* scan: one row */ /* server: whether there is one */`)
	return yes, err
}

// ReindexLists indexes lists that wait for it, and items of these, together up to
// limit or one more, or as many as one write should, and returns how many: 0 once none
// waits. It begins with the list behind the one that the write before ended with, so that
// one that has to be indexed again and again does not keep the others from it.
func (tx *Tx) ReindexLists(limit int) (n int64, err error) {
	last, full := tx.db.reindexed, false
	for n < int64(limit) && !full {
		id, after, err := tx.nextToReindex(last)
		if errors.Is(err, ErrNoRow) {
			break
		}
		if err != nil {
			return n, err
		}
		var done int
		done, full, err = tx.reindex(id, after, limit-int(n))
		if err != nil {
			return n, err
		}
		n += int64(max(done, 1)) // a list of which nothing was left takes time, too
		last = id
	}
	tx.e.OnDurable(func() { tx.db.reindexed = last })
	return n, nil
}

// nextToReindex returns the first list behind one, or of all if there is none, that waits
// for the index, and the rank of its last item that is done.
func (tx *Tx) nextToReindex(listID string) (id string, after *int64, err error) {
	for _, behind := range []string{listID, ""} {
		err = tx.value([]any{&id, &after}, `SELECT list_id, after FROM list_reindex WHERE list_id > ? ORDER BY list_id LIMIT 1 /* server: the index itself */`, behind)
		if !errors.Is(err, ErrNoRow) {
			break
		}
	}
	return id, after, err
}

// reindex indexes a list itself at first, and then its items behind a rank, together
// up to limit, or two, and returns how many. It reports whether it ended because they
// have much text.
func (tx *Tx) reindex(listID string, after *int64, limit int) (n int, full bool, err error) {
	last := int64(-1 << 63)
	if after != nil {
		last = *after
	} else {
		if err := tx.reindexTitle(listID); err != nil {
			return 0, false, err
		}
		n++
	}
	limit = max(limit-n, 1) // so that a list without items is done
	items, full, err := within(&tx.Reader, wordsAtOnce, scanStoredItem, `SELECT `+storedItemColumns+` FROM item i WHERE i.list_id = ? AND i.rank > ? ORDER BY i.rank LIMIT ? /* server: the index itself */`, listID, last, limit)
	for k := range items {
		i := &items[k]
		last = i.Rank
		if err == nil {
			err = tx.indexItem(i, i)
		}
		if err == nil {
			_, err = tx.exec(`UPDATE item SET link_key = nullif(?, '') WHERE id = ? AND link_key IS NOT nullif(?1, '')`, LinkKey(i.SourceURL), i.ID)
		}
	}
	switch {
	case err != nil:
		return 0, false, err
	case len(items) < limit && !full:
		_, err = tx.exec(`DELETE FROM list_reindex WHERE list_id = ?`, listID)
	default:
		_, err = tx.exec(`UPDATE list_reindex SET after = ? WHERE list_id = ?`, last, listID)
	}
	tx.listChanged(listID)
	return n + len(items), full, err
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

// ListDocument returns the tokens that the list has in the index; slot is its
// own_slot.
func ListDocument(l *List, public bool, slot *int64) []string {
	return listTokens(readers{public, slot}.prefix(l.ID, false), l.words())
}

// ItemDocument returns the tokens that an item of the list has in the index.
func ItemDocument(l *List, i *Item, public bool, slot *int64) []string {
	return listTokens(readers{public, slot}.prefix(l.ID, true), i.words())
}
