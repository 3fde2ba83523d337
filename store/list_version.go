package store

import (
	"hash/maphash"
	"sync/atomic"
)

// listVersions counts the changes of lists, so that what was made from them can
// be recognised as current without a query. Lists share counters: a change of
// one may look like a change of another, and never the other way round.
type listVersions struct {
	seed  maphash.Seed
	all   atomic.Uint64 // changes of any list
	site  atomic.Uint64 // changes of settings, which are on all pages
	slots [1024]atomic.Uint64
}

func (v *listVersions) slot(id string) *atomic.Uint64 {
	return &v.slots[maphash.String(v.seed, id)%uint64(len(v.slots))]
}

// ListVersion is a state of a list, or of all lists. It is comparable.
type ListVersion struct{ list, accounts, site uint64 }

// ListVersion returns the version of the list with the id, or of all lists if it
// is "". Taken before a state of the database is read, an equal version means
// that everybody who may see the list still reads the same, and that the settings
// are the same. It changes before the write returns that changed the list, a
// name in it or who may see it, and within half a second of a commit by another
// process.
func (db *DB) ListVersion(id string) ListVersion {
	counter := &db.lists.all
	if id != "" {
		counter = db.lists.slot(id)
	}
	return ListVersion{counter.Load(), db.senders.Generation(), db.lists.site.Load()}
}

// listChanged records that a list changed in this write, or, with "", something
// that pages of several lists show.
func (tx *Tx) listChanged(id string) { tx.lists = append(tx.lists, id) }

func (db *DB) listsChanged(ids []string) {
	db.lists.all.Add(1)
	for _, id := range ids {
		db.lists.slot(id).Add(1)
	}
}
