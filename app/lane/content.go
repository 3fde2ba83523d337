package lane

import (
	"context"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// ConversationContentItem is an item of the content of a conversation: a post of
// its Context lane, or an entry of its Stream.
type ConversationContentItem struct {
	ID            string                   `json:"id" doc:"Of the post or the entry"`
	CreatedAt     store.Time               `json:"createdAt"`
	SourceAliases []string                 `json:"sourceAliases" doc:"Ids of further entries with the same text that were captured from the same message and are shared here; they are no items of their own"`
	Origin        string                   `json:"origin" enum:"context|stream"`
	Visibility    string                   `json:"visibility" enum:"conversation|private" doc:"private: the caller alone sees it; never for keys and embedded sessions"`
	Provenance    string                   `json:"provenance" enum:"context|pinned|message_capture|private_note"`
	Context       *ContextPostProjection   `json:"context,omitzero" doc:"With origin context"`
	Thought       *ConversationStreamEntry `json:"thought,omitzero" doc:"With origin stream"`
}

// ListContentIn selects items of the content of a conversation.
type ListContentIn struct {
	ConversationID string `path:"id" json:"-"`
	Filter         string `query:"filter" json:"-" enum:"all|context|stream" default:"all"`
	Search         string `query:"search" json:"-" max:"200" doc:"In texts and tags, without regard to case"`
	Limit          int    `query:"limit" json:"-" default:"50" min:"1" max:"100"`
	Cursor         string `query:"cursor" json:"-" max:"2048" doc:"The nextCursor of the page before, with the same filter and search"`
}

// ConversationContentPage is a page of the content of a conversation, the newest
// item first.
type ConversationContentPage struct {
	ContextAvailable bool                      `json:"contextAvailable" doc:"Whether conversations have a Context lane; without one, only entries of the Stream are returned"`
	Items            []ConversationContentItem `json:"items"`
	NextCursor       string                    `json:"nextCursor,omitzero" doc:"Absent at the end. A page of a search may have fewer items than its limit, or none, and a cursor"`
}

// listContent returns the content of a conversation of the caller's: the posts of
// its Context lane and what is shared in its Stream and, in a direct session, the
// private notes that the caller has for it.
func (s *Service) listContent(ctx context.Context, by store.Viewer, in ListContentIn) (out ConversationContentPage, err error) {
	page := pageOf(by, "content", in.ConversationID, in.Filter, in.Search, strconv.FormatBool(by.Direct()))
	q := store.ContentQuery{ConversationID: in.ConversationID, Search: in.Search, Limit: in.Limit}
	q.Context, q.Stream = s.Context && in.Filter != "stream", in.Filter != "context"
	out.ContextAvailable = s.Context
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		if err := member(r, by, in.ConversationID); err != nil {
			return err
		}
		if q.After, err = s.openCursor(page, in.Cursor); err != nil {
			return err
		}
		keys, next, err := r.Content(by, q)
		if err != nil {
			return err
		}
		out.NextCursor = s.sealCursor(page, next)
		out.Items, err = readContent(r, by, in.ConversationID, keys)
		return err
	})
	return out, err
}

// readContent returns the items with keys, in their order.
func readContent(r *store.Reader, by store.Viewer, conversationID string, keys []store.ContentKey) ([]ConversationContentItem, error) {
	posts, err := readPosts(r, by, keys)
	if err != nil {
		return nil, err
	}
	entries, err := readEntries(r, by, conversationID, keys)
	items := make([]ConversationContentItem, 0, len(keys))
	for _, k := range keys {
		if item, ok := entries[k.ID]; ok {
			items = append(items, item)
		} else if p, ok := posts[k.ID]; ok {
			items = append(items, ConversationContentItem{
				ID: p.ID, CreatedAt: p.CreatedAt, SourceAliases: []string{}, Origin: "context", Visibility: "conversation", Provenance: "context",
				Context: &p,
			})
		}
	}
	return items, err
}

// readEntries returns the entries of the Stream among keys as items, by id.
func readEntries(r *store.Reader, by store.Viewer, conversationID string, keys []store.ContentKey) (map[string]ConversationContentItem,
	error) {
	var ids []string
	for _, k := range keys {
		if k.Stream {
			ids = append(ids, k.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.EntriesByID(by, conversationID, ids...)
	if err != nil {
		return nil, err
	}
	aliases, err := r.ContentAliases(by, conversationID, ids...)
	of := map[string][]string{}
	for _, a := range aliases {
		of[a.ID] = append(of[a.ID], a.AliasID)
	}
	out := make(map[string]ConversationContentItem, len(rows))
	for _, row := range rows {
		e := entryOf(row)
		out[e.ID] = ConversationContentItem{
			ID: e.ID, CreatedAt: e.CreatedAt, SourceAliases: append([]string{}, of[e.ID]...), Origin: "stream", Visibility: e.Visibility,
			Provenance: e.Provenance,
			Thought:    &e.ConversationStreamEntry,
		}
	}
	return out, err
}

// pageOf returns what a cursor is bound to: the account and what is listed.
func pageOf(by store.Viewer, parts ...string) string {
	return string(core.RequestHash(append([]string{by.UserID}, parts...)...))
}

// place is the position in a cursor.
type place struct {
	At store.Time `json:"at"`
	ID string     `json:"id"`
}

// openCursor returns the place in a cursor; the zero Place for "".
func (s *Service) openCursor(page, cursor string) (store.ContentPlace, error) {
	if strings.TrimSpace(cursor) == "" {
		return store.ContentPlace{}, nil
	}
	var p place
	err := s.cursors.Open(page, cursor, &p)
	return store.ContentPlace{At: p.At, ID: p.ID}, err
}

// sealCursor returns the cursor of a place; "" for the zero Place.
func (s *Service) sealCursor(page string, at store.ContentPlace) string {
	if at == (store.ContentPlace{}) {
		return ""
	}
	return s.cursors.Seal(page, place{at.At, at.ID})
}
