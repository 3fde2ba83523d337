package store

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// ListSearch is what lists or items are searched for.
type ListSearch struct {
	Terms  []Term // all of which must be there
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

// searchBudget bounds the work of a part, in reads of one entry of the index. What
// everybody may see and what else is the viewer's have equal shares.
const searchBudget = 12_000

// rowCost is that of reading a row and comparing it.
const rowCost = 50

// maxSearchedLists is how many lists that were shared and are not public a search
// looks into, of those that the viewer has a part in: those that changed last.
const maxSearchedLists = 1000

// SearchItems returns up to limit items of lists that are listed for by.
func (r *Reader) SearchItems(by Viewer, q ListSearch, limit int) (Found[FoundItem], error) {
	return searchLists(r, by, q, limit, true, func(ids []int64) ([]hit[FoundItem], error) {
		return all(r, scanItemHit, `SELECT d.id, l.title, l.visibility, `+itemColumns+` FROM json_each(?2) j CROSS JOIN list_document d ON d.id = j.value
			CROSS JOIN list l ON l.id = d.list_id CROSS JOIN item i ON i.id = d.item_id`+itemAccounts()+` WHERE `+listedList("l", "?1"), by.UserID, jsonInts(ids))
	})
}

// SearchLists returns up to limit lists that are listed for by.
func (r *Reader) SearchLists(by Viewer, q ListSearch, limit int) (Found[List], error) {
	return searchLists(r, by, q, limit, false, func(ids []int64) ([]hit[List], error) {
		return all(r, scanListHit, `SELECT d.id, `+listColumns+` FROM json_each(?2) j CROSS JOIN list_document d ON d.id = j.value AND d.item_id IS NULL
			CROSS JOIN list l ON l.id = d.list_id JOIN user u ON `+namedUser("u", "l.owner_id")+` WHERE `+listedList("l", "?1"), by.UserID, jsonInts(ids))
	})
}

func jsonInts(ids []int64) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic("store: numbers cannot be encoded: " + err.Error())
	}
	return string(b)
}

// hit is a row with its document and its words.
type hit[T any] struct {
	document int64
	words    string
	row      T
}

func scanItemHit(s scanner) (h hit[FoundItem], err error) {
	i, err := scanItem(prefixed{s, []any{&h.document, &h.row.ListTitle, &h.row.ListVisibility}})
	h.row.Item, h.words = i, i.words()
	return h, err
}

func scanListHit(s scanner) (h hit[List], err error) {
	h.row, err = scanList(prefixed{s, []any{&h.document}})
	h.words = h.row.words()
	return h, err
}

// prefixed scans columns before those that are asked for.
type prefixed struct {
	scanner
	first []any
}

func (p prefixed) Scan(dest ...any) error { return p.scanner.Scan(append(p.first, dest...)...) }

// searchLists searches what everybody may see and then what else is listed for
// by, and puts the results in one order.
func searchLists[T any](r *Reader, by Viewer, q ListSearch, limit int, items bool, read func(ids []int64) ([]hit[T], error)) (out Found[T], err error) {
	words := queryWords(q.Terms)
	if len(words) == 0 {
		return out, nil
	}
	end := int64(math.MaxInt64)
	if q.Before != 0 {
		end = q.Before
	}
	hidden, err := r.hiddenPrefixes(by, items)
	if err != nil {
		return out, err
	}
	var found []hit[T]
	low := int64(0) // of both searches: what is below has not been searched
	walks := [][]string{{readers{public: true}.prefix("", items)}}
	if len(hidden) > 0 {
		walks = append(walks, hidden)
	}
	for _, prefixes := range walks {
		budget := searchBudget / len(walks)
		w := listWalk[T]{r: r, q: q, limit: limit, read: read, prefixes: prefixes, words: words, budget: budget, window: budget / windowsPerPart}
		if err := w.walk(end); err != nil {
			return out, err
		}
		found, low = append(found, w.found...), max(low, w.low)
	}
	slices.SortFunc(found, func(a, b hit[T]) int { return cmp.Compare(b.document, a.document) })
	for _, h := range found {
		if h.document < low {
			break
		}
		if len(out.Rows) == limit {
			out.Next = h.document + 1
			return out, nil
		}
		out.Rows = append(out.Rows, h.row)
	}
	out.Next = low
	return out, nil
}

// queryWords returns the tokens that a document with the terms has.
func queryWords(terms []Term) (words []string) {
	for _, t := range terms {
		listQueryTokens(t.Words, func(w string) {
			if len(words) < maxTokens && !slices.Contains(words, w) {
				words = append(words, w)
			}
		})
	}
	return words
}

