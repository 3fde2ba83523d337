package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// searchView is the page of a search for messages and people.
type searchView struct {
	Frame
	Query    string
	In       string // the id of the conversation searched; "" is all
	InTitle  string
	AllURL   string // the same search in all conversations
	People   []Person
	Results  []resultView
	Asked    bool       // something was searched for
	First    bool       // it is the first page
	Older    string     // address of the next page; "" at the end
	Searched store.Time // how far back, if there is more
}

// resultView is a message that was found.
type resultView struct {
	URL    string // where it is in its conversation
	Title  string // of the conversation
	Sender Person
	Own    bool
	At     store.Time
	Parts  []markedText
}

// markedText is a piece of a text, of which the matches are marked.
type markedText struct {
	Text string
	Mark bool
}

const (
	searchPeople = 6  // how many people are shown above the messages
	searchLimit  = 20 // messages in a page
)

func search(s *site, v *visit) (err error) {
	view := searchView{Query: strings.TrimSpace(v.query("q")), First: v.query("cursor") == ""}
	if view.Frame, err = s.frame(v, "Search", "chat", ""); err != nil {
		return err
	}
	if id := v.query("in"); store.ValidID(id) {
		c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, chat.GetConversationIn{ID: id})
		if err != nil {
			return err
		}
		view.In, view.AllURL = id, "/search?q="+url.QueryEscape(view.Query)
		view.InTitle, _ = nameOf(c, v.by.UserID)
	}
	if view.Query == "" {
		return s.show(v, http.StatusOK, view)
	}
	view.Asked = true
	if view.In == "" && view.First {
		if view.People, err = s.findPeople(v, view.Query, nil); err != nil {
			return err
		}
		view.People = view.People[:min(len(view.People), searchPeople)]
	}
	if err := s.fillResults(v, &view); err != nil {
		return err
	}
	return s.show(v, http.StatusOK, view)
}

// fillResults adds the messages that were found.
func (s *site) fillResults(v *visit, view *searchView) error {
	in := chat.SearchMessagesIn{Q: view.Query, ConversationID: view.In, Limit: searchLimit, Cursor: v.query("cursor")}
	found, err := s.Chat.SearchMessages.Call(v.ctx(), v.by, in)
	if err != nil && aboutInput(err) && !view.First {
		view.First, in.Cursor = true, "" // an address that was changed by hand
		found, err = s.Chat.SearchMessages.Call(v.ctx(), v.by, in)
	}
	if err != nil && aboutInput(err) {
		return nil // no message has such a text
	}
	if err != nil {
		return err
	}
	titles, err := s.titlesOf(v, found.Messages)
	if err != nil {
		return err
	}
	for i, m := range found.Messages {
		view.Results = append(view.Results, resultView{
			URL:   "/chat/" + m.ConversationID + "?at=" + m.ID + "#m-" + m.ID,
			Title: titles[m.ConversationID], Sender: Person{ID: m.SenderID, Name: m.Sender.Name, Picture: pictureOf(m.Sender.AvatarURL)}, Own: m.SenderID == v.by.UserID,
			At: m.CreatedAt, Parts: markedMessage(found.Snippets[i]),
		})
	}
	if found.NextCursor != nil {
		older := url.Values{"q": {view.Query}, "cursor": {*found.NextCursor}}
		if view.In != "" {
			older.Set("in", view.In)
		}
		view.Older, view.Searched = "/search?"+older.Encode(), core.OrZero(found.SearchedTo)
	}
	return nil
}

// titlesOf returns the titles of the conversations of messages, by id.
func (s *site) titlesOf(v *visit, ms []chat.Message) (map[string]string, error) {
	var ids []string
	for _, m := range ms {
		if !slices.Contains(ids, m.ConversationID) {
			ids = append(ids, m.ConversationID)
		}
	}
	all, err := s.Chat.ConversationsByID.Call(v.ctx(), v.by, chat.ConversationsByIDIn{IDs: ids})
	titles := map[string]string{}
	for _, c := range all {
		titles[c.ID], _ = nameOf(c, v.by.UserID)
	}
	return titles, err
}

// These stand around a match in the text of a message. Unicode gives them no
// meaning.
const markStart, markEnd = "\ue000", "\ue001"

// markedMessage returns the pieces of a snippet of a message, as unformatted shows
// it.
func markedMessage(s chat.Snippet) (parts []markedText) {
	if !mayHaveMarkup(s.Text) {
		return marked(s)
	}
	var b strings.Builder
	for _, part := range marked(s) {
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

// marked returns the pieces of a snippet.
func marked(s chat.Snippet) []markedText { return marks(s.Text, s.Highlights) }

// marks divides a text at the places that match, given in code points.
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
