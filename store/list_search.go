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

// maxTerms is how many terms of the index, which are words times prefixes, are looked
// up at once if there are several words: each takes as long as reading a hundred
// entries. A search that has looked up twice as many begins no further query.
const maxTerms = 500

// rowCost is that of reading a row and comparing it.
const rowCost = 50

// maxSearchedLists is how many lists that were shared and are not public a search
// looks into, of those that the viewer has a part in: those that changed last.
const maxSearchedLists = 1000

// SearchItems returns up to limit items of lists that are listed for by.
func (r *Reader) SearchItems(by Viewer, q ListSearch, limit int) (Found[FoundItem], error) {
	walks, err := itemWalks(r, by, q, limit)
	if err != nil {
		return Found[FoundItem]{}, err
	}
	return merged(walks, limit), nil
}

func itemWalks(r *Reader, by Viewer, q ListSearch, limit int) ([]*listWalk[FoundItem], error) {
	return searchLists(r, by, q, limit, true, func(ids []int64) ([]hit[FoundItem], error) {
		return all(r, scanItemHit, `SELECT d.id, l.title, l.visibility, `+itemColumns+` FROM json_each(?2) j CROSS JOIN list_document d ON d.id = j.value
			CROSS JOIN list l ON l.id = d.list_id CROSS JOIN item i ON i.id = d.item_id`+itemAccounts()+` WHERE `+listedList("l", "?1"), by.UserID, jsonInts(ids))
	})
}

