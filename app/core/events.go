package core

import (
	"cmp"

	"hearth/store"
)

// InboxUpdated is the kind of the event that InboxChanged emits.
const InboxUpdated store.EventKind = "review.updated"

// InboxChanged tells accounts that what waits for them changed.
func InboxChanged(tx *store.Tx, userIDs ...string) (err error) {
	for _, id := range userIDs {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: id, Kind: InboxUpdated, ObjectID: id}))
	}
	return err
}

// AdminInboxChanged is InboxChanged for the administrators.
func AdminInboxChanged(tx *store.Tx) error {
	admins, err := tx.AdminIDs()
	return cmp.Or(err, InboxChanged(tx, admins...))
}
