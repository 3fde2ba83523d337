package chat

import (
	"cmp"
	"errors"
	"slices"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// AddParticipantIn is the input of AddParticipant.
type AddParticipantIn struct {
	ConversationID string `path:"id" json:"-"`
	UserID         string `json:"userId" required:"true" format:"uuid"`
}

// AddParticipantOut is the group with its new participant.
type AddParticipantOut struct {
	Conversation
	added bool
}

// Created implements op.Created: it is false for a person who was already in the group.
func (o *AddParticipantOut) Created() bool { return o.added }

// Earlier messages count as read for the new member.
func (s *Service) addParticipant(tx *store.Tx, by store.Viewer, in AddParticipantIn) (out AddParticipantOut, err error) {
	if _, err := ownGroup(&tx.Reader, by, in.ConversationID); err != nil {
		return out, err
	}
	_, err = tx.Member(by, in.ConversationID, in.UserID)
	if errors.Is(err, store.ErrNoRow) {
		if err = s.mustAdd(tx, by, "userId", in.ConversationID, in.UserID); err == nil {
			err = join(tx, by, in.ConversationID, in.UserID)
		}
		out.added = true
	}
	out.Conversation, err = shownAfter(tx, by, in.ConversationID, err)
	return out, err
}

// mustAdd is not_addable for a person who has left the group or forbids the caller to add them. It also bounds how
// often a person is added and how many people a caller adds per hour.
func (s *Service) mustAdd(tx *store.Tx, by store.Viewer, field, conversationID string, ids ...string) error {
	if err := mustReach(tx, by, field, ids...); err != nil {
		return err
	}
	addable, err := tx.Addable(by, conversationID, ids)
	if err != nil {
		return err
	}
	if len(addable) < len(ids) {
		e := core.New(core.Conflict, "not_addable",
			"A person here decides alone which groups to join. Send them an invite link, or leave them out.")
		e.Field = field
		return e
	}
	if s.Limits.Lifted() {
		return nil
	}
	return limit.CountAdditions(tx, by, ids...)
}

// joinOnce joins the caller to a group that they may join, unless they are in it.
func joinOnce(tx *store.Tx, by store.Viewer, id string, may func() error) error {
	if _, err := tx.Member(by, id, by.UserID); !errors.Is(err, store.ErrNoRow) {
		return err
	}
	if err := may(); err != nil {
		return err
	}
	return join(tx, by, id, by.UserID)
}

func join(tx *store.Tx, by store.Viewer, conversationID, userID string) error {
	members, _, err := tx.MemberCounts(conversationID)
	if err == nil && members >= maxMembers {
		err = core.New(core.Conflict, "group_full", "A group has at most %d people, and this one is full.", maxMembers)
	}
	if err == nil {
		err = tx.AddMember(conversationID, userID, "member")
	}
	if err != nil {
		return err
	}
	c := store.Change{ConversationID: conversationID, Kind: "joined", UserID: userID}
	if by.UserID != userID {
		c.Kind, c.ActorID = "added", by.UserID
	}
	return cmp.Or(tx.LogChange(c), changed(tx, by, conversationID), participantChanged(tx, by, conversationID, userID))
}

// RemoveParticipantIn is the input of RemoveParticipant.
type RemoveParticipantIn struct {
	ConversationID string `path:"id" json:"-"`
	UserID         string `path:"userId" json:"-"`
}

// The only owner of a group with other members cannot leave. A removed person's bots are removed, too: they would
// read on for their owner.
func (s *Service) removeParticipant(tx *store.Tx, by store.Viewer, in RemoveParticipantIn) (none core.None, err error) {
	leaving := []string{in.UserID}
	if in.UserID == by.UserID {
		_, err = group(&tx.Reader, by, in.ConversationID)
	} else if _, err = ownGroup(&tx.Reader, by, in.ConversationID); err == nil {
		var bots []string
		bots, err = tx.BotsIn(in.ConversationID, in.UserID)
		leaving = append(leaving, slices.DeleteFunc(bots, func(id string) bool { return id == by.UserID })...)
	}
	if err == nil {
		err = othersKeepOwner(tx, by, in.ConversationID, in.UserID)
	}
	if err == nil {
		err = changed(tx, by, in.ConversationID)
	}
	for _, id := range leaving {
		if err == nil {
			err = remove(tx, by, in.ConversationID, id)
		}
	}
	return none, err
}

func remove(tx *store.Tx, by store.Viewer, conversationID, userID string) error {
	c := store.Change{ConversationID: conversationID, Kind: "left", UserID: userID}
	if by.UserID != userID {
		c.Kind, c.ActorID = "removed", by.UserID
	}
	return cmp.Or(tx.RemoveMember(by, conversationID, userID), tx.LogChange(c), participantChanged(tx, by, conversationID, userID),
		tx.Emit(store.Event{Topic: userID, Kind: conversationLeft, ObjectID: conversationID, ActorID: by.UserID}))
}

func othersKeepOwner(tx *store.Tx, by store.Viewer, conversationID, userID string) error {
	m, err := tx.Member(by, conversationID, userID)
	if err != nil || m.Role != "owner" {
		return err
	}
	members, owners, err := tx.MemberCounts(conversationID)
	if err == nil && owners == 1 && members > 1 {
		err = core.New(core.Invalid, "last_owner", "A group needs an owner. Make another member an owner first.")
	}
	return err
}

// UpdateParticipantIn is the input of UpdateParticipant.
type UpdateParticipantIn struct {
	ConversationID string `path:"id" json:"-"`
	UserID         string `path:"userId" json:"-"`
	Role           string `json:"role" required:"true" enum:"owner|member"`
}

func (s *Service) updateParticipant(tx *store.Tx, by store.Viewer, in UpdateParticipantIn) (out Conversation, err error) {
	if _, err := ownGroup(&tx.Reader, by, in.ConversationID); err != nil {
		return out, err
	}
	m, err := tx.Member(by, in.ConversationID, in.UserID)
	if err == nil && m.Role != in.Role {
		err = setRole(tx, by, in)
	}
	return shownAfter(tx, by, in.ConversationID, err)
}

func setRole(tx *store.Tx, by store.Viewer, in UpdateParticipantIn) error {
	if in.Role == "member" {
		if err := othersKeepOwner(tx, by, in.ConversationID, in.UserID); err != nil {
			return err
		}
	}
	return cmp.Or(tx.SetRole(in.ConversationID, in.UserID, in.Role), participantChanged(tx, by, in.ConversationID, in.UserID))
}

// SetNotifyIn has what to change of the caller's notifications of a conversation. Omitted fields keep their value.
type SetNotifyIn struct {
	ConversationID string               `path:"id" json:"-"`
	Notify         core.Opt[string]     `json:"notify,omitzero" notnull:"true" enum:"all|mentions|none" doc:"By default all in a direct conversation, and mentions in a group"`
	MutedUntil     core.Opt[store.Time] `json:"mutedUntil,omitzero" doc:"No notifications until then. Null, or a moment that is past, ends it"`
}

func (s *Service) setNotify(tx *store.Tx, by store.Viewer, in SetNotifyIn) (out Conversation, err error) {
	if !in.Notify.Set && !in.MutedUntil.Set {
		return out, core.InvalidField("mutedUntil", "Send notify (all, mentions or none), or mutedUntil: a date and time such as "+
			"2026-11-20T09:40:08Z, or null.")
	}
	if in.Notify.Set {
		err = tx.SetNotify(by, in.ConversationID, in.Notify.V)
	}
	if err == nil && in.MutedUntil.Set {
		until := in.MutedUntil.V
		if until <= tx.Reader.Now() {
			until = 0
		}
		err = tx.SetMutedUntil(by, in.ConversationID, until)
	}
	return shownAfter(tx, by, in.ConversationID, err)
}
