package admin

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// SendFeedbackIn is a message to the administrators.
type SendFeedbackIn struct {
	Message string         `json:"message" required:"true" min:"1" max:"5000"`
	Context jsontext.Value `json:"context" format:"object" max:"10000" doc:"What may help to understand the message, such as the page or the program."`
}

// SendFeedbackOut has the id of the feedback.
type SendFeedbackOut struct {
	ID string `json:"id"`
}

func (s *Service) sendFeedback(ctx context.Context, by store.Viewer, in SendFeedbackIn) (out SendFeedbackOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := limit.Feedback.CallStored(tx, by); err != nil {
			return err
		}
		f, err := tx.InsertFeedback(store.Feedback{From: store.Named{ID: by.UserID}, Message: in.Message, Context: string(in.Context)})
		out.ID = f.ID
		return err
	})
	return out, err
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

func (s *Service) listFeedback(ctx context.Context, by store.Viewer, in ListFeedbackIn) (page core.Page[Feedback], err error) {
	err = s.read(ctx, by, func(r *store.Reader) error {
		rows, err := r.FeedbackOf(by, in.State == "done", in.before(), in.Limit+1)
		page = pageOf(rows, in.Limit, feedbackOf, func(f store.Feedback) url.Values {
			return url.Values{"state": {in.State}, "before": {f.CreatedAt.String()}, "limit": {strconv.Itoa(in.Limit)}}
		})
		return err
	})
	return page, err
}

// FeedbackIn names feedback.
type FeedbackIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) finishFeedback(ctx context.Context, by store.Viewer, in FeedbackIn) (out Feedback, err error) {
	err = s.write(ctx, by, func(tx *store.Tx) error {
		f, err := tx.Feedback(by, in.ID)
		if err != nil {
			return err
		}
		if f.DoneAt == 0 {
			if err := errors.Join(tx.FinishFeedback(in.ID), tx.Audit(by, "feedback.done", in.ID, "")); err != nil {
				return err
			}
			f.DoneAt = tx.Now
		}
		out = feedbackOf(f)
		return nil
	})
	return out, err
}
