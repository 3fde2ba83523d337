package store

import (
	"slices"

	"github.com/go-json-experiment/json"
)

// The items of a list are ordered by rank, an integer that leaves gaps: an item
// is moved by giving it the middle of the gap between its new neighbours, and
// no other row changes. When a gap is used up, the ranks of a few items around
// it are spread over the range that these have together. The window of those
// items is doubled until the range is wide enough, and a larger window needs wider
// gaps, so that it is spread again only after many more moves: however moves
// are chosen, the rows changed by each are few on average.
const (
	rankGap    = 1 << 32 // between items added one after another
	minWindow  = 16      // items that are spread at least
	minRankGap = 1 << 8  // between the items of a window of that size
)

// Place is the gap between two neighbours in the order of a list.
type Place struct {
	before, after int64 // the ranks of the neighbours
	first, last   bool  // there is no item before, or after, it
	listAt        Time  // when the list had changed last
}

// has reports whether an item of this rank is in the gap.
func (p Place) has(rank int64) bool {
	return (p.first || p.before < rank) && (p.last || rank < p.after)
}

// Place returns the gap in which the item with the id is at a position of list
// l. It reads along the index from the nearer end of the list, so it is called
// before a write, which then reads again only if the list has changed since l.
func (r *Reader) Place(by Viewer, l List, id string, position int) (Place, error) {
	p := Place{listAt: l.UpdatedAt}
	others := l.ItemCount - 1
	order, skip := "ASC", position-1
	if position > others/2 {
		order, skip = "DESC", others-position-1
	}
	limit := 2
	if skip < 0 { // at that end there is only one neighbour
		skip, limit = 0, 1
	}
	ranks, err := all[int64](r, `SELECT b.rank FROM list l CROSS JOIN item b ON b.list_id = l.id
		WHERE l.id = ?1 AND `+visibleList("l", "?2")+` AND b.id <> ?3
		ORDER BY b.rank `+order+` LIMIT ?4 OFFSET ?5`, l.ID, by.UserID, id, limit, skip)
	if order == "DESC" {
		slices.Reverse(ranks)
	}
	switch {
	case len(ranks) == 0:
		p.first, p.last = true, true
	case len(ranks) == 2:
		p.before, p.after = ranks[0], ranks[1]
	case position == 0:
		p.first, p.after = true, ranks[0]
	default:
		p.before, p.last = ranks[0], true
	}
	return p, err
}

// PlaceNow returns p if list l, as it is now, has not changed since p was read,
// and else reads it again.
func (tx *Tx) PlaceNow(by Viewer, l List, id string, position int, p Place) (Place, error) {
	if p.listAt == l.UpdatedAt {
		return p, nil
	}
	return tx.Place(by, l, id, position)
}

// IsIn reports whether i is in the place p already.
func (i Item) IsIn(p Place) bool { return p.has(i.Rank) }

// MoveItem moves i to the place p, which is that of PlaceNow in this write, and
// updates i's and its list's time of change.
func (tx *Tx) MoveItem(i Item, p Place) error {
	rank, err := tx.rankIn(i, p)
	if err != nil {
		return err
	}
	if err := tx.exec1(`UPDATE item SET rank = ?, updated_at = ? WHERE id = ?`, rank, int64(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.TouchList(i.ListID)
}

// rankIn returns a rank in a gap between items other than i, and widens the
// gap if there is none.
func (tx *Tx) rankIn(i Item, p Place) (int64, error) {
	switch {
	case p.first && p.last:
		return 0, nil
	case p.first:
		return p.after - rankGap, nil
	case p.last:
		return p.before + rankGap, nil
	case p.after-p.before > 1:
		return p.before + (p.after-p.before)/2, nil
	}
	for size, gap := minWindow, int64(minRankGap); ; size, gap = size*2, gap*2 {
		w, err := tx.window(i, p, size/2)
		if err != nil {
			return 0, err
		}
		if rank, ok := w.spread(gap); ok {
			return rank, tx.setRanks(w.items)
		}
	}
}

// ranked is an item's id with its rank.
type ranked struct {
	ID   string
	Rank int64
}

// window is the items around a gap, in order, of which the first below come
// before it. The ranks low and high, both exclusive, are free for them; one is
// missing at an end of the list.
type window struct {
	items           []ranked
	below           int
	low, high       int64
	isFirst, isLast bool
}

// window returns up to half items on each side of the gap p, without i.
func (tx *Tx) window(i Item, p Place, half int) (w window, err error) {
	const side = ` /* server: the order of a list that is being changed */`
	below, err := all[ranked](&tx.Reader, `SELECT b.id, b.rank FROM item b WHERE b.list_id = ?1 AND b.rank <= ?2 AND b.id <> ?3
		ORDER BY b.rank DESC LIMIT ?4`+side, i.ListID, p.before, i.ID, half+1)
	if err != nil {
		return w, err
	}
	above, err := all[ranked](&tx.Reader, `SELECT b.id, b.rank FROM item b WHERE b.list_id = ?1 AND b.rank >= ?2 AND b.id <> ?3
		ORDER BY b.rank LIMIT ?4`+side, i.ListID, p.after, i.ID, half+1)
	if err != nil {
		return w, err
	}
	if w.isFirst = len(below) <= half; !w.isFirst {
		w.low, below = below[half].Rank, below[:half]
	}
	if w.isLast = len(above) <= half; !w.isLast {
		w.high, above = above[half].Rank, above[:half]
	}
	slices.Reverse(below)
	w.below, w.items = len(below), append(below, above...)
	return w, nil
}

// spread gives the items and one more in the gap evenly spaced ranks, and
// returns that of the one more. It reports whether they are at least gap apart,
// and changes nothing otherwise.
func (w *window) spread(gap int64) (rank int64, ok bool) {
	slots := int64(len(w.items)) + 2
	low := w.low
	switch {
	case w.isFirst && w.isLast:
		low, gap = 0, rankGap
	case w.isFirst:
		low, gap = w.high-slots*rankGap, rankGap
	case w.isLast:
		gap = rankGap
	default:
		if w.high-w.low < gap*slots {
			return 0, false
		}
		gap = (w.high - w.low) / slots
	}
	for n := range w.items {
		slot := int64(n) + 1
		if n >= w.below {
			slot++
		}
		w.items[n].Rank = low + slot*gap
	}
	return low + (int64(w.below)+1)*gap, true
}

// setRanks gives items other ranks.
func (tx *Tx) setRanks(items []ranked) error {
	pairs := make([][2]any, len(items))
	for n, r := range items {
		pairs[n] = [2]any{r.ID, r.Rank}
	}
	list, err := json.Marshal(pairs)
	if err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE item SET rank = t.rank FROM (SELECT value ->> 0 AS id, value ->> 1 AS rank FROM json_each(?)) t
		WHERE item.id = t.id`, string(list))
	return err
}
