package lane

import (
	"cmp"
	"context"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// ListContextIn selects posts of the Context lane of a conversation.
type ListContextIn struct {
	ConversationID string `path:"id" json:"-"`
	Cursor         string `query:"cursor" json:"-" max:"2048" doc:"The nextCursor of the page before, with the same kind and search"`
	Limit          int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Kind           string `query:"kind" json:"-" enum:"note|ask|offer"`
	Search         string `query:"search" json:"-" max:"200" doc:"In the text, without regard to case"`
}

// ListContextOut is a page of posts, the newest first.
type ListContextOut struct {
	Posts      []ContextPostProjection `json:"posts"`
	NextCursor string                  `json:"nextCursor,omitzero" doc:"Absent at the end. A page of a search may have fewer posts than its limit, or none, and a cursor"`
}

// listContext returns posts of a conversation of the caller's, deleted ones too.
func (s *Service) listContext(ctx context.Context, by store.Viewer, in ListContextIn) (out ListContextOut, err error) {
	page := pageOf(by, "context", in.ConversationID, in.Kind, in.Search)
	q := store.ContentQuery{ConversationID: in.ConversationID, Context: true, Kind: in.Kind, Search: in.Search, Limit: in.Limit}
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
		posts, err := readPosts(r, by, keys)
		out.Posts = make([]ContextPostProjection, 0, len(keys))
		for _, k := range keys {
			if p, ok := posts[k.ID]; ok {
				out.Posts = append(out.Posts, p)
			}
		}
		out.NextCursor = s.sealCursor(page, next)
		return err
	})
	return out, err
}

// readPosts returns the posts among keys, by id.
func readPosts(r *store.Reader, by store.Viewer, keys []store.ContentKey) (map[string]ContextPostProjection, error) {
	var ids []string
	for _, k := range keys {
		if !k.Stream {
			ids = append(ids, k.ID)
		}
	}
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

// CreateContextPostIn is a new post.
type CreateContextPostIn struct {
	ConversationID  string `path:"id" json:"-"`
	Text            string `json:"text" required:"true" min:"1" max:"20000"`
	ClientRequestID string `json:"clientRequestId" required:"true" min:"1" max:"200" doc:"Yours to choose; the same in every attempt to make this post"`
	Kind            string `json:"kind" enum:"note|ask|offer" default:"note"`
	ReplyToID       string `json:"replyToId" format:"uuid" doc:"A post of the same conversation"`
}

// createContextPost posts to the Context lane of a conversation of the caller's.
// Nobody is notified.
//
// A request can be repeated: with the same clientRequestId and the same body it
// returns the first post as it is now, and with another body Conflict. The body
// of a deleted post is not known any more, so that any body counts as another.
// TooMany after 20 posts within a minute or 100 within a day, of UTC, in one
// conversation.
func (s *Service) createContextPost(ctx context.Context, by store.Viewer, in CreateContextPostIn) (out ContextPostProjection, err error) {
	hash := in.hash()
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		if err := member(&tx.Reader, by, in.ConversationID); err != nil {
			return err
		}
		first, err := tx.ContextPostOf(by, in.ConversationID, in.ClientRequestID)
		if err == nil {
			if out = postOf(first); !first.SameRequest(hash) {
				return conflict("request_id_in_use", "This clientRequestId belongs to another post already. Choose a new one for a new post.", out)
			}
			return nil
		}
		if !errors.Is(err, store.ErrNoRow) {
			return err
		}
		if err := mayReplyTo(&tx.Reader, by, in.ConversationID, in.ReplyToID); err != nil {
			return err
		}
		if err := mayPost(tx, by, in.ConversationID); err != nil {
			return err
		}
		p := store.ContextPost{
			ConversationID: in.ConversationID, AuthorID: by.UserID, Kind: in.Kind, Text: in.Text, ReplyToID: in.ReplyToID,
			ClientRequestID: in.ClientRequestID,
		}
		out, err = insertPost(tx, by, &p, hash)
		return err
	})
	return out, core.Found(err)
}

// hash distinguishes what requests with the same id post.
func (in *CreateContextPostIn) hash() []byte { return core.RequestHash(in.Kind, in.Text, in.ReplyToID) }

// insertPost adds a post in the name of the key that the caller uses, if any.
func insertPost(tx *store.Tx, by store.Viewer, p *store.ContextPost, hash []byte) (out ContextPostProjection, err error) {
	p.AgentID, p.AgentName = agentOf(by)
	if err := tx.InsertContextPost(p, hash); err != nil {
		return out, err
	}
	if err := contextChanged(tx, by, p.ConversationID, p.ID); err != nil {
		return out, err
	}
	return readPost(&tx.Reader, by, p.ConversationID, p.ID)
}

// agentOf returns the key that the caller uses, with the name of its agent.
func agentOf(by store.Viewer) (id, name string) {
	if by.Kind != store.Agent {
		return "", ""
	}
	return by.KeyID, by.AgentName
}

// mayReplyTo returns ErrNoRow unless a post can be replied to, or there is none.
func mayReplyTo(r *store.Reader, by store.Viewer, conversationID, id string) error {
	if id == "" {
		return nil
	}
	p, err := r.ContextPost(by, conversationID, id)
	if err == nil && p.DeletedAt != 0 {
		err = store.ErrNoRow
	}
	return err
}

// mayPost returns TooMany if the caller and their bots have posted too often in a conversation.
func mayPost(tx *store.Tx, by store.Viewer, conversationID string) error {
	key := by.PersonID() + " " + conversationID
	day := key + " " + tx.Reader.Now().Go().UTC().Format(time.DateOnly)
	return cmp.Or(limit.ContextMinute.UseStored(tx, key, 1), limit.ContextDay.UseStored(tx, day, 1))
}
