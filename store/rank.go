package store

import "slices"

// The items of a list are ordered by rank, an integer that leaves gaps: an item
// is moved by giving it the middle of the gap between its new neighbours, and
// no other row changes. When a gap is used up, after 32 moves into it, the whole list
// gets new ranks.
const rankGap = 1 << 32 // between items added one after another

// Place is the gap between two neighbours in the order of a list.
type Place struct {
	before, after int64 // the ranks of the neighbours
	first, last   bool  // there is no item before, or after, it
}

// has reports whether an item of this rank is in the gap.
func (p Place) has(rank int64) bool {
	return (p.first || p.before < rank) && (p.last || rank < p.after)
}

// Place returns the gap in which the item with the id is at a position of list
// l. It reads along the index from the nearer end of the list.
func (r *Reader) Place(by Viewer, l List, id string, position int) (p Place, err error) {
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

// IsIn reports whether i is in the place p already.
func (i Item) IsIn(p Place) bool { return p.has(i.Rank) }

// MoveItem moves i to the place p, which was read in this write, and updates i's and its
// list's time of change.
func (tx *Tx) MoveItem(i Item, p Place) error {
	rank, err := tx.rankIn(i, p)
	if err != nil {
		return err
	}
	if err := tx.exec1(`UPDATE item SET rank = ?, updated_at = ? WHERE id = ?`, rank, tx.Now, i.ID); err != nil {
		return err
	}
	return tx.TouchList(i.ListID)
}

// rankIn returns a rank in a gap between items other than i, and spreads the list if
// there is none.
func (tx *Tx) rankIn(i Item, p Place) (rank int64, err error) {
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
	rank, err = one[int64](&tx.Reader, `SELECT count(*) * ?4 + ?4 / 2 FROM item b WHERE b.list_id = ?1 AND b.rank <= ?2 AND b.id <> ?3
		/* server: the order of a list that is being changed */`, i.ListID, p.before, i.ID, rankGap)
	if err != nil {
		return 0, err
	}
	return rank, tx.exec(`UPDATE item SET rank = t.number * ?3 FROM (
			SELECT b.seq, row_number() OVER (ORDER BY b.rank) AS number FROM item b WHERE b.list_id = ?1 AND b.id <> ?2) t
		WHERE item.seq = t.seq /* server: the order of a list that is being changed */ /* scan: the list */`, i.ListID, i.ID, rankGap)
}
