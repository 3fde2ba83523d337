package page

import (
	"net/url"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

type searchView struct {
	Frame
	Query    string
	In       string // id of the searched conversation; "" for all
	InTitle  string
	AllURL   string // the same search in all conversations
	People   []Person
	Results  []resultView
	Asked    bool // there was a query
	First    bool
	Older    string     // next page; "" at the end
	Searched store.Time // messages before this time were not searched; 0 if all were
}

type resultView struct {
	URL    string // the message in its conversation
	Title  string
	Sender Person
	Own    bool
	At     store.Time
	Parts  []markedText
}

type markedText struct {
	Text string
	Mark bool
}

const (
	searchPeople = 6  // people shown above the messages
	searchLimit  = 20 // messages on a page
)

func (s *site) search(v *visit) error {
	view := searchView{Query: strings.TrimSpace(v.query("q")), First: v.query("cursor") == ""}
	if id := v.query("in"); store.ValidID(id) {
		c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
		view.In, view.AllURL = id, "/search?q="+url.QueryEscape(view.Query)
		view.InTitle, _ = nameOf(c, v.by.UserID)
	}
	view.Asked = view.Query != ""
	if view.Asked && view.In == "" && view.First {
		view.People = s.findPeople(v, view.Query, nil)
		view.People = view.People[:min(len(view.People), searchPeople)]
	}
	if view.Asked {
		s.fillResults(v, &view)
	}
	return s.page(v, "Search", "chat", "", &view)
}

func (s *site) fillResults(v *visit, view *searchView) {
	in := chat.SearchMessagesIn{Q: view.Query, ConversationID: view.In, Limit: searchLimit, Cursor: v.query("cursor")}
	found, err := s.Chat.SearchMessages.Call(v.ctx(), v.by, in)
	if err != nil && aboutInput(err) {
		return // no message can match, or the address was cut
	}
	v.failed(err)
	titles := s.titles(v, core.Map(found.Messages, func(m chat.Message) string { return m.ConversationID }))
	for i, m := range found.Messages {
		view.Results = append(view.Results, resultView{
			URL: messagePlace(m.ConversationID, m.ID), Title: titles[m.ConversationID], At: m.CreatedAt, Own: m.SenderID == v.by.UserID,
			Sender: face(m.SenderID, m.Sender.Name, m.Sender.AvatarURL), Parts: markedMessage(found.Snippets[i]),
		})
	}
	if found.NextCursor != nil {
		older := url.Values{"q": {view.Query}, "cursor": {*found.NextCursor}}
		if view.In != "" {
			older.Set("in", view.In)
		}
		view.Older, view.Searched = "/search?"+older.Encode(), core.OrZero(found.SearchedTo)
	}
}

// titles returns the names of conversations, by id. It has no conversation that the person is not in.
func (s *site) titles(v *visit, ids []string) map[string]string {
	titles := map[string]string{}
	if len(ids) == 0 {
		return titles
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for _, c := range get(v, s.Chat.ConversationsByID, chat.ConversationsByIDIn{IDs: ids}) {
		titles[c.ID], _ = nameOf(c, v.by.UserID)
	}
	return titles
}

// Marks around a match in a message, from Unicode's private use area.
const markStart, markEnd = "\ue000", "\ue001"

// markedMessage returns the pieces of a snippet, formatted as by unformatted.
func markedMessage(s chat.Snippet) (parts []markedText) {
	if !mayHaveMarkup(s.Text) {
		return marks(s.Text, s.Highlights)
	}
	var b strings.Builder
	for _, part := range marks(s.Text, s.Highlights) {
		if part.Mark {
			b.WriteString(markStart + part.Text + markEnd)
		} else {
			b.WriteString(part.Text)
		}
	}
	for piece := range strings.SplitSeq(unformatted(b.String()), markStart) {
		match, rest, ok := strings.Cut(piece, markEnd)
		if !ok {
			match, rest = "", piece
		}
		for _, part := range []markedText{{match, true}, {rest, false}} {
			if part.Text != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// marks splits a text at its matches, given in code points.
func marks(plain string, highlights [][]int) (parts []markedText) {
	text, at := []rune(plain), 0
	for _, h := range highlights {
		if h[0] > at {
			parts = append(parts, markedText{Text: string(text[at:h[0]])})
		}
		parts = append(parts, markedText{string(text[h[0]:h[1]]), true})
		at = h[1]
	}
	if at < len(text) {
		parts = append(parts, markedText{Text: string(text[at:])})
	}
	return parts
}
