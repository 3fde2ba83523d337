package op

import (
	"time"

	"hearth/app/core"
	"hearth/store"
)

// Adding bounds how often within an hour one person, with their bots, adds others to
// something, as its members, and how often one account is added by others, whose
// consent is not asked.
type Adding struct {
	To  string // what they are added to, in the plural: "groups"
	Msg string // what to do instead
}

const (
	maxAdding = 1000 // additions of one person within an hour
	maxAdded  = 100  // additions of one account by others within an hour
)

// Use counts that by adds the accounts, in the write in which it does; TooMany, with
// the code too_many_additions, if one of them cannot be. It does nothing if l is
// lifted.
func (a Adding) Use(tx *store.Tx, l *Limits, by store.Viewer, userIDs ...string) error {
	if l.Lifted() {
		return nil
	}
	wait, err := tx.UseQuotas("adding to "+a.To+":"+by.PersonID(), len(userIDs), maxAdding, time.Hour)
	for _, id := range userIDs {
		if err == nil && wait == 0 {
			wait, err = tx.UseQuota("added to "+a.To+":"+id, maxAdded, time.Hour)
		}
	}
	if err == nil && wait > 0 {
		err = core.TooManyAfter(wait, "too_many_additions", "%s", a.Msg)
	}
	return err
}
