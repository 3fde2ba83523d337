package chat

import (
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// view makes results for one viewer from rows that they may see. It reads the accounts of all rows in one query and
// caches them.
type view struct {
	r       *store.Reader
	by      store.Viewer
	self    string // the account that is shown its own address and presence
	senders map[string]Sender
}

func newView(r *store.Reader, by store.Viewer) *view {
	return &view{r: r, by: by, self: by.UserID, senders: map[string]Sender{}}
}

func (v *view) senderFor(s store.Sender) Sender {
	if s.ID != v.self {
		s.Email = core.MaskedEmail(s.ID)
	}
	return Sender(s)
}

// A page has a few hundred rows at most: searching the ids costs less than growing the map.
func (v *view) loadSenders(rows []store.Message) error {
	var ids []string
	for i := range rows {
		id := rows[i].SenderID
		if _, ok := v.senders[id]; !ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if len(v.senders) == 0 {
		v.senders = make(map[string]Sender, len(ids))
	}
	found, err := v.r.Senders(ids...)
	for _, s := range found {
		v.senders[s.ID] = v.senderFor(s)
	}
	return err
}

func (v *view) loadQuotes(rows []store.Message) (map[string]*Quote, error) {
	var ids []string
	for i := range rows {
		if id := rows[i].ReplyToID; id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := v.r.Quotes(v.by, ids...)
	quotes := make(map[string]*Quote, len(found))
	for _, q := range found {
		quotes[q.ID] = quoteOf(q)
	}
	return quotes, err
}

func (v *view) messages(rows []store.Message) ([]Message, error) {
	if err := v.loadSenders(rows); err != nil {
		return nil, err
	}
	quotes, err := v.loadQuotes(rows)
	if err != nil {
		return nil, err
	}
	reactions, err := v.loadReactions(rows)
	if err != nil {
		return nil, err
	}
	mentions, err := v.loadMentions(rows)
	if err != nil {
		return nil, err
	}
	out := make([]Message, len(rows))
	for i := range rows {
		out[i] = messageOf(&rows[i], v.senders[rows[i].SenderID])
		out[i].ReplyTo, out[i].Reactions = quotes[rows[i].ReplyToID], reactions[rows[i].CreatedAt]
		out[i].setMentions(mentions[rows[i].CreatedAt])
	}
	return out, nil
}

func (v *view) message(row *store.Message) (Message, error) {
	return store.First(v.messages([]store.Message{*row}))
}

// ShownMessage returns a message as a viewer sees it now, or ErrNoRow if they may not.
func ShownMessage(r *store.Reader, viewer store.Viewer, id string) (Message, error) {
	row, err := store.First(r.MessagesByID(viewer, id))
	if err != nil {
		return Message{}, err
	}
	return newView(r, viewer).message(&row)
}

func (v *view) conversation(id string) (Conversation, error) {
	row, err := v.r.Conversation(v.by, id)
	if err != nil {
		return Conversation{}, err
	}
	members, err := v.r.Members(v.by, id)
	if err != nil {
		return Conversation{}, err
	}
	return store.First(v.conversations([]store.Conversation{row}, [][]store.Member{members}))
}

func (v *view) shortConversations(rows []store.Conversation) ([]Conversation, error) {
	members := make([][]store.Member, len(rows))
	for i := range rows {
		members[i] = shown(&rows[i], v.by.UserID)
	}
	return v.conversations(rows, members)
}

const maxShown = 8

// shown returns the viewer, the owners, the latest senders, and others up to maxShown. If it leaves out an owner it
// leaves out all non-owners, so that a member outside c.Owners is no owner.
func shown(c *store.Conversation, self string) []store.Member {
	out := make([]store.Member, 0, min(maxShown, c.MemberCount))
	add := func(id, role string) {
		named := slices.ContainsFunc(out, func(m store.Member) bool { return m.UserID == id })
		if len(out) < maxShown && !named {
			out = append(out, store.Member{ConversationID: c.ID, UserID: id, Role: role})
		}
	}
	if c.Type == "group" {
		add(self, c.Role)
		for _, id := range c.Owners {
			add(id, "owner")
		}
	}
	for _, id := range c.Recent {
		role := "member"
		if slices.Contains(c.Owners, id) {
			role = "owner"
		}
		add(id, role)
	}
	return out
}

func (v *view) conversations(rows []store.Conversation, members [][]store.Member) ([]Conversation, error) {
	people, err := v.participants(members)
	if err != nil {
		return nil, err
	}
	last := make([]store.Message, 0, len(rows))
	for i := range rows {
		if rows[i].Last.ID != "" {
			last = append(last, rows[i].Last)
		}
	}
	messages, err := v.messages(last)
	if err != nil {
		return nil, err
	}
	out := make([]Conversation, len(rows))
	for i := range rows {
		out[i] = conversationOf(&rows[i], people[i])
		if rows[i].Last.ID != "" {
			out[i].LastMessage, messages = &messages[0], messages[1:]
			out[i].LastMessagePreview = out[i].LastMessage.Preview()
		}
	}
	return out, nil
}

func conversationOf(c *store.Conversation, people []Participant) Conversation {
	return Conversation{
		ID: c.ID, Type: c.Type, Title: core.OrNil(c.Title), AvatarURL: core.OrNil(c.AvatarURL), LastMessageAt: c.At(),
		ContainsBot: c.BotCount > 0,
		LastReadAt:  c.LastReadAt.Ptr(), UnreadCount: c.Unread, Mentioned: c.Mentioned, Participants: people, ParticipantCount: c.MemberCount,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, MutedUntil: c.MutedUntil.Ptr(), Notify: c.Notify, Open: c.Open, Default: c.Default,
	}
}

func (v *view) participants(members [][]store.Member) ([][]Participant, error) {
	at := map[string]int{} // where each account is among ids, and then users
	var ids []string
	for _, ms := range members {
		for i := range ms {
			if _, ok := at[ms[i].UserID]; !ok {
				at[ms[i].UserID] = len(ids)
				ids = append(ids, ms[i].UserID)
			}
		}
	}
	found, err := v.r.Profiles(v.by, ids)
	if err != nil {
		return nil, err
	}
	users := make([]core.PublicUser, len(ids))
	for i := range found {
		u := core.UserFor(found[i], v.self)
		users[at[u.ID]] = u
		v.senders[u.ID] = Sender{ID: u.ID, Name: u.Name, Email: u.Email, AvatarURL: core.OrZero(u.AvatarURL)}
	}
	out := make([][]Participant, len(members))
	for i, ms := range members {
		out[i] = make([]Participant, len(ms))
		for n := range ms {
			out[i][n] = Participant{User: users[at[ms[n].UserID]], Role: ms[n].Role}
		}
	}
	return out, nil
}

func quoteOf(q store.Quote) *Quote {
	return &Quote{ID: q.ID, Content: q.Content, SenderID: q.SenderID, SenderName: q.SenderName}
}

func messageOf(m *store.Message, from Sender) Message {
	out := Message{
		ID: m.ID, ConversationID: m.ConversationID, SenderID: m.SenderID, Content: m.Content, MessageType: m.Type,
		CardKind: core.OrNil(m.CardKind), CardPayload: core.OrNil(m.CardPayload), ViaSecretary: m.ViaSecretary, CreatedAt: m.CreatedAt,
		Sender: from, ReplyToID: core.OrNil(m.ReplyToID), EditedAt: m.EditedAt.Ptr(), DeletedAt: m.DeletedAt.Ptr(),
		FilesJSON: m.Attachments, Transcript: core.OrNil(m.Transcript),
	}
	if m.AgentID != "" {
		out.Agent = &Agent{ID: m.AgentID, Name: m.AgentName}
	}
	return out
}
