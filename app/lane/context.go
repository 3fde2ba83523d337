package lane

import (
	"cmp"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// ListContextIn is the input of ListContext.
type ListContextIn struct {
	ConversationID string `path:"id" json:"-"`
	Cursor         string `query:"cursor" json:"-" max:"2048" doc:"The nextCursor of the page before, with the same kind and search"`
	Limit          int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Kind           string `query:"kind" json:"-" enum:"note|ask|offer"`
	Search         string `query:"search" json:"-" max:"200" doc:"In the text, without regard to case"`
}

// ListContextOut is a page of posts, deleted ones too, the newest first.
type ListContextOut struct {
	Posts      []ContextPostProjection `json:"posts"`
	NextCursor string                  `json:"nextCursor,omitzero" doc:"Absent at the end. A page may be empty and still have one"`
}

func (s *Service) listContext(r *store.Reader, by store.Viewer, in ListContextIn) (out ListContextOut, err error) {
	q := store.ContentQuery{ConversationID: in.ConversationID, Context: true, Kind: in.Kind, Search: in.Search, Limit: in.Limit}
	keys, next, err := s.contentPage(r, by, q, in.Cursor, "context")
	if err != nil {
		return out, err
	}
	out.NextCursor = next
	posts, err := readPosts(r, by, keys)
	for _, k := range keys {
		if p, ok := posts[k.ID]; ok {
			out.Posts = append(out.Posts, p)
		}
	}
	return out, err
}

func readPosts(r *store.Reader, by store.Viewer, keys []store.ContentKey) (map[string]ContextPostProjection, error) {
	ids := idsOf(keys, false)
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.ContextPostsByID(by, ids...)
	out := make(map[string]ContextPostProjection, len(rows))
	for _, p := range rows {
		out[p.ID] = postOf(p)
	}
	return out, err
}

// CreateContextPostIn is the input of CreateContextPost.
type CreateContextPostIn struct {
	ConversationID  string `path:"id" json:"-"`
	Text            string `json:"text" required:"true" min:"1" max:"20000"`
	ClientRequestID string `json:"clientRequestId" required:"true" min:"1" max:"200" doc:"Yours to choose; the same in every attempt"`
	Kind            string `json:"kind" enum:"note|ask|offer" default:"note"`
	ReplyToID       string `json:"replyToId" format:"uuid" doc:"A post of the same conversation"`
}

// createContextPost can be repeated: with the same clientRequestId and the same body it returns the first post as it is
// now, and with another body Conflict. The body of a deleted post is unknown, so any body counts as another.
func (s *Service) createContextPost(tx *store.Tx, by store.Viewer, in CreateContextPostIn) (out ContextPostProjection, err error) {
	if err := member(&tx.Reader, by, in.ConversationID); err != nil {
		return out, err
	}
	hash := core.RequestHash(in.Kind, in.Text, in.ReplyToID)
	first, err := tx.ContextPostOf(by, in.ConversationID, in.ClientRequestID)
	switch {
	case err == nil && first.SameRequest(hash):
		return postOf(first), nil
	case err == nil:
		return out, conflict("request_id_in_use", "This clientRequestId belongs to another post already. Choose a new one for a new post.",
			postOf(first))
	case !errors.Is(err, store.ErrNoRow):
		return out, err
	}
	if in.ReplyToID != "" {
		if _, err := livePost(&tx.Reader, by, in.ConversationID, in.ReplyToID); err != nil {
			return out, err
		}
	}
	if err := mayPost(tx, by, in.ConversationID); err != nil {
		return out, err
	}
	p := store.ContextPost{ConversationID: in.ConversationID, AuthorID: by.UserID, Kind: in.Kind, Text: in.Text, ReplyToID: in.ReplyToID,
		ClientRequestID: in.ClientRequestID}
	return insertPost(tx, by, &p, hash)
}

func insertPost(tx *store.Tx, by store.Viewer, p *store.ContextPost, hash []byte) (out ContextPostProjection, err error) {
	p.AgentID, p.AgentName = agentOf(by)
	err = tx.InsertContextPost(p, hash)
	if err = cmp.Or(err, contextChanged(tx, by, p.ConversationID, p.ID)); err != nil {
		return out, err
	}
	return readPost(&tx.Reader, by, p.ConversationID, p.ID)
}

func agentOf(by store.Viewer) (id, name string) {
	if by.Kind != store.Agent {
		return "", ""
	}
	return by.KeyID, by.AgentName
}

// A person and their bots count together, in each conversation. The day is one of UTC.
func mayPost(tx *store.Tx, by store.Viewer, conversationID string) error {
	key := by.PersonID() + " " + conversationID
	day := key + " " + tx.Reader.Now().Go().UTC().Format(time.DateOnly)
	return cmp.Or(limit.ContextMinute.UseStored(tx, key, 1), limit.ContextDay.UseStored(tx, day, 1))
}
