package account

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// An account that is being deleted cannot be restored.
func TestNoRestoreOfADeletion(t *testing.T) {
	h := open(t)
	h.commit(func(tx *store.Tx) error { return tx.Freeze(h.cast.Ben.ID) })
	err := h.Unsuspend(t.Context(), "ben@example.org")
	wantCode(t, "being deleted", err, "account_deleted")
	if u := h.user("ben@example.org"); u.SuspendedAt == 0 {
		t.Error("the account is active again")
	}
	if !core.IsKind(err, core.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}
