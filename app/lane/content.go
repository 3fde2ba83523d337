package lane

import (
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// ConversationContentItem is an item of the content of a conversation: a post of its Context lane, or an entry of its
// Stream.
type ConversationContentItem struct {
	ID            string                   `json:"id" doc:"Of the post or the entry"`
	CreatedAt     store.Time               `json:"createdAt"`
	SourceAliases []string                 `json:"sourceAliases" doc:"Ids of other entries with the same text, captured from the same message"`
	Origin        string                   `json:"origin" enum:"context|stream"`
	Visibility    string                   `json:"visibility" enum:"conversation|private" doc:"private: for the caller alone; never for keys"`
	Provenance    string                   `json:"provenance" enum:"context|pinned|message_capture|private_note"`
	Context       *ContextPostProjection   `json:"context,omitzero" doc:"With origin context"`
	Thought       *ConversationStreamEntry `json:"thought,omitzero" doc:"With origin stream"`
}

// ListContentIn is the input of ListContent.
type ListContentIn struct {
	ConversationID string `path:"id" json:"-"`
	Filter         string `query:"filter" json:"-" enum:"all|context|stream" default:"all"`
	Search         string `query:"search" json:"-" max:"200" doc:"In texts and tags, without regard to case"`
	Limit          int    `query:"limit" json:"-" default:"50" min:"1" max:"100"`
	Cursor         string `query:"cursor" json:"-" max:"2048" doc:"The nextCursor of the page before, with the same filter and search"`
}

// ConversationContentPage is a page of the content of a conversation, the newest item first.
type ConversationContentPage struct {
	ContextAvailable bool                      `json:"contextAvailable" doc:"Whether there is a Context lane; without it, only Stream entries"`
	Items            []ConversationContentItem `json:"items"`
	NextCursor       string                    `json:"nextCursor,omitzero" doc:"Absent at the end. A page may be empty and still have one"`
}

// listContent returns posts of the Context lane, shared entries of the Stream and, in a direct session, the caller's
// private notes for the conversation.
func (s *Service) listContent(r *store.Reader, by store.Viewer, in ListContentIn) (out ConversationContentPage, err error) {
	q := store.ContentQuery{ConversationID: in.ConversationID, Search: in.Search, Limit: in.Limit}
	q.Context, q.Stream = s.Context && in.Filter != "stream", in.Filter != "context"
	keys, next, err := s.contentPage(r, by, q, in.Cursor, "content", in.Filter, strconv.FormatBool(by.Direct()))
	if err != nil {
		return out, err
	}
	out.ContextAvailable, out.NextCursor = s.Context, next
	posts, err := readPosts(r, by, keys)
	if err != nil {
		return out, err
	}
	entries, err := readEntries(r, by, in.ConversationID, keys)
	for _, k := range keys {
		if item, ok := entries[k.ID]; ok {
			out.Items = append(out.Items, item)
		} else if p, ok := posts[k.ID]; ok {
			out.Items = append(out.Items, ConversationContentItem{ID: p.ID, CreatedAt: p.CreatedAt, Origin: "context",
				Visibility: "conversation", Provenance: "context", Context: &p})
		}
	}
	return out, err
}

func readEntries(r *store.Reader, by store.Viewer, conversationID string, keys []store.ContentKey) (map[string]ConversationContentItem,
	error) {
	ids := idsOf(keys, true)
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.EntriesByID(by, conversationID, ids...)
	if err != nil {
		return nil, err
	}
	out := make(map[string]ConversationContentItem, len(rows))
	for _, row := range rows {
		e := entryOf(row)
		out[e.ID] = ConversationContentItem{ID: e.ID, CreatedAt: e.CreatedAt, Origin: "stream", Visibility: e.Visibility,
			Provenance: e.Provenance, Thought: &e.ConversationStreamEntry}
	}
	aliases, err := r.ContentAliases(by, conversationID, ids...)
	for _, a := range aliases {
		item := out[a.ID]
		item.SourceAliases = append(item.SourceAliases, a.AliasID)
		out[a.ID] = item
	}
	return out, err
}

func idsOf(keys []store.ContentKey, stream bool) (ids []string) {
	for _, k := range keys {
		if k.Stream == stream {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// contentPage returns the keys of a page and the cursor of the next one. Cursors are valid for the same caller,
// conversation, kind, search and filters.
func (s *Service) contentPage(r *store.Reader, by store.Viewer, q store.ContentQuery, cursor string, filters ...string) (
	keys []store.ContentKey, next string, err error) {
	if err := member(r, by, q.ConversationID); err != nil {
		return nil, "", err
	}
	bind := string(core.RequestHash(append(filters, by.UserID, q.ConversationID, q.Kind, q.Search)...))
	if strings.TrimSpace(cursor) != "" {
		if err := s.cursors.Open(bind, cursor, &q.After); err != nil {
			return nil, "", err
		}
	}
	keys, end, err := r.Content(by, q)
	if end != (store.ContentPlace{}) {
		next = s.cursors.Seal(bind, end)
	}
	return keys, next, err
}
