package demo

import (
	"context"
	"strings"
	"time"

	"hearth/app/lane"
	"hearth/store"
)

// Agent is an agent of the sample data, which answers while the demo runs.
type Agent struct{ Viewer store.Viewer }

// Answer returns what the agent replies to a text, "" to decline: it knows a few
// words.
func (a Agent) Answer(text string) string {
	text = strings.ToLower(text)
	for _, known := range [][2]string{
		{"flour", "There are three bags of wholemeal left from the last order."},
		{"oven", "The oven is booked for Sunday from nine to one."},
		{"starter", "The starter was fed on Tuesday; once a week is enough in the fridge."},
		{"recipe", "The recipe card says: 500 g flour, 350 g water, 100 g starter, 10 g salt."},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return ""
}

// Run answers or declines every request that the agent receives, until ctx ends.
func (a Agent) Run(ctx context.Context, s *lane.Service) {
	for ctx.Err() == nil {
		inbox, err := s.ListInbox.Call(ctx, a.Viewer, lane.ListInboxIn{Wait: 30})
		for _, q := range inbox.Requests {
			text := a.Answer(q.Text)
			_, _ = s.RespondRequest.Call(ctx, a.Viewer, lane.RespondRequestIn{RequestID: q.ID, Text: text, Decline: text == ""}) // it may be gone
		}
		if err != nil || len(inbox.Requests) == 0 {
			select { // it was interrupted, or the server stops
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}
