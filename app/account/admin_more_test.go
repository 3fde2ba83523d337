package account

import (
	"testing"

	"hearth/store"
)

// auditOf returns the acts in the audit log, the newest first, as an administrator sees
// them.
func (h *harness) auditOf(admin string) (list []store.AuditEntry) {
	h.t.Helper()
	by := store.Viewer{Kind: store.Human, UserID: h.user(admin).ID, Admin: true, CanRead: true}
	err := h.db.Read(h.t.Context(), func(r *store.Reader) (err error) { list, err = r.AuditEntries(by, 0, 100); return err })
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// The command line takes the rights of an administrator from an account, but not from
// the only one, and each change is in the audit log.
func TestDemoteByCommand(t *testing.T) {
	h := open(t)
	for _, email := range []string{"ada@example.org", "ben@example.org"} {
		if err := h.Promote(t.Context(), email); err != nil {
			t.Fatal(err)
		}
	}
	ben := h.as("ben@example.org")
	wantCode(t, "one of two", h.Demote(t.Context(), "BEN@example.org"), "")
	if h.user("ben@example.org").IsAdmin || h.as("ben@example.org").Admin || !h.user("ada@example.org").IsAdmin {
		t.Error("the account is an administrator, or the other is none")
	}
	wantCode(t, "a request of before", h.stillValid(t.Context(), ben), "unauthenticated")
	wantCode(t, "one who is none", h.Demote(t.Context(), "ben@example.org"), "")
	wantCode(t, "the only one", h.Demote(t.Context(), "ada@example.org"), "last_admin")
	wantCode(t, "an unknown address", h.Demote(t.Context(), "nobody@example.org"), "no_account")
	if !h.user("ada@example.org").IsAdmin {
		t.Error("the only administrator is none any more")
	}
	acts := h.auditOf("ada@example.org")
	if len(acts) != 3 || acts[0].Action != "user.demote" || !acts[0].ByCommand || acts[0].TargetID != h.cast.Ben.ID {
		t.Errorf("the audit log is %+v", acts)
	}
}

// A deletion by the command line is in the audit log, without the account. What belongs
// to the server is not deleted.
func TestEraseByCommand(t *testing.T) {
	h := open(t)
	if err := h.Promote(t.Context(), "ada@example.org"); err != nil {
		t.Fatal(err)
	}
	erase := func(email string) error { return h.Erase(t.Context(), email, func(int) {}) }
	wantCode(t, "an unknown address", erase("nobody@example.org"), "no_account")
	wantCode(t, "the only administrator", erase("ada@example.org"), "last_admin")
	if acts := h.auditOf("ada@example.org"); len(acts) != 1 || acts[0].Action != "user.promote" {
		t.Errorf("after what was refused, the audit log is %+v", acts)
	}
	wantCode(t, "a member", erase("Ben@example.org"), "")
	if h.hasUser("ben@example.org") {
		t.Error("the account is there")
	}
	acts := h.auditOf("ada@example.org")
	if len(acts) != 2 || acts[0].Action != "user.erase" || !acts[0].ByCommand || acts[0].TargetID != store.DeletedUserID {
		t.Errorf("the audit log is %+v", acts)
	}
	wantCode(t, "the account of those who are deleted", erase(store.DeletedUserID+"@users.invalid"), "system_account")
	if acts := h.auditOf("ada@example.org"); len(acts) != 2 {
		t.Errorf("after what was refused, the audit log is %+v", acts)
	}
}
