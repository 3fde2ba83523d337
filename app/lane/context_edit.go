package lane

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// UpdateContextPostIn edits a post.
type UpdateContextPostIn struct {
	ConversationID   string `path:"id" json:"-"`
	PostID           string `path:"postId" json:"-"`
	Text             string `json:"text" required:"true" min:"1" max:"20000"`
	ExpectedRevision *int   `json:"expectedRevision" required:"true" min:"1" doc:"Of the post that was edited"`
}

// updateContextPost changes the text of a post of the caller's. Conflict, with the
// post as it is now, if it has another revision than the one that was edited.
// Forbidden for a post of another, NotFound for one that is deleted.
func (s *Service) updateContextPost(ctx context.Context, by store.Viewer, in UpdateContextPostIn) (out ContextPostProjection, err error) {
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := postIn(&tx.Reader, by, in.ConversationID, in.PostID)
		if err != nil {
			return err
		}
		if p.AuthorID != by.UserID {
			return errNotYourPost()
		}
		if p.Revision != *in.ExpectedRevision {
			return revisionMismatch(p)
		}
		if p.DeletedAt != 0 {
			return core.ErrNotFound
		}
		p.Text = in.Text
		p.AgentID, p.AgentName = agentOf(by)
		if err := tx.EditContextPost(&p); err != nil {
			return err
		}
		out = postOf(p)
		return contextChanged(tx, by, p.ConversationID, p.ID)
	})
	return out, core.Found(err)
}

// postIn returns a post of a conversation of the caller's: ErrNotMember without
// that, ErrNoRow without the post.
func postIn(r *store.Reader, by store.Viewer, conversationID, id string) (p store.ContextPost, err error) {
	if err := member(r, by, conversationID); err != nil {
		return p, err
	}
	return r.ContextPost(by, conversationID, id)
}

// livePost is postIn for a post that is not deleted.
func livePost(r *store.Reader, by store.Viewer, conversationID, id string) (store.ContextPost, error) {
	p, err := postIn(r, by, conversationID, id)
	if err == nil && p.DeletedAt != 0 {
		err = store.ErrNoRow
	}
	return p, err
}

func revisionMismatch(p store.ContextPost) error {
	return conflict("revision_mismatch", "The post was changed meanwhile. current has it as it is now: edit that, with its revision.",
		postOf(p))
}

func errNotYourPost() error {
	return core.New(core.Forbidden, "not_your_post", "Only the author of a post can do this.")
}

// ContextPostIn names a post.
type ContextPostIn struct {
	ConversationID string `path:"id" json:"-"`
	PostID         string `path:"postId" json:"-"`
}

// deleteContextPost deletes the text of a post for everybody; its place stays. Its
// author can, and the owners of a group. A second call changes nothing.
func (s *Service) deleteContextPost(ctx context.Context, by store.Viewer, in ContextPostIn) (core.None, error) {
	err := s.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := postIn(&tx.Reader, by, in.ConversationID, in.PostID)
		if err != nil {
			return err
		}
		if p.AuthorID != by.UserID {
			c, err := tx.Conversation(by, in.ConversationID)
			if err != nil {
				return err
			}
			if c.Type != "group" || c.Role != "owner" {
				return core.New(core.Forbidden, "not_your_post", "Only the author of a post, and the owners of a group, can delete it.")
			}
		}
		return RedactPost(tx, by, p)
	})
	return core.None{}, core.Found(err)
}

// RedactPost deletes the text of a post, if it has not been. The caller has
// checked the right to do it.
func RedactPost(tx *store.Tx, by store.Viewer, p store.ContextPost) error {
	if p.DeletedAt != 0 {
		return nil
	}
	if err := tx.DeleteContextPost(&p); err != nil {
		return err
	}
	return contextChanged(tx, by, p.ConversationID, p.ID)
}

// ReportContextPostIn reports a post.
type ReportContextPostIn struct {
	ConversationID string `path:"id" json:"-"`
	PostID         string `path:"postId" json:"-"`
	Reason         string `json:"reason" required:"true" max:"100" line:"true" doc:"In a few words"`
	Freeform       string `json:"freeform" max:"2000" doc:"Anything else the administrators should know"`
}

// ContextReportOut has the id of a report.
type ContextReportOut struct {
	ID string `json:"id" format:"uuid"`
}

// reportContextPost reports a post to the administrators, with its text as it is
// now. Nobody else learns of it. Invalid for a post of the caller's own.
func (s *Service) reportContextPost(ctx context.Context, by store.Viewer, in ReportContextPostIn) (out ContextReportOut, err error) {
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := livePost(&tx.Reader, by, in.ConversationID, in.PostID)
		if err != nil {
			return err
		}
		if p.AuthorID == by.UserID {
			return core.New(core.Invalid, "invalid_input", "This is your own post. You can delete it.")
		}
		out.ID, err = s.Report(tx, by, store.UserReport{
			TargetType: "context", TargetID: p.ID, UserID: p.AuthorID, ConversationID: p.ConversationID,
			Reason: in.Reason, Freeform: in.Freeform, Text: p.Text,
		})
		return err
	})
	return out, core.Found(err)
}
