package chat

import (
	"hearth/app/core"
	"hearth/store"
)

// view makes answers for one viewer from rows that they may see. It reads the
// accounts of all rows that it is given in one query, and remembers them.
type view struct {
	r       *store.Reader
	by      store.Viewer
	senders map[string]Sender
}

func newView(r *store.Reader, by store.Viewer) *view {
	return &view{r: r, by: by, senders: map[string]Sender{}}
}

// senderFor returns s as the viewer sees it: with their own address alone.
func (v *view) senderFor(s store.Sender) Sender {
	if s.ID != v.by.UserID {
		s.Email = core.MaskedEmail(s.ID)
	}
	return Sender(s)
}

// loadSenders reads the senders of the rows that are not known yet.
func (v *view) loadSenders(rows []store.Message) error {
	var ids []string
	for i := range rows {
		id := rows[i].SenderID
		if _, ok := v.senders[id]; !ok {
			v.senders[id] = Sender{}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := v.r.Senders(ids...)
	for _, s := range found {
		v.senders[s.ID] = v.senderFor(s)
	}
	return err
}

// loadQuotes reads the quotes of the messages that the rows reply to, by the id
// of the message.
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

// messages returns the rows as messages, in their order.
func (v *view) messages(rows []store.Message) ([]Message, error) {
	if err := v.loadSenders(rows); err != nil {
		return nil, err
	}
	quotes, err := v.loadQuotes(rows)
	if err != nil {
		return nil, err
	}
	out := make([]Message, len(rows))
	for i := range rows {
		out[i] = messageOf(&rows[i], v.senders[rows[i].SenderID])
		if id := rows[i].ReplyToID; id != "" {
			out[i].ReplyTo = quotes[id]
		}
	}
	return out, nil
}

// message is messages for a single row.
func (v *view) message(row *store.Message) (Message, error) {
	ms, err := v.messages([]store.Message{*row})
	if err != nil {
		return Message{}, err
	}
	return ms[0], nil
}

// conversation returns a conversation that the viewer is in.
func (v *view) conversation(id string) (Conversation, error) {
	row, err := v.r.Conversation(v.by, id)
	if err != nil {
		return Conversation{}, err
	}
	cs, err := v.conversations([]store.Conversation{row})
	if err != nil {
		return Conversation{}, err
	}
	return cs[0], nil
}

// conversations returns the rows, which are of the viewer, as conversations.
func (v *view) conversations(rows []store.Conversation) ([]Conversation, error) {
	people, err := v.people(rows, v.by.UserID)
	if err != nil {
		return nil, err
	}
	var last []store.Message
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
		c := &rows[i]
		out[i] = Conversation{
			ID: c.ID, Type: c.Type, Title: core.OrNil(c.Title), LastMessageAt: c.At(), LastReadAt: c.LastReadAt.Ptr(), UnreadCount: c.Unread,
			Participants: people[c.ID], CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, MutedUntil: c.MutedUntil.Ptr(),
		}
		for _, p := range out[i].Participants {
			out[i].ContainsBot = out[i].ContainsBot || p.User.IsBot
		}
		if c.Last.ID != "" {
			out[i].LastMessage, messages = &messages[0], messages[1:]
			out[i].LastMessagePreview = preview(out[i].LastMessage.Content)
		}
	}
	return out, nil
}

// state returns what all members of a conversation see alike.
func (v *view) state(row store.Conversation) (*ConversationState, error) {
	people, err := v.people([]store.Conversation{row}, "")
	if err != nil {
		return nil, err
	}
	c := &ConversationState{ID: row.ID, Type: row.Type, Title: core.OrNil(row.Title), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, Participants: people[row.ID]}
	for i := range c.Participants {
		c.ContainsBot = c.ContainsBot || c.Participants[i].User.IsBot
	}
	return c, nil
}

// people returns the participants of the conversations, by conversation, as
// the account reader sees them; "" sees everybody as a stranger.
func (v *view) people(rows []store.Conversation, reader string) (map[string][]Participant, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	members, err := v.r.Members(v.by, ids...)
	if err != nil {
		return nil, err
	}
	users := map[string]core.PublicUser{}
	var who []string
	for _, m := range members {
		if _, ok := users[m.UserID]; !ok {
			users[m.UserID] = core.PublicUser{}
			who = append(who, m.UserID)
		}
	}
	found, err := v.r.UsersByID(who)
	if err != nil {
		return nil, err
	}
	for _, u := range found {
		users[u.ID] = core.UserFor(u, reader)
	}
	out := make(map[string][]Participant, len(rows))
	for _, m := range members {
		out[m.ConversationID] = append(out[m.ConversationID], Participant{User: users[m.UserID], Role: m.Role})
	}
	return out, nil
}

// preview returns the first 100 characters of s.
func preview(s string) string {
	n := 0
	for i := range s {
		if n++; n > 100 {
			return s[:i]
		}
	}
	return s
}

func quoteOf(q store.Quote) *Quote {
	return &Quote{ID: q.ID, Content: q.Content, SenderID: q.SenderID, SenderName: q.SenderName}
}

func messageOf(m *store.Message, from Sender) Message {
	out := Message{
		ID: m.ID, ConversationID: m.ConversationID, SenderID: m.SenderID, Content: m.Content, MessageType: m.Type,
		CardKind: core.OrNil(m.CardKind), CardPayload: core.OrNil(m.CardPayload), ViaSecretary: m.ViaSecretary, CreatedAt: m.CreatedAt,
		Sender: from, ReplyToID: core.OrNil(m.ReplyToID), EditedAt: m.EditedAt.Ptr(), DeletedAt: m.DeletedAt.Ptr(),
	}
	if m.AgentID != "" {
		out.Agent = &Agent{ID: m.AgentID, Name: m.AgentName}
	}
	return out
}
