package lane

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

// UpdateContextPostIn is the input of UpdateContextPost.
type UpdateContextPostIn struct {
	ConversationID   string `path:"id" json:"-"`
	PostID           string `path:"postId" json:"-"`
	Text             string `json:"text" required:"true" min:"1" max:"20000"`
	ExpectedRevision *int   `json:"expectedRevision" required:"true" min:"1" doc:"Of the post that was edited"`
}

func (s *Service) updateContextPost(tx *store.Tx, by store.Viewer, in UpdateContextPostIn) (out ContextPostProjection, err error) {
	p, err := postIn(&tx.Reader, by, in.ConversationID, in.PostID)
	switch {
	case err != nil:
		return out, err
	case p.AuthorID != by.UserID:
		return out, errNotYourPost()
	case p.Revision != *in.ExpectedRevision:
		return out, revisionMismatch(p)
	case p.DeletedAt != 0:
		return out, store.ErrNoRow
	}
	p.Text = in.Text
	p.AgentID, p.AgentName = agentOf(by)
	err = cmp.Or(tx.EditContextPost(&p), contextChanged(tx, by, p.ConversationID, p.ID))
	return postOf(p), err
}

// postIn returns ErrNotMember unless the caller is in the conversation, and ErrNoRow without the post.
func postIn(r *store.Reader, by store.Viewer, conversationID, id string) (p store.ContextPost, err error) {
	if err := member(r, by, conversationID); err != nil {
		return p, err
	}
	return r.ContextPost(by, conversationID, id)
}

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

// The author of a post and the owners of a group can delete it. Its place stays. A second call changes nothing.
func (s *Service) deleteContextPost(tx *store.Tx, by store.Viewer, in ContextPostIn) (none core.None, err error) {
	p, err := postIn(&tx.Reader, by, in.ConversationID, in.PostID)
	if err == nil && p.AuthorID != by.UserID {
		err = ownsGroup(tx, by, in.ConversationID, "not_your_post", "Only the author of a post, and the owners of a group, can delete it.")
	}
	if err != nil {
		return none, err
	}
	return none, RedactPost(tx, by, p)
}

func ownsGroup(tx *store.Tx, by store.Viewer, conversationID, code, otherwise string) error {
	c, err := tx.Conversation(by, conversationID)
	if err == nil && (c.Type != "group" || c.Role != "owner") {
		err = core.New(core.Forbidden, code, "%s", otherwise)
	}
	return err
}

// RedactPost deletes the text of a post, if it has not been. The caller has checked the right to do it.
func RedactPost(tx *store.Tx, by store.Viewer, p store.ContextPost) error {
	if p.DeletedAt != 0 {
		return nil
	}
	return cmp.Or(tx.DeleteContextPost(&p), contextChanged(tx, by, p.ConversationID, p.ID))
}

// ReportContextPostIn is the input of ReportContextPost.
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

func (s *Service) reportContextPost(tx *store.Tx, by store.Viewer, in ReportContextPostIn) (out ContextReportOut, err error) {
	p, err := livePost(&tx.Reader, by, in.ConversationID, in.PostID)
	if err == nil && p.AuthorID == by.UserID {
		err = core.New(core.Invalid, "invalid_input", "This is your own post. You can delete it.")
	}
	if err != nil {
		return out, err
	}
	out.ID, err = s.Report(tx, by, store.UserReport{TargetType: "context", TargetID: p.ID, UserID: p.AuthorID,
		ConversationID: p.ConversationID, Reason: in.Reason, Freeform: in.Freeform, Text: p.Text})
	return out, err
}
