package store

import "strings"

// ListSearch is what lists or items are searched for.
type ListSearch struct {
	Terms  []Term // all must be there
	Before int64  // the Next of the part before; 0 for the first
}

// FoundItem is an item with the list it is of.
type FoundItem struct {
	Item
	ListTitle      string
	ListVisibility string
}

// Found is a part of the result of a search, the newest first.
type Found[T any] struct {
	Rows []T
	// Next continues the search: its Before in the next one. It is 0 if there is
	// nothing more. A part may have few rows, or none, although there are more.
	Next int64
}

// hit is a row with its number.
type hit[T any] struct {
	Seq int64
	Row T
}

func (h *hit[T]) derive() {
	if row, ok := any(&h.Row).(interface{ derive() }); ok {
		row.derive()
	}
}

// SearchItems returns up to limit items of lists that are visible to by.
func (r *Reader) SearchItems(by Viewer, q ListSearch, limit int) (Found[FoundItem], error) {
	return searchLists(r, by, q, limit, "item", func(i *FoundItem) string { return i.words() },
		`SELECT i.seq, `+itemColumns+`, l.title, l.visibility FROM % w CROSS JOIN item i ON i.seq = #
			CROSS JOIN list l ON l.id = i.list_id`+itemAccounts())
}

// SearchLists returns up to limit lists that are visible to by.
func (r *Reader) SearchLists(by Viewer, q ListSearch, limit int) (Found[List], error) {
	return searchLists(r, by, q, limit, "list", (*List).words,
		`SELECT l.seq, `+listColumns+` FROM % w CROSS JOIN list l ON l.seq = # JOIN user u ON `+namedUser("u", "l.owner_id"))
}

// searchLists searches the index of a noun and what waits for it. query reads rows of %,
// whose number is #.
func searchLists[T any](r *Reader, by Viewer, q ListSearch, limit int, noun string, words func(*T) string,
	query string) (out Found[T], err error) {
	match := match(q.Terms)
	if match == "" {
		return out, nil
	}
	s := searching[hit[T]]{
		limit: limit, finds: func(h *hit[T]) bool { return allIn(q.Terms, words(&h.Row)) },
		at: func(h *hit[T]) int64 { return h.Seq },
	}
	query += ` WHERE # < ?2 AND ` + visibleList("l", "?1")
	in := func(table, seq string) string {
		return strings.NewReplacer("%", table, "#", seq).Replace(query)
	}
	err = s.add(r, in("word_queue", "w.id")+` AND w.noun = ?4 ORDER BY w.id DESC LIMIT ?3`, by.UserID, orEnd(Time(q.Before)),
		maxCompared, noun)
	if err == nil {
		err = s.add(r, in(noun+"_word", "w.rowid")+` AND w.`+noun+
			`_word MATCH ?4 ORDER BY w.rowid DESC LIMIT ?3 /* scan: the index, up to a number of rows */`,
			by.UserID, orEnd(Time(q.Before)), maxCompared, match)
	}
	found, next := s.result()
	for _, h := range found {
		out.Rows = append(out.Rows, h.Row)
	}
	out.Next = next
	return out, err
}
