package chat

import (
	"hearth/app/core"
	"hearth/store"
)

// view turns rows into what one person reads. It remembers the senders it has
// met, so that a page asks for each of them once.
type view struct {
	r       *store.Reader
	viewer  string
	senders []Sender
}

func newView(r *store.Reader, viewer string) *view { return &view{r: r, viewer: viewer} }

// knows tells the view of somebody whose row was read anyway.
func (v *view) knows(s store.Sender) Sender {
	out := Sender{ID: s.ID, Name: s.Name, Email: s.Email}
	if s.ID != v.viewer {
		out.Email = core.MaskedEmail(s.ID)
	}
	v.senders = append(v.senders, out)
	return out
}

func (v *view) sender(id string) (Sender, error) {
	for i := range v.senders {
		if v.senders[i].ID == id {
			return v.senders[i], nil
		}
	}
	s, err := v.r.Sender(id)
	if err != nil {
		return Sender{}, err
	}
	return v.knows(s), nil
}

// messages returns the rows, which the viewer may see, as messages; they keep
// the rows in use.
func (v *view) messages(rows []store.Message) ([]Message, error) {
	out := make([]Message, len(rows))
	var answered []string
	for i := range rows {
		from, err := v.sender(rows[i].SenderID)
		if err != nil {
			return nil, err
		}
		out[i] = messageOf(&rows[i], from)
		if id := rows[i].ReplyToID; id != "" {
			answered = append(answered, id)
		}
	}
	if len(answered) == 0 {
		return out, nil
	}
	quotes, err := v.r.Quotes(v.viewer, answered...)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*Quote, len(quotes))
	for _, q := range quotes {
		byID[q.ID] = quoteOf(q)
	}
	for i := range rows {
		if id := rows[i].ReplyToID; id != "" {
			out[i].ReplyTo = byID[id]
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
	row, err := v.r.Conversation(v.viewer, id)
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
	people, err := v.people(rows, v.viewer)
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

// states returns, for conversations of the viewer, what is the same for all
// of their members.
func (v *view) states(rows []store.Conversation) ([]ConversationState, error) {
	people, err := v.people(rows, "")
	if err != nil {
		return nil, err
	}
	out := make([]ConversationState, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = ConversationState{
			ID: row.ID, Type: row.Type, Title: core.OrNil(row.Title), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, Participants: people[row.ID],
		}
		for _, p := range out[i].Participants {
			out[i].ContainsBot = out[i].ContainsBot || p.User.IsBot
		}
	}
	return out, nil
}

// people returns the participants of the conversations, by conversation, as
// the account reader sees them; "" sees everybody as a stranger.
func (v *view) people(rows []store.Conversation, reader string) (map[string][]Participant, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	members, err := v.r.Members(v.viewer, ids...)
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
