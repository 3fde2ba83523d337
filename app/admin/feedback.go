package admin

import (
	"cmp"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// SendFeedbackIn is a message to the administrators.
type SendFeedbackIn struct {
	Message string         `json:"message" required:"true" min:"1" max:"5000"`
	Context jsontext.Value `json:"context" format:"object" max:"10000" doc:"What explains the message, such as the page or the program."`
}

// SendFeedbackOut has the id of the feedback.
type SendFeedbackOut struct {
	ID string `json:"id"`
}

func (s *Service) sendFeedback(tx *store.Tx, by store.Viewer, in SendFeedbackIn) (out SendFeedbackOut, err error) {
	if err := limit.Feedback.CallStored(tx, by); err != nil {
		return out, err
	}
	f, err := tx.InsertFeedback(store.Feedback{From: store.Named{ID: by.UserID}, Message: in.Message, Context: string(in.Context)})
	return SendFeedbackOut{f.ID}, cmp.Or(err, core.AdminInboxChanged(tx))
}

// Feedback is a message to the administrators.
type Feedback struct {
	ID        string         `json:"id"`
	From      *Ref           `json:"from"`
	Message   string         `json:"message"`
	Context   jsontext.Value `json:"context" format:"object"`
	CreatedAt store.Time     `json:"createdAt"`
	DoneAt    *store.Time    `json:"doneAt"`
}

func feedbackOf(f store.Feedback) Feedback {
	out := Feedback{ID: f.ID, From: refOf(f.From), Message: f.Message, CreatedAt: f.CreatedAt, DoneAt: f.DoneAt.Ptr()}
	if f.Context != "" {
		out.Context = jsontext.Value(f.Context)
	}
	return out
}

// ListFeedbackIn requests a page of feedback.
type ListFeedbackIn struct {
	State string `query:"state" json:"-" enum:"new|done" default:"new"`
	PageIn
}

func (s *Service) listFeedback(r *store.Reader, by store.Viewer, in ListFeedbackIn) (core.Page[Feedback], error) {
	rows, err := r.FeedbackOf(by, in.State == "done", in.before(), in.Limit+1)
	return pageOf(in.Limit, rows, feedbackOf, func(f store.Feedback) url.Values { return older(f.CreatedAt, in.State) }), err
}

func (s *Service) finishFeedback(tx *store.Tx, by store.Viewer, in core.ByID) (out Feedback, err error) {
	f, err := tx.Feedback(by, in.ID)
	if err == nil && f.DoneAt == 0 {
		f.DoneAt = tx.Now
		err = cmp.Or(tx.FinishFeedback(in.ID), tx.Audit(by, "feedback.done", in.ID, ""), core.AdminInboxChanged(tx))
	}
	return feedbackOf(f), err
}
