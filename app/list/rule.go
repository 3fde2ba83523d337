package list

import (
	"hearth/app/core"
	"hearth/store"
)

// The rules for changes of a list that the caller may see. Each returns nil, or an error with the reason.

func (l List) role() string { return core.OrZero(l.Role) }

// MayEdit permits the owner and the editors to change title, description and items of l.
func MayEdit(l List) error {
	if r := l.role(); r == "owner" || r == "editor" {
		return nil
	}
	return core.New(core.Forbidden, "not_editor",
		"Only this list's owner and its editors can change it. Ask the owner to make you an editor.")
}

// MayOwn permits the owner to share and delete l.
func MayOwn(l List) error {
	if l.role() == "owner" {
		return nil
	}
	return core.New(core.Forbidden, "not_owner", "Only this list's owner can do this.")
}

func mayAdd(by store.Viewer) func(List) error {
	return func(l List) error { return MayAdd(l, by) }
}

// MayAdd permits the owner and the editors to add items. An open list also permits every account and the
// public agent key.
func MayAdd(l List, by store.Viewer) error {
	if l.Visibility == PublicEdit && (by.SignedIn() || by.Kind == store.PublicKey) || MayEdit(l) == nil {
		return nil
	}
	return core.New(core.Forbidden, "list_closed",
		"This list is not open: only its owner and its editors add to it. Open lists have the visibility “public-edit”.")
}

// MayChange permits the owner and the editors to change or delete an item. On an open list it permits the
// author for a day.
func MayChange(l List, i Item, by store.Viewer, now store.Time) error {
	author := by.SignedIn() && core.OrZero(i.AuthorID) == by.UserID
	switch {
	case MayEdit(l) == nil:
		return nil
	case !author || l.Visibility != PublicEdit:
		return core.New(core.Forbidden, "not_editor", "Only this list's owner and its editors can change this item.")
	case now >= i.CreatedAt.Add(authorTime):
		return core.New(core.Forbidden, "too_late",
			"You can change what you added to an open list for 24 hours, which have passed. Ask the list's owner to change it.")
	}
	return nil
}

// mayChangeByReceipt permits a change while the list is open and, on a moderated list, before the approval.
func mayChangeByReceipt(r store.Receipt) error {
	switch {
	case !r.ListOpen:
		return core.New(core.Forbidden, "list_closed", "This list is not open any more, so this item cannot be changed. You can withdraw it.")
	case r.ListModerated && !r.Held:
		return core.New(core.Forbidden, "approved",
			"The owner of this list approves what is added to it, so an item that is on it cannot be changed. "+
				"You can withdraw it and add a new item.")
	}
	return nil
}

// MayDeleteComment permits the author of c, and the owner and the editors of l.
func MayDeleteComment(l List, c Comment, by store.Viewer) error {
	if MayEdit(l) == nil || by.SignedIn() && core.OrZero(c.AuthorID) == by.UserID {
		return nil
	}
	return core.New(core.Forbidden, "not_author", "Only who wrote this comment, the list's owner and its editors can delete it.")
}