// hiddenPrefixes returns the prefixes of the tokens of the lists that by has a
// part in and not everybody may see.
func (r *Reader) hiddenPrefixes(by Viewer, items bool) (prefixes []string, err error) {
	if !by.SignedIn() {
		return nil, nil
	}
	prefixes = append(prefixes, readers{}.prefix(by.UserID, items))
	ids, err := all(r, scanOne[string], `SELECT id FROM (`+hiddenSharedLists+`) ORDER BY updated_at DESC LIMIT ?2 /* scan: the lists of one account */`, by.UserID, maxSearchedLists)
	for _, id := range ids {
		if p := (readers{}).prefix(id, items); !slices.Contains(prefixes, p) {
			prefixes = append(prefixes, p)
		}
	}
	return prefixes, err
}

// hiddenSharedLists are the lists that ?1 has a part in, not everybody may see, and
// have a slot of their own.
var hiddenSharedLists = `SELECT l.id, l.updated_at FROM list l WHERE ` + ownedList("l", "?1") + notPublic + ` AND l.own_slot IS NULL
	UNION ALL SELECT l.id, l.updated_at FROM list_member lm CROSS JOIN list l ON l.id = lm.list_id WHERE ` + sharedList("lm", "?1") + notPublic

// listWalk is a search among the documents with one of some prefixes.
type listWalk[T any] struct {
	r        *Reader
	q        ListSearch
	limit    int
	read     func(ids []int64) ([]hit[T], error)
	prefixes []string
	words    []string
	budget   int
	window   int // what reading a window of documents costs

	found []hit[T]
	low   int64 // the documents from here on have been searched; 0: all
}

// match returns the query of the index for one of the words.
func (w *listWalk[T]) match(word string) string {
	terms := make([]string, len(w.prefixes))
	for i, p := range w.prefixes {
		terms[i] = `"` + p + word + `"`
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

// walk searches the documents before end, the newest first, until it has found
// more than the limit or its budget is spent. With several words it reads the
// index in windows of documents: the index alone would not stop looking for
// documents with all of them.
func (w *listWalk[T]) walk(end int64) error {
	match := make([]string, len(w.words))
	for i, word := range w.words {
		match[i] = w.match(word)
	}
	rare, window, end, err := w.sample(match, end)
	if err != nil {
		return err
	}
	if len(match) == 1 || window == 0 {
		return w.blocks(rare, 0, end)
	}
	all := strings.Join(match, " AND ")
	for end > 0 {
		first := max(end-window, 0)
		if err := w.blocks(all, first, end); err != nil || w.low > first {
			return err
		}
		if w.low, end = first, first; w.done() {
			return nil
		}
		w.budget -= w.window
	}
	return nil
}

// windowsPerPart is how many windows the budget is enough for.
const windowsPerPart = 4

func (w *listWalk[T]) done() bool { return w.budget <= 0 || len(w.found) > w.limit }

// sample returns the query of a word with so few entries that it costs less to
// read the documents that have it than the entries of all words, or else how many
// documents a window can have so that those entries cost a part of the budget; and
// the end of the documents that can have all words.
func (w *listWalk[T]) sample(match []string, end int64) (rare string, window, newEnd int64, err error) {
	if len(match) == 1 {
		return match[0], 0, end, nil
	}
	density, lowest := 0.0, math.MaxFloat64
	newEnd = end
	for _, m := range match {
		ids, err := w.entries(m, 0, end, sample)
		if err != nil {
			return "", 0, 0, err
		}
		if len(ids) < sample {
			return m, 0, end, nil
		}
		newEnd = min(newEnd, ids[0]+1)
		d := sample / float64(max(ids[0]-ids[sample-1], 1))
		if density += d; d < lowest {
			lowest, rare = d, m
		}
	}
	if lowest*rowCost < density {
		return rare, 0, newEnd, nil
	}
	return "", max(int64(float64(w.window)/density), sample), newEnd, nil
}

// blocks compares the documents from first on and before end that a query of the
// index gives.
func (w *listWalk[T]) blocks(match string, first, end int64) error {
	for size := w.limit + 1; ; size = 2*w.limit + 16 {
		ids, err := w.entries(match, first, end, size)
		if err != nil {
			return err
		}
		var rows []hit[T]
		if len(ids) > 0 {
			rows, err = w.read(ids)
		}
		if err != nil {
			return err
		}
		for _, h := range rows {
			if !slices.ContainsFunc(w.q.Terms, func(t Term) bool { return !t.in(h.words) }) {
				w.found = append(w.found, h)
			}
		}
		w.budget -= len(ids) * rowCost
		if len(ids) < size {
			w.low = first
			return nil
		}
		if end = ids[len(ids)-1]; w.done() {
			w.low = end
			return nil
		}
	}
}

// entries returns the ids of the newest documents that match, from first on and
// before end.
func (w *listWalk[T]) entries(match string, first, end int64, limit int) ([]int64, error) {
	return all(w.r, scanOne[int64], `SELECT rowid FROM list_word WHERE list_word MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
		/* scan: a bounded number of entries of the index */ /* server: of which only those are read further that the viewer may see */`, match, first, end, limit)
}
