package live

import (
	"context"
	"net/http"
)

// Replay writes to w what sub missed after the event with the number.
func (h *Hub) Replay(ctx context.Context, w http.ResponseWriter, sub *Subscription, after int64) error {
	s := &stream{w: w, rc: http.NewResponseController(w), hub: h, sub: sub}
	return s.replay(ctx, after)
}
