package account

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

// The functions below change an account's status and record it in the audit log. Their caller checks the right to do
// so. They do nothing if the account has the status already.

// Suspend ends the sessions and streams of u, and disables it and its keys until Restore. It returns Conflict:
// last_admin for the only administrator, own_account for the account of by, system_account for one of the server's
// own.
func Suspend(tx *store.Tx, by store.Viewer, u store.User) error {
	if u.SuspendedAt != 0 {
		return nil
	}
	if u.ID == by.UserID {
		return core.New(core.Conflict, "own_account", "You cannot suspend your own account. Another administrator can.")
	}
	if u.IsSystem {
		return core.New(core.Conflict, "system_account", "This account belongs to the server and cannot be suspended.")
	}
	if err := checkLastAdmin(tx, u); err != nil {
		return err
	}
	u.SuspendedAt = tx.Now
	_, err := revokeSessions(tx, u)
	return cmp.Or(err, tx.Audit(by, "user.suspend", u.ID, ""))
}

// Restore lifts the suspension of u. Its keys work again; its sessions stay ended.
func Restore(tx *store.Tx, by store.Viewer, u store.User) error {
	if u.SuspendedAt == 0 {
		return nil
	}
	u.SuspendedAt = 0
	return update(tx, by, u, "user.restore")
}

// Promote makes u an administrator. It returns Conflict: not_a_person for a bot, unverified while it has
// an address that is not verified.
func Promote(tx *store.Tx, by store.Viewer, u store.User) error {
	if u.IsAdmin {
		return nil
	}
	if u.IsBot || u.IsSystem {
		return core.New(core.Conflict, "not_a_person", "Only people can be administrators.")
	}
	if u.VerifiedAt == 0 && u.HasAddress() {
		return core.New(core.Conflict, "unverified",
			"Nobody has signed in with the address of this account yet, so anybody may have registered it. Promote it once its owner has signed "+
				"in with a link.")
	}
	u.IsAdmin = true
	return update(tx, by, u, "user.promote")
}

// Demote removes the administrator rights from u. It returns Conflict, with the code last_admin, for the only
// administrator.
func Demote(tx *store.Tx, by store.Viewer, u store.User) error {
	if !u.IsAdmin {
		return nil
	}
	if err := checkLastAdmin(tx, u); err != nil {
		return err
	}
	u.IsAdmin = false
	return update(tx, by, u, "user.demote")
}

func update(tx *store.Tx, by store.Viewer, u store.User, action string) error {
	_, err := tx.UpdateUser(u)
	return cmp.Or(err, tx.Audit(by, action, u.ID, ""))
}

// checkLastAdmin must run in the same write that suspends, demotes or deletes u.
func checkLastAdmin(tx *store.Tx, u store.User) error {
	if !u.IsAdmin || u.SuspendedAt != 0 {
		return nil
	}
	who := u.Email
	if !u.HasAddress() {
		who = u.Name
	}
	has, err := tx.HasOtherAdmin(u.ID)
	if err == nil && !has {
		err = core.New(core.Conflict, "last_admin", "%s is the only active administrator. Promote another account first, then try again.",
			who)
	}
	return err
}
