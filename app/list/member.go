package list

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const maxMembers = 200

// Member is an account, other than the owner, with access to a list.
type Member struct {
	UserID  string     `json:"user_id" format:"uuid"`
	Name    string     `json:"name" read:"others"`
	Role    string     `json:"role" enum:"viewer|editor"`
	AddedAt store.Time `json:"added_at"`

	AvatarURL string `json:"-" read:"others"` // for pages
}

func memberOf(m store.ListMember) Member {
	return Member{UserID: m.UserID, Name: m.Name, Role: m.Role, AddedAt: m.AddedAt, AvatarURL: m.AvatarURL}
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
func (s *Service) members(ctx context.Context, by store.Viewer, in GetListIn) (out MembersOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, in.ID)
		if err != nil {
			return core.Found(err)
		}
		if l.Role == "" {
			return core.ErrNotFound
		}
		rows, err := r.ListMembers(by, l.ID, maxMembers)
		out.Members = core.Map(rows, memberOf)
		return err
	})
	return out, err
}

// PutMemberIn is the input of PutMember.
type PutMemberIn struct {
	ListID string `path:"id" json:"-"`
	UserID string `path:"user_id" json:"-"`
	Role   string `json:"role" required:"true" enum:"viewer|editor" doc:"A viewer reads; an editor changes items, title and description, too."`
}

// putMember adds a member or changes a role; only the owner may. It returns NotFound for a hidden account,
// and Conflict for more than 200 members.
func (s *Service) putMember(ctx context.Context, by store.Viewer, in PutMemberIn) (out MemberOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := ownList(tx, by, in.ListID)
		if err != nil {
			return err
		}
		old, err := tx.ListMember(by, l.ID, in.UserID)
		if errors.Is(err, store.ErrNoRow) {
			err = s.mayShare(tx, by, l, in.UserID)
		}
		if err != nil {
			return err
		}
		if old.Role != in.Role {
			if err := tx.PutListMember(l.ID, in.UserID, in.Role); err != nil {
				return err
			}
			if err := tx.Emit(store.Event{Topic: l.ID, Kind: listShared, ObjectID: in.UserID, ActorID: by.UserID}); err != nil {
				return err
			}
		}
		m, err := tx.ListMember(by, l.ID, in.UserID)
		out.Member = memberOf(m)
		return err
	})
	return out, err
}

func (s *Service) mayShare(tx *store.Tx, by store.Viewer, l store.List, userID string) error {
	if userID == by.UserID {
		return core.InvalidField("user_id", "You own this list. Name another person.")
	}
	ok, err := tx.CanShareWith(by, userID)
	if err != nil {
		return err
	}
	if !ok {
		return core.ErrNotFound
	}
	members, err := tx.ListMembers(by, l.ID, maxMembers)
	if err == nil && len(members) == maxMembers {
		return core.New(core.Conflict, "too_many_members", "A list is shared with at most %d people. Remove someone first, or make it unlisted.",
			maxMembers)
	}
	if err != nil {
		return err
	}
	if s.limits.Lifted() {
		return nil
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
func (s *Service) deleteMember(ctx context.Context, by store.Viewer, in DeleteMemberIn) (core.None, error) {
	return core.None{}, s.db.Write(ctx, func(tx *store.Tx) error {
		if in.UserID != by.UserID {
			if _, err := ownList(tx, by, in.ListID); err != nil {
				return err
			}
		}
		if err := unshare(tx, by, in); err != nil || in.UserID == by.UserID {
			return core.Found(err)
		}
		bots, err := tx.BotsOnList(in.ListID, in.UserID)
		for _, id := range bots {
			if err == nil && id != by.UserID {
				err = unshare(tx, by, DeleteMemberIn{in.ListID, id})
			}
		}
		return err
	})
}

func unshare(tx *store.Tx, by store.Viewer, in DeleteMemberIn) error {
	if err := tx.DeleteListMember(in.ListID, in.UserID); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: in.ListID, Kind: listShared, ObjectID: in.UserID, ActorID: by.UserID})
}

// HandOverIn is the input of HandOver.
type HandOverIn struct {
	ID     string `path:"id" json:"-"`
	UserID string `json:"user_id" required:"true" format:"uuid" doc:"Who is to own it, of those that it is shared with."`
}

// handOver makes a member the owner, and the owner an editor; only the owner may. It returns Conflict for a
// list that is not private: it would publish the content in the name of a person who has not agreed.
func (s *Service) handOver(ctx context.Context, by store.Viewer, in HandOverIn) (out ListOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := ownList(tx, by, in.ID)
		if err != nil {
			return err
		}
		ok, err := tx.CanHandOverTo(by, in.UserID)
		if err == nil && ok {
			_, err = tx.ListMember(by, l.ID, in.UserID)
		}
		switch {
		case err == nil && !ok || errors.Is(err, store.ErrNoRow):
			return core.InvalidField("user_id", "user_id must be a person that this list is shared with. Share it with them first.")
		case err != nil:
			return err
		case l.Visibility != Private:
			return core.New(core.Conflict, "not_private",
				"Others can see this list, and would see it in the name of its new owner. Make it private first; the new owner can make it public "+
					"again.")
		}
		if err := tx.SetListOwner(l, in.UserID); err != nil {
			return err
		}
		if err := tx.Emit(store.Event{Topic: l.ID, Kind: listUpdated, ObjectID: l.ID, ActorID: by.UserID}); err != nil {
			return err
		}
		if err := tx.Emit(store.Event{Topic: l.ID, Kind: listShared, ObjectID: in.UserID, ActorID: by.UserID}); err != nil {
			return err
		}
		l, err = tx.List(by, l.ID)
		out.List = listOf(l)
		return err
	})
	return out, err
}

func ownList(tx *store.Tx, by store.Viewer, id string) (store.List, error) {
	l, err := tx.List(by, id)
	if err != nil {
		return l, core.Found(err)
	}
	return l, MayOwn(listOf(l))
}
