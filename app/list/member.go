package list

import (
	"cmp"
	"errors"
	"slices"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const maxMembers = 200

// Member is an account, other than the owner, with access to a list.
type Member struct {
	UserID    string     `json:"user_id" format:"uuid"`
	Name      string     `json:"name" read:"others"`
	AvatarURL string     `json:"-" read:"others"` // for pages
	Role      string     `json:"role" enum:"viewer|editor"`
	AddedAt   store.Time `json:"added_at"`
}

// MembersOut has all members of a list, oldest first.
type MembersOut struct {
	Members []Member `json:"members"`
}

// MemberOut is one member.
type MemberOut struct {
	Member Member `json:"member"`
}

// members returns NotFound to everybody but the owner and the members.
func members(r *store.Reader, by store.Viewer, in GetListIn) (out MembersOut, err error) {
	l, err := r.List(by, in.ID)
	if err == nil && l.Role == "" {
		err = core.ErrNotFound
	}
	if err != nil {
		return out, err
	}
	rows, err := r.ListMembers(by, l.ID, maxMembers)
	return MembersOut{core.Map(rows, func(m store.ListMember) Member { return Member(m) })}, err
}

// PutMemberIn is the input of PutMember.
type PutMemberIn struct {
	ListID string `path:"id" json:"-"`
	UserID string `path:"user_id" json:"-"`
	Role   string `json:"role" required:"true" enum:"viewer|editor" doc:"A viewer reads; an editor changes items, title and description, too."`
}

// putMember adds a member or changes a role; only the owner may. It returns NotFound for a hidden account,
// and Conflict for more than 200 members.
func (s *Service) putMember(tx *store.Tx, by store.Viewer, in PutMemberIn) (out MemberOut, err error) {
	l, err := listFor(&tx.Reader, by, in.ListID, MayOwn)
	if err != nil {
		return out, err
	}
	old, err := tx.ListMember(by, l.ID, in.UserID)
	if errors.Is(err, store.ErrNoRow) {
		err = s.mayShare(tx, by, l, in.UserID)
	}
	if err == nil && old.Role != in.Role {
		err = cmp.Or(tx.PutListMember(l.ID, in.UserID, in.Role),
			tx.Emit(store.Event{Topic: l.ID, Kind: listShared, ObjectID: in.UserID, ActorID: by.UserID}))
	}
	if err != nil {
		return out, err
	}
	m, err := tx.ListMember(by, l.ID, in.UserID)
	return MemberOut{Member(m)}, err
}

func (s *Service) mayShare(tx *store.Tx, by store.Viewer, l store.List, userID string) error {
	if userID == by.UserID {
		return core.InvalidField("user_id", "You own this list. Name another person.")
	}
	ok, err := tx.CanShareWith(by, userID)
	if err == nil && !ok {
		err = core.ErrNotFound
	}
	if err != nil {
		return err
	}
	members, err := tx.ListMembers(by, l.ID, maxMembers)
	if err == nil && len(members) == maxMembers {
		err = core.New(core.Conflict, "too_many_members", "A list is shared with at most %d people. Remove someone first, or let all "+
			"members see it.", maxMembers)
	}
	if err != nil || s.limits.Lifted() {
		return err
	}
	return limit.CountAdditions(tx, by, userID)
}

// DeleteMemberIn is the input of DeleteMember.
type DeleteMemberIn struct {
	ListID string `path:"id" json:"-"`
	UserID string `path:"user_id" json:"-"`
}

// deleteMember removes a member. The owner may remove any member, and a member themselves. Removing a person
// also removes their bots, which otherwise could still read the list.
func deleteMember(tx *store.Tx, by store.Viewer, in DeleteMemberIn) (out core.None, err error) {
	gone := []string{in.UserID}
	if in.UserID != by.UserID {
		if _, err := listFor(&tx.Reader, by, in.ListID, MayOwn); err != nil {
			return out, err
		}
		bots, err := tx.BotsOnList(in.ListID, in.UserID)
		if err != nil {
			return out, err
		}
		gone = append(gone, slices.DeleteFunc(bots, func(id string) bool { return id == by.UserID })...)
	}
	for _, id := range gone {
		err = cmp.Or(err, tx.DeleteListMember(in.ListID, id),
			tx.Emit(store.Event{Topic: in.ListID, Kind: listShared, ObjectID: id, ActorID: by.UserID}))
	}
	return out, err
}

// HandOverIn is the input of HandOver.
type HandOverIn struct {
	ID     string `path:"id" json:"-"`
	UserID string `json:"user_id" required:"true" format:"uuid" doc:"Who is to own it, of those that it is shared with."`
}

// handOver makes a member the owner, and the owner an editor; only the owner may. It returns Conflict for a
// list that is not private: it would publish the content in the name of a person who has not agreed.
func handOver(tx *store.Tx, by store.Viewer, in HandOverIn) (out ListOut, err error) {
	l, err := listFor(&tx.Reader, by, in.ID, MayOwn)
	if err != nil {
		return out, err
	}
	ok, err := tx.CanHandOverTo(by, in.UserID)
	if err == nil && ok {
		_, err = tx.ListMember(by, l.ID, in.UserID)
	}
	switch {
	case err == nil && !ok || errors.Is(err, store.ErrNoRow):
		err = core.InvalidField("user_id", "user_id must be a person that this list is shared with. Share it with them first.")
	case err == nil && l.Visibility != Private:
		err = core.New(core.Conflict, "not_private",
			"Others can see this list, and would see it in the name of its new owner. Make it private first; the new owner can make it public "+
				"again.")
	case err == nil:
		err = cmp.Or(tx.SetListOwner(l, in.UserID), tx.Emit(store.Event{Topic: l.ID, Kind: listUpdated, ObjectID: l.ID, ActorID: by.UserID}),
			tx.Emit(store.Event{Topic: l.ID, Kind: listShared, ObjectID: in.UserID, ActorID: by.UserID}))
	}
	if err != nil {
		return out, err
	}
	return getList(&tx.Reader, by, core.ByID{ID: l.ID})
}
