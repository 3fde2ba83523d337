package chat

import (
	"context"
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// SearchMessagesIn is the input of SearchMessages.
type SearchMessagesIn struct {
	Q              string `query:"q" json:"-" any:"true" doc:"Words that must all occur, also as beginnings of words, \"phrases\", and from:me, in:title, before:2026-05, after:, on:, has:link, has:image, has:audio, has:video, has:file, has:reaction. At most 50 count"`
	ConversationID string `query:"conversationId" json:"-" format:"uuid" doc:"Only messages of this conversation"`
	Limit          int    `query:"limit" json:"-" default:"20" min:"1" max:"100" clamp:"true" doc:"Messages in a page"`
	Cursor         string `query:"cursor" json:"-" doc:"The nextCursor of the page before; it is valid with the same q and conversationId"`
}

// SearchMessagesOut is a page of the messages found, the newest first.
type SearchMessagesOut struct {
	Messages   []Message   `json:"messages"`
	Snippets   []Snippet   `json:"snippets" doc:"For each message, in their order, the part of it that matches"`
	NextCursor *string     `json:"nextCursor,omitzero" doc:"Absent at the end. A page may be empty and still have one"`
	SearchedTo *store.Time `json:"searchedTo,omitzero" doc:"With nextCursor: the messages from this moment on have been searched"`
}

// Snippet is the part of a message that matches a search.
type Snippet struct {
	MessageID  string  `json:"messageId"`
	Text       string  `json:"text" doc:"On one line, with … where something is left out"`
	Highlights [][]int `json:"highlights" doc:"The matches in text: where each begins and ends, in code points"`
}

// Any text is a valid search.
func (s *Service) searchMessages(ctx context.Context, by store.Viewer, in SearchMessagesIn) (out SearchMessagesOut, err error) {
	bind := strings.Join([]string{"search", by.UserID, in.ConversationID, in.Q}, "\x00")
	var until store.Time
	if in.Cursor != "" {
		if err := s.cursors.Open(bind, in.Cursor, &until); err != nil {
			return out, err
		}
	}
	q := parseSearch(in.Q)
	var found bool
	err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
		if in.ConversationID != "" {
			if _, err := r.Member(by, in.ConversationID, by.UserID); err != nil {
				return err
			}
		}
		found, err = find(r, by, &q, in.ConversationID)
		return err
	})
	if err != nil || !found {
		return out, core.Found(err)
	}
	if until != 0 && (q.Until == 0 || until < q.Until) {
		q.Until = until
	}
	var part store.Searched
	err = s.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
		if part, err = r.SearchMessages(by, q.Search, in.Limit); err == nil {
			out.Messages, err = newView(r, by).messages(part.Messages)
		}
		return err
	})
	for i := range part.Messages {
		out.Snippets = append(out.Snippets, snippetOf(&part.Messages[i], q.Terms))
	}
	if part.Next != 0 {
		out.NextCursor, out.SearchedTo = new(s.cursors.Seal(bind, part.Next)), &part.Next
	}
	return out, err
}

func find(r *store.Reader, by store.Viewer, q *searchQuery, conversationID string) (bool, error) {
	if q.empty() {
		return false, nil
	}
	for _, name := range q.from {
		ids, err := people(r, by, name)
		if err != nil {
			return false, err
		}
		q.Senders = append(q.Senders, ids...)
	}
	for _, name := range q.in {
		named, err := people(r, by, name)
		if err != nil {
			return false, err
		}
		ids, err := r.ConversationsNamed(by, name, named)
		if err != nil {
			return false, err
		}
		if store.ValidID(name) {
			ids = append(ids, name)
		}
		q.Conversations = append(q.Conversations, ids...)
	}
	if conversationID != "" {
		if len(q.in) > 0 && !slices.Contains(q.Conversations, conversationID) {
			return false, nil
		}
		q.Conversations = []string{conversationID}
	}
	return (len(q.from) == 0 || len(q.Senders) > 0) && (len(q.in) == 0 || len(q.Conversations) > 0), nil
}

func people(r *store.Reader, by store.Viewer, name string) ([]string, error) {
	switch {
	case strings.EqualFold(name, "me"):
		return []string{by.UserID}, nil
	case store.ValidID(name):
		return []string{name}, nil
	}
	return r.SendersNamed(by, name)
}