// SearchLists returns up to limit lists that are listed for by.
func (r *Reader) SearchLists(by Viewer, q ListSearch, limit int) (Found[List], error) {
	walks, err := searchLists(r, by, q, limit, false, func(ids []int64) ([]hit[List], error) {
		return all(r, scanListHit, `SELECT d.id, `+listColumns+` FROM json_each(?2) j CROSS JOIN list_document d ON d.id = j.value AND d.item_id IS NULL
			CROSS JOIN list l ON l.id = d.list_id JOIN user u ON `+namedUser("u", "l.owner_id")+` WHERE `+listedList("l", "?1"), by.UserID, jsonInts(ids))
	})
	if err != nil {
		return Found[List]{}, err
	}
	return merged(walks, limit), nil
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

// searchLists searches what everybody may see and then what else is listed for by.
func searchLists[T any](r *Reader, by Viewer, q ListSearch, limit int, items bool, read func(ids []int64) ([]hit[T], error)) (walks []*listWalk[T], err error) {
	words := queryWords(q.Terms)
	if len(words) == 0 {
		return nil, nil
	}
	end := int64(math.MaxInt64)
	if q.Before != 0 {
		end = q.Before
	}
	hidden, err := r.hiddenPrefixes(by, items)
	if err != nil {
		return nil, err
	}
	prefixes := [][]string{{readers{public: true}.prefix("", items)}}
	if len(hidden) > 0 {
		prefixes = append(prefixes, hidden)
	}
	for _, p := range prefixes {
		budget := searchBudget / len(prefixes)
		w := &listWalk[T]{r: r, q: q, limit: limit, read: read, prefixes: p, words: words, budget: budget, window: budget / windowsPerPart}
		if err := w.walk(end); err != nil {
			return nil, err
		}
		walks = append(walks, w)
	}
	return walks, nil
}

// merged puts the results of searches in one order.
func merged[T any](walks []*listWalk[T], limit int) (out Found[T]) {
	var all []hit[T]
	low := int64(0) // of all searches: what is below has not been searched
	for _, w := range walks {
		all, low = append(all, w.found...), max(low, w.low)
	}
	slices.SortFunc(all, func(a, b hit[T]) int { return cmp.Compare(b.document, a.document) })
	for _, h := range all {
		if h.document < low {
			break
		}
		if len(out.Rows) == limit {
			out.Next = h.document + 1
			return out
		}
		out.Rows = append(out.Rows, h.row)
	}
	out.Next = low
	return out
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

	terms int // that were looked up in the index
	found []hit[T]
	low   int64 // the documents from here on have been searched; 0: all
}

// indexQuery is a query of the index.
type indexQuery struct {
	match string
	terms int // in match
}

// matches returns the queries of the index for each of the words behind one of the
// prefixes.
func (w *listWalk[T]) matches(prefixes []string) []indexQuery {
	out := make([]indexQuery, len(w.words))
	for i, word := range w.words {
		terms := make([]string, len(prefixes))
		for n, p := range prefixes {
			terms[n] = `"` + p + word + `"`
		}
		out[i] = indexQuery{"(" + strings.Join(terms, " OR ") + ")", len(terms)}
	}
	return out
}

// walk searches the documents before end, the newest first, until it has found
// more than the limit or its budget is spent. With several words it reads the
// index in windows of documents: the index alone would not stop looking for
// documents with all of them. Of too many words for all prefixes it asks the index
// for one.
func (w *listWalk[T]) walk(end int64) error {
	match := w.matches(w.prefixes)
	if len(match) == 1 {
		return w.blocks(match[0], 0, end)
	}
	if len(match)*len(w.prefixes) > maxTerms {
		n, err := w.rarest(end)
		if err != nil {
			return err
		}
		return w.blocks(match[n], 0, end)
	}
	rare, window, end, err := w.sample(match, end)
	if err != nil {
		return err
	}
	if window == 0 {
		return w.blocks(rare, 0, end)
	}
	all := indexQuery{terms: len(match) * len(w.prefixes)}
	for i, m := range match {
		all.match += []string{"", " AND "}[min(i, 1)] + m.match
	}
	for end > 0 {
		first := max(end-window, 0)
		if err := w.blocks(all, first, end); err != nil || w.low > first {
			return err
		}
		if w.low, end = first, first; w.done() || w.terms >= 2*maxTerms {
			return nil
		}
		w.budget -= w.window
	}
	return nil
}

// rarest returns the number of the word that seems to be the rarest. It looks at as
// many of the prefixes as it may look up with all words.
func (w *listWalk[T]) rarest(end int64) (rarest int, err error) {
	fewest, lowest := sample+1, int64(0)
	for i, m := range w.matches(w.prefixes[:min(maxTerms/len(w.words), len(w.prefixes))]) {
		ids, err := w.entries(m, 0, end, sample)
		if err != nil {
			return 0, err
		}
		last := int64(0)
		if len(ids) > 0 {
			last = ids[len(ids)-1]
		}
		if len(ids) < fewest || len(ids) == fewest && last < lowest {
			rarest, fewest, lowest = i, len(ids), last
		}
	}
	return rarest, nil
}

// windowsPerPart is how many windows the budget is enough for.
const windowsPerPart = 4

func (w *listWalk[T]) done() bool { return w.budget <= 0 || len(w.found) > w.limit }

// sample returns the query of a word with so few entries that it costs less to
// read the documents that have it than the entries of all words, or else how many
// documents a window can have so that those entries cost a part of the budget; and
// the end of the documents that can have all words.
func (w *listWalk[T]) sample(match []indexQuery, end int64) (rare indexQuery, window, newEnd int64, err error) {
	density, lowest := 0.0, math.MaxFloat64
	newEnd = end
	for _, m := range match {
		ids, err := w.entries(m, 0, end, sample)
		if err != nil {
			return rare, 0, 0, err
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
	return rare, max(int64(float64(w.window)/density), sample), newEnd, nil
}

// blocks compares the documents from first on and before end that a query of the
// index gives.
func (w *listWalk[T]) blocks(q indexQuery, first, end int64) error {
	for size := w.limit + 1; ; size = 2*w.limit + 16 {
		// Where looking up the terms takes longer than reading entries, more are read.
		most := max(size, min(q.terms, w.budget/rowCost))
		ids, err := w.entries(q, first, end, most)
		if err != nil {
			return err
		}
		for block := range slices.Chunk(ids, size) {
			if err := w.compare(block); err != nil {
				return err
			}
			if end = block[len(block)-1]; w.done() && (len(ids) == most || end != ids[len(ids)-1]) {
				w.low = end
				return nil
			}
		}
		if len(ids) < most {
			w.low = first
			return nil
		}
		if w.terms >= 2*maxTerms {
			w.low = end
			return nil
		}
	}
}

// compare adds those of the documents that are searched for to what was found.
func (w *listWalk[T]) compare(ids []int64) error {
	rows, err := w.read(ids)
	for _, h := range rows {
		w.budget -= len(h.words) / textCost // one character can become dozens of bytes
		if !slices.ContainsFunc(w.q.Terms, func(t Term) bool { return !t.in(h.words) }) {
			w.found = append(w.found, h)
		}
	}
	w.budget -= len(ids) * rowCost
	return err
}

// entries returns the ids of the newest documents that match, from first on and
// before end.
func (w *listWalk[T]) entries(q indexQuery, first, end int64, limit int) ([]int64, error) {
	w.terms += q.terms
	return all(w.r, scanOne[int64], `SELECT rowid FROM list_word WHERE list_word MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
		/* scan: a bounded number of entries of the index */ /* server: of which only those are read further that the viewer may see */`, q.match, first, end, limit)
}
