package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

const runGap = 5 * time.Minute

type messageViews struct {
	c     chat.Conversation
	me    string
	query string
	edit  *Form // of the message with a refused edit

	firstUnread chat.FirstUnreadOut // without a message if everything is read
	marked      string

	editing, deleting, picking, replying string // ids of messages
}

func (t *messageViews) messages(in []chat.Message) []messageView {
	out := make([]messageView, 0, len(in))
	for _, m := range in {
		view := t.message(m)
		view.Marked = m.ID == t.marked
		view.FirstUnread = m.ID == t.firstUnread.ID
		view.Focus = view.FirstUnread && t.marked == "" && t.acting() == ""
		if len(out) == 0 {
			view.NewDay = true
		} else {
			last := out[len(out)-1]
			view.NewDay = day(last.CreatedAt) != day(m.CreatedAt)
			sameSender := last.Sender.ID == view.Sender.ID && view.AgentName == last.AgentName && view.ViaSecretary == last.ViaSecretary
			view.Run = sameSender && !view.NewDay && !view.FirstUnread && last.Card == nil && m.CreatedAt.Sub(last.CreatedAt) < runGap
		}
		out = append(out, view)
	}
	return out
}

// acting returns the message that has an open form, or "".
func (t *messageViews) acting() string {
	return cmp.Or(t.editing, t.deleting, t.picking, t.replying)
}

func (t *messageViews) message(m chat.Message) messageView {
	view := messageView{ID: m.ID, ConversationID: m.ConversationID,
		Sender: face(m.SenderID, m.Sender.Name, m.Sender.AvatarURL),
		Own:    m.SenderID == t.me, Content: m.Content, CreatedAt: m.CreatedAt, Edited: m.EditedAt != nil,
		Deleted: m.DeletedAt != nil, ViaSecretary: m.ViaSecretary, Query: t.query}
	view.Names = mentionsOf(m, t.me)
	if m.MessageType == "card" {
		view.Card = serverCardOf(core.OrZero(m.CardKind), core.OrZero(m.CardPayload))
	}
	view.Files, view.Transcript = core.Map(m.Files(), fileOf), core.OrZero(m.Transcript)
	if m.Agent != nil {
		view.AgentName = m.Agent.Name
	}
	if q := m.ReplyTo; q != nil && !view.Deleted {
		view.ReplyTo = &quoteView{ID: q.ID, SenderName: q.SenderName, Content: cmp.Or(unformatted(q.Content), "Message deleted"),
			URL: messagePlace(m.ConversationID, q.ID)}
	}
	if !view.Deleted {
		view.Reactions, view.Picking = core.Map(m.Reactions, reactionOf), m.ID == t.picking
	}
	t.setForms(&view)
	return view
}

// Act returns the target of a form of the message. The template for the script has no addresses.
func (m messageView) Act(name string) string { return m.link("/message/"+m.ID+name, "") }

// Show returns the page with an open form of the message. It has no fragment, because browsers then ignore
// autofocus.
func (m messageView) Show(name string) string { return m.link("", name+"="+m.ID) }

// SelfURL returns the message on its page.
func (m messageView) SelfURL() string {
	if m.ID == "" {
		return ""
	}
	return m.link("", "") + "#m-" + m.ID
}

func (m messageView) link(path, query string) string {
	if m.ID == "" {
		return ""
	}
	return withQuery("/chat/"+m.ConversationID+path, m.Query, query)
}

// PlaceURL returns the permanent address.
func (m messageView) PlaceURL() string {
	if m.ID == "" {
		return ""
	}
	return messagePlace(m.ConversationID, m.ID)
}

// ReportURL returns the page that reports the message of another person.
func (m messageView) ReportURL() string {
	return "/report?message=" + m.ID + "&in=" + m.ConversationID
}

func (t *messageViews) setForms(m *messageView) {
	if !m.Own || m.Deleted || m.Card != nil {
		return
	}
	m.Deleting = m.ID == t.deleting
	if m.ID != t.editing {
		return
	}
	m.Editing, m.Edit = true, newForm("content", m.Content)
	if t.edit != nil {
		m.Edit = *t.edit
	}
	m.Edit.Prefix = "edit-"
}

func withQuery(path string, parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return path
	}
	return path + "?" + strings.Join(parts, "&")
}

// messageEvent is what an open page receives of a message: the element of the list of messages, and what
// changes in the row of the conversation.
type messageEvent struct {
	ConversationID string        `json:"conversationId"`
	ID             string        `json:"id"`
	SenderID       string        `json:"senderId"`
	At             store.Time    `json:"at"`
	HTML           template.HTML `json:"html"`
	Preview        string        `json:"preview"`
	From           string        `json:"from"`      // whose name precedes the preview in a group, or ""
	Unread         bool          `json:"unread"`    // it counts as unread until it is read
	Mentioned      bool          `json:"mentioned"` // it names the viewer
	Tagged         bool          `json:"tagged"`    // it may have a tag, for the Stream
}

// Events returns a table of events as open pages receive them: messages as HTML, all else as it is.
func Events(table []core.Event) []core.Event {
	return core.Map(table, func(e core.Event) core.Event {
		if chat.ShowsMessage(e.Kind) {
			e.Data, e.Render = messageEvent{}, renderMessage
		}
		return e
	})
}

func renderMessage(r *store.Reader, by store.Viewer, ev store.Event) (any, error) {
	m, err := chat.ShownMessage(r, by, ev.ObjectID)
	if err != nil {
		return nil, err
	}
	views, err := loadViews()
	if err != nil {
		return nil, err
	}
	t := messageViews{me: by.UserID}
	html, err := views.parts.render("message", t.message(m))
	out := messageEvent{ConversationID: m.ConversationID, ID: m.ID, SenderID: m.SenderID, At: m.CreatedAt, HTML: html,
		Unread: m.SenderID != by.UserID && m.DeletedAt == nil, Mentioned: slices.Contains(m.Mentions, by.UserID),
		Tagged: strings.ContainsAny(m.Content, "#＃")}
	out.Preview, out.From = lineOf(&m, m.Preview(), by.UserID)
	return out, err
}

type serverCard struct {
	Sides [2]cardSide
	Text  string // "" for a match
}

// cardSide is one person's ask or offer. Terms is "" if the account is deleted.
type cardSide struct{ Label, Terms string }

// Left reports whether one of the accounts is deleted.
func (c *serverCard) Left() bool { return c.Sides[0].Terms == "" || c.Sides[1].Terms == "" }

func serverCardOf(kind, payload string) *serverCard {
	var p struct {
		MatchType  string `json:"matchType"`
		AskTerms   string `json:"askTerms"`
		OfferTerms string `json:"offerTerms"`
		SameKind   bool   `json:"sameKind"`
	}
	if kind != "match_context" || json.Unmarshal([]byte(payload), &p) != nil || p.AskTerms == "" && p.OfferTerms == "" {
		return &serverCard{Text: "A message from the server."}
	}
	c := serverCard{Sides: [2]cardSide{{"One of you asks", p.AskTerms}, {"The other offers", p.OfferTerms}}}
	if p.MatchType != "complementary" || p.SameKind {
		c.Sides[0].Label, c.Sides[1].Label = "One of you", "The other"
	}
	return &c
}

const maxChanges = 100

type changeView struct {
	At   store.Time
	Text string

	joined []string // names of joined people, in lines that can be merged
}

// changesOf reads the changes of a group between the neighbours of a page. A page at either end includes all
// changes beyond it.
func (s *site) changesOf(v *visit, c chat.Conversation, page chat.MessagesAroundOut) []changeView {
	if c.Type != "group" {
		return nil
	}
	in := chat.ListChangesIn{ConversationID: c.ID, Limit: maxChanges}
	if n := len(page.Messages); n > 0 {
		if page.HasMore {
			in.After = cmp.Or(v.moment("after"), &page.Messages[0].CreatedAt)
		}
		if page.HasNewer {
			in.Before = cmp.Or(v.moment("before"), &page.Messages[n-1].CreatedAt)
		}
	}
	out := get(v, s.Chat.ListChanges, in)
	return core.Map(out.Changes, func(ch chat.Change) changeView { return changeOf(ch, v.by.UserID) })
}

func changeOf(c chat.Change, me string) changeView {
	name := func(n chat.Named) string {
		if n.ID == me {
			return "You"
		}
		return n.Name
	}
	who, by := name(c.User), "Somebody"
	if c.Actor != nil {
		by = name(*c.Actor)
	}
	view := changeView{At: c.At}
	switch c.Kind {
	case "joined":
		view.Text, view.joined = who+" joined", []string{who}
	case "added":
		view.Text = fmt.Sprintf("%s added %s", by, strings.Replace(who, "You", "you", 1))
	case "left":
		view.Text = who + " left"
	case "removed":
		view.Text = fmt.Sprintf("%s removed %s", by, strings.Replace(who, "You", "you", 1))
	case "renamed":
		view.Text = who + " removed the name of the group"
		if c.Title != nil {
			view.Text = fmt.Sprintf("%s named the group “%s”", who, *c.Title)
		}
	}
	return view
}

// withChanges merges changes into the messages by time. People who joined on one day, without a message
// between them, share a line.
func withChanges(messages []messageView, changes []changeView) []messageView {
	out := make([]messageView, 0, len(messages)+len(changes))
	for _, m := range messages {
		for len(changes) > 0 && changes[0].At < m.CreatedAt {
			out, changes = appendChange(out, changes[0]), changes[1:]
			m.Run = false
		}
		out = append(out, m)
	}
	for _, c := range changes {
		out = appendChange(out, c)
	}
	for i := range out {
		out[i].NewDay = i == 0 || day(out[i-1].CreatedAt) != day(out[i].CreatedAt)
	}
	return out
}

func appendChange(out []messageView, c changeView) []messageView {
	if n := len(out); n > 0 && out[n-1].Change != nil && c.joined != nil && out[n-1].Change.joined != nil &&
		day(out[n-1].CreatedAt) == day(c.At) {
		last := out[n-1].Change
		last.joined = append(slices.Clone(last.joined), c.joined...)
		last.Text, last.At, out[n-1].CreatedAt = joinedText(last.joined), c.At, c.At
		return out
	}
	return append(out, messageView{CreatedAt: c.At, Change: &c})
}

func joinedText(names []string) string {
	rest := len(names) - 3
	switch {
	case rest > 1:
		return fmt.Sprintf("%s and %d others joined", strings.Join(names[:3], ", "), rest)
	case len(names) == 1:
		return names[0] + " joined"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " joined"
}
